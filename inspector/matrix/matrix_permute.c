/* SPDX-License-Identifier: Apache-2.0 */
/* Permutes the rows of a matrix, its columns or both. */
#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "inspector/analysis/radix_sort.h"
#include "matrix.h"
#include "inspector/thread_count.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */

/* Sets position[permutation[i]] = i. Errors: ARGUMENT (permutation does not contain each of 0 .. count - 1
 * once), MEMORY. */
static spmm_status_t invert(const char *what, const uint32_t *permutation, int64_t count, uint32_t **position,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *list = spmmi_alloc((uint64_t)count, sizeof *list);
    SPMM_TRY_ALLOC(list, diag);
    *position = list;
    memset(list, 0xff, (size_t)count * sizeof *list);
    for (int64_t i = 0; i < count; i++) {
        const bool is_new = permutation[i] < count && list[permutation[i]] == UINT32_MAX;
        SPMM_REQUIRE_AT(is_new, SPMM_ERR_ARGUMENT, diag, (uint64_t)i,
                        "%s is no permutation: position %lld has %u, which is repeated or not below %lld",
                        what, (long long)i, permutation[i], (long long)count);
        list[permutation[i]] = (uint32_t)i;
    }
cleanup:
    return status;
}

/* Buffers in which a thread sorts a row: the new column in the upper 32 bits, the old position in the row in
 * the lower 32 bits. */
struct room {
    uint64_t *list, *other;
};

/* Copies a row, and sorts it by the new columns if columns are permuted. */
static void copy_row(const spmm_matrix_t *from, int64_t row, const uint32_t *position, struct room *room,
                     spmm_matrix_t *to, int64_t first)
{
    const int64_t begin = from->row_ptr[row], length = from->row_ptr[row + 1] - begin;
    for (int64_t k = 0; k < length; k++) {
        const uint32_t column = (uint32_t)from->col_ind[begin + k];
        room->list[k] = spmmi_key_pack(position == NULL ? column : position[column], (uint32_t)k);
    }
    if (position != NULL)
        spmmi_radix_sort(room->list, room->other, (uint64_t)length);
    for (int64_t k = 0; k < length; k++) {
        to->col_ind[first + k] = (int32_t)(room->list[k] >> 32);
        if (to->values != NULL)
            to->values[first + k] = from->values[begin + (uint32_t)room->list[k]];
    }
}

static spmm_status_t alloc_like(const spmm_matrix_t *from, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_matrix_t *m = spmmi_alloc_zero(1, sizeof *m);
    SPMM_TRY_ALLOC(m, diag);
    *matrix = m;
    m->rows = from->rows;
    m->cols = from->cols;
    m->nnz = from->nnz;
    m->info = from->info;
    m->row_ptr = spmmi_alloc((uint64_t)m->rows + 1, sizeof *m->row_ptr);
    SPMM_TRY_ALLOC(m->row_ptr, diag);
    m->col_ind = spmmi_alloc((uint64_t)m->nnz, sizeof *m->col_ind);
    SPMM_TRY_ALLOC(m->col_ind, diag);
    if (from->values != NULL) {
        m->values = spmmi_alloc((uint64_t)m->nnz, sizeof *m->values);
        SPMM_TRY_ALLOC(m->values, diag);
    }
cleanup:
    return status;
}

static int64_t set_row_ptr(const spmm_matrix_t *from, const uint32_t *row_permutation, spmm_matrix_t *to)
{
    int64_t longest = 0;
    to->row_ptr[0] = 0;
    for (int64_t i = 0; i < to->rows; i++) {
        const int64_t row = row_permutation == NULL ? i : row_permutation[i];
        const int64_t length = from->row_ptr[row + 1] - from->row_ptr[row];
        to->row_ptr[i + 1] = to->row_ptr[i] + length;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static spmm_status_t copy_rows(const spmm_matrix_t *from, const uint32_t *row_permutation,
                               const uint32_t *position, int threads, spmm_matrix_t *to, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t longest = (uint64_t)set_row_ptr(from, row_permutation, to);
    threads = to->nnz < NONZEROS_PARALLEL ? 1 : threads;
    uint64_t *words = spmmi_alloc(2 * longest, (size_t)threads * sizeof *words);
    SPMM_TRY_ALLOC(words, diag);
#pragma omp parallel for num_threads(spmmi_team(threads)) schedule(dynamic, 256)
    for (int64_t i = 0; i < to->rows; i++) {
        uint64_t *const own = words + 2 * longest * (uint64_t)omp_get_thread_num();
        struct room room = {own, own + longest};
        copy_row(from, row_permutation == NULL ? i : row_permutation[i], position, &room, to, to->row_ptr[i]);
    }
cleanup:
    spmmi_free(words);
    return status;
}

spmm_status_t spmm_matrix_permute(const spmm_matrix_t *matrix, const uint32_t *rows, const uint32_t *cols,
                                  int threads, spmm_matrix_t **permuted, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *row_position = NULL, *col_position = NULL;
    spmm_matrix_t *m = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(permuted != NULL, SPMM_ERR_ARGUMENT, diag, "permuted is NULL");
    *permuted = NULL;
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    SPMM_REQUIRE(threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads must not be negative, found %d", threads);
    if (rows != NULL)
        SPMM_TRY(invert("rows", rows, matrix->rows, &row_position, diag));
    if (cols != NULL)
        SPMM_TRY(invert("cols", cols, matrix->cols, &col_position, diag));
    SPMM_TRY(alloc_like(matrix, &m, diag));
    SPMM_TRY(copy_rows(matrix, rows, col_position, spmmi_thread_count(threads), m, diag));
    *permuted = m;
    m = NULL;
cleanup:
    spmm_matrix_destroy(m);
    spmmi_free(col_position);
    spmmi_free(row_position);
    return status;
}
