/* SPDX-License-Identifier: Apache-2.0 */
/* See fuzz_check.h. */
#include "fuzz_check.h"

#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"

#define BUDGET_BYTES (UINT64_C(32) << 20) /* for files whose sizes ask for more memory */
#define PRINTED_MAX 4096                  /* largest nnz of a matrix that is printed and read again */
#define ENTRY_BYTES 64

spmm_read_options_t fuzz_read_options = SPMM_READ_OPTIONS_INIT;

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    must(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static uint64_t usual_bytes(size_t size)
{
    return 4 * (uint64_t)size + (UINT64_C(16) << 20);
}

static spmm_status_t read_within(const void *data, size_t size, const char *name, int threads,
                                 uint64_t budget, spmm_matrix_t **matrix)
{
    spmm_read_options_t options = fuzz_read_options;
    spmm_diag_t diag;
    options.threads = threads;
    options.budget_bytes = budget;
    const int64_t live = spmmi_alloc_live();
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmm_matrix_read(data, size, name, &options, matrix, &diag);
    must(spmmi_alloc_peak_bytes() <= budget + 4096); /* 4096: for the handle and other small blocks */
    must((status == SPMM_OK) == (*matrix != NULL));
    must(diag.status == status && status != SPMM_ERR_INTERNAL &&
         (status == SPMM_OK) == (diag.text[0] == '\0'));
    must(status == SPMM_OK || spmmi_alloc_live() == live);
    return status;
}

/* Reads within the usual memory, or within BUDGET_BYTES if the reader refuses that. Only a file whose stated
 * sizes need more memory than its bytes may need the larger budget. */
static spmm_status_t read_usual(const void *data, size_t size, const char *name, int threads,
                                spmm_matrix_t **matrix)
{
    spmm_status_t status = read_within(data, size, name, threads, usual_bytes(size), matrix);
    if (status != SPMM_ERR_MEMORY)
        return status;
    status = read_within(data, size, name, threads, BUDGET_BYTES, matrix);
    return status;
}

static void check_csr(const spmm_csr_t *a)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    must(row_ptr[0] == 0 && row_ptr[a->rows] == a->nnz);
    for (int64_t i = 0; i < a->rows; i++) {
        must(row_ptr[i] <= row_ptr[i + 1]);
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            must(col_ind[p] >= 0 && col_ind[p] < a->cols && (p == row_ptr[i] || col_ind[p - 1] < col_ind[p]));
    }
}

/* Returns 1 if all values have the same bits. A NaN equals any other NaN. */
static int same_values(const double *a, const double *b, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        if (memcmp(&a[p], &b[p], sizeof *a) != 0 && !(a[p] != a[p] && b[p] != b[p]))
            return 0;
    return 1;
}

static void check_same(const spmm_matrix_t *one, const spmm_matrix_t *other)
{
    spmm_csr_t a;
    spmm_csr_t b;
    must(spmm_matrix_csr(one, &a) == SPMM_OK && spmm_matrix_csr(other, &b) == SPMM_OK);
    must(a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && (a.values == NULL) == (b.values == NULL));
    must(memcmp(a.row_ptr, b.row_ptr, ((size_t)a.rows + 1) * sizeof(int64_t)) == 0);
    must(memcmp(a.col_ind, b.col_ind, (size_t)a.nnz * sizeof(int32_t)) == 0);
    must(a.values == NULL || same_values(a.values, b.values, a.nnz));
}

static size_t print(const spmm_csr_t *a, char *text)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    const double *values = a->values;
    char *p = text + sprintf(text, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
                             values != NULL ? "real" : "pattern", (long long)a->rows, (long long)a->cols,
                             (long long)a->nnz);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
            p += sprintf(p, "%lld %d", (long long)i + 1, (int)col_ind[k] + 1);
            p += values != NULL ? sprintf(p, " %.17g\n", values[k]) : sprintf(p, "\n");
        }
    return (size_t)(p - text);
}

static void check_printed(const spmm_matrix_t *matrix)
{
    spmm_csr_t a;
    spmm_matrix_t *again = NULL;
    must(spmm_matrix_csr(matrix, &a) == SPMM_OK);
    if (a.nnz > PRINTED_MAX)
        return;
    char *text = malloc(((size_t)a.nnz + 2) * ENTRY_BYTES);
    must(text != NULL);
    const spmm_status_t status = read_within(text, print(&a, text), "printed.mtx", 1, BUDGET_BYTES, &again);
    /* If the row pointers alone nearly fill the budget, the read may run out of it: sorting the entries into
     * rows needs the row pointers twice. */
    must(status == SPMM_OK || (status == SPMM_ERR_MEMORY && (size_t)a.rows > BUDGET_BYTES / 32));
    if (status == SPMM_OK)
        check_same(matrix, again);
    spmm_matrix_destroy(again);
    free(text);
}

spmm_status_t fuzz_matrix_file(const uint8_t *data, size_t size, const char *name)
{
    spmm_matrix_t *one = NULL;
    spmm_matrix_t *three = NULL;
    const spmm_status_t status = read_usual(data, size, name, 1, &one);
    const spmm_status_t by_three = read_usual(data, size, name, 3, &three);
    must(by_three == status || by_three == SPMM_ERR_MEMORY);
    if (one != NULL) {
        spmm_csr_t a;
        must(spmm_matrix_csr(one, &a) == SPMM_OK);
        check_csr(&a);
        check_printed(one);
    }
    if (one != NULL && three != NULL)
        check_same(one, three);
    spmm_matrix_destroy(three);
    spmm_matrix_destroy(one);
    return status;
}

void fuzz_same_matrix(const uint8_t *a, size_t a_size, const char *a_name, const uint8_t *b, size_t b_size,
                      const char *b_name)
{
    spmm_matrix_t *one = NULL;
    spmm_matrix_t *other = NULL;
    const spmm_status_t status = read_within(a, a_size, a_name, 1, BUDGET_BYTES, &one);
    must(read_within(b, b_size, b_name, 1, BUDGET_BYTES, &other) == status);
    if (one != NULL)
        check_same(one, other);
    spmm_matrix_destroy(other);
    spmm_matrix_destroy(one);
}
