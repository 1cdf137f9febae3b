/* SPDX-License-Identifier: Apache-2.0 */
/* Memory within the budget of a reader, the arrays of its matrix, and progress reports. See reader.h. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "format/base/alloc.h"
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "reader.h"

#define HUGE_PAGE (UINT64_C(2) << 20)

/* Requests huge pages for the parts of a block that can use them; this is only advice to the system. Text and
 * result are written once, sequentially or by bucket, and page faults took one sixth of the time of a large
 * read. */
static void use_huge_pages(void *block, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uint64_t skip = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    if (bytes >= skip + HUGE_PAGE)
        (void)madvise((char *)block + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

spmm_status_t spmmi_reader_alloc(struct spmmi_reader *reader, const char *purpose, uint64_t count,
                                 size_t size, void *pointer_to_pointer)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    SPMM_REQUIRE(spmmi_mul_u64(count, size, &bytes), SPMM_ERR_MATRIX_TOO_LARGE, reader->diag,
                 "%s: the %s would not fit any memory", reader->label, purpose);
    SPMM_REQUIRE(bytes <= reader->budget - reader->used, SPMM_ERR_MEMORY, reader->diag,
                 "%s: room for the %s needs %llu bytes, %llu of the budget of %llu are in use", reader->label,
                 purpose, (unsigned long long)bytes, (unsigned long long)reader->used,
                 (unsigned long long)reader->budget);
    void *block = spmmi_alloc(count, size);
    SPMM_REQUIRE(block != NULL, SPMM_ERR_MEMORY, reader->diag, "%s: no memory for the %s of %llu bytes",
                 reader->label, purpose, (unsigned long long)bytes);
    use_huge_pages(block, bytes);
    reader->used += bytes;
    memcpy(pointer_to_pointer, &block, sizeof block);
cleanup:
    return status;
}

void spmmi_reader_free(struct spmmi_reader *reader, void *block, uint64_t count, size_t size)
{
    if (block != NULL)
        reader->used -= count * size;
    spmmi_free(block);
}

spmm_status_t spmmi_bytes_reserve(struct spmmi_reader *reader, struct spmmi_bytes *bytes, uint64_t capacity)
{
    spmm_status_t status = SPMM_OK;
    char *data = NULL;
    if (capacity <= bytes->capacity)
        return SPMM_OK;
    SPMM_TRY(spmmi_reader_alloc(reader, "bytes of the file", capacity, 1, &data));
    if (bytes->size > 0)
        memcpy(data, bytes->data, bytes->size);
    spmmi_reader_free(reader, bytes->data, bytes->capacity, 1);
    bytes->data = data;
    bytes->capacity = capacity;
cleanup:
    return status;
}

void spmmi_bytes_free(struct spmmi_reader *reader, struct spmmi_bytes *bytes)
{
    spmmi_reader_free(reader, bytes->data, bytes->capacity, 1);
    *bytes = (struct spmmi_bytes){NULL, 0, 0};
}

spmm_status_t spmmi_matrix_alloc_row_ptr(struct spmmi_reader *reader, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = (uint64_t)matrix->rows + 1;
    SPMM_TRY(spmmi_reader_alloc(reader, "row pointers", count, sizeof *matrix->row_ptr, &matrix->row_ptr));
    memset(matrix->row_ptr, 0, count * sizeof *matrix->row_ptr);
cleanup:
    return status;
}

spmm_status_t spmmi_matrix_alloc_entries(struct spmmi_reader *reader, spmm_matrix_t *matrix, bool has_values)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = (uint64_t)matrix->nnz;
    SPMM_TRY(spmmi_reader_alloc(reader, "column indices", count, sizeof *matrix->col_ind, &matrix->col_ind));
    if (has_values)
        SPMM_TRY(spmmi_reader_alloc(reader, "values", count, sizeof *matrix->values, &matrix->values));
cleanup:
    return status;
}

void spmmi_matrix_describe(spmm_matrix_t *matrix, enum spmmi_value_field field, enum spmmi_symmetry symmetry,
                           int64_t entries)
{
    static const char *const fields[] = {"real", "integer", "pattern", "complex", "complex"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    strcpy(matrix->info.field, fields[field]);
    strcpy(matrix->info.symmetry,
           symmetries[symmetry == SPMMI_SKEW && field == SPMMI_FIELD_ABS ? SPMMI_SYMMETRIC : symmetry]);
    matrix->info.entries_stored = entries;
}

void spmmi_reader_progress(const struct spmmi_reader *reader, const char *stage, uint64_t done,
                           uint64_t total)
{
    if (reader->progress != NULL)
        reader->progress(reader->progress_context, stage, done, total);
}
