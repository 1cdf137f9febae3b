/* SPDX-License-Identifier: Apache-2.0 */
/* See host_csr.h. */
#include "host_csr.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

static int64_t index_at(const void *indices, spmm_itype_t type, int64_t p)
{
    return type == SPMM_I64 ? ((const int64_t *)indices)[p] : ((const int32_t *)indices)[p];
}

static double value_at(const spmm_csr_t *view, int64_t p)
{
    return view->values == NULL ? 1.0 : value_get(view->value_type, view->values, p);
}

static spmm_status_t csr_alloc(int64_t rows, int64_t cols, int64_t nnz, spmm_dtype_t dtype,
                               struct host_csr *csr, spmm_diag_t *diag)
{
    *csr = (struct host_csr){.rows = rows, .cols = cols, .nnz = nnz, .dtype = dtype};
    csr->row_ptr = calloc((size_t)rows + 1, sizeof *csr->row_ptr);
    csr->col_ind = malloc((size_t)(nnz + 1) * sizeof *csr->col_ind);
    csr->values = malloc((size_t)(nnz + 1) * sizeof *csr->values);
    if (csr->row_ptr != NULL && csr->col_ind != NULL && csr->values != NULL)
        return SPMM_OK;
    host_csr_free(csr);
    return fail_memory(diag, (uint64_t)nnz * 12 + (uint64_t)rows * 8, "a copy of the matrix");
}

spmm_status_t host_csr_make(const spmm_csr_t *view, spmm_dtype_t dtype, struct host_csr *csr,
                            spmm_diag_t *diag)
{
    const spmm_status_t status = csr_alloc(view->rows, view->cols, view->nnz, dtype, csr, diag);
    if (status != SPMM_OK)
        return status;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t i = 0; i <= view->rows; i++)
        csr->row_ptr[i] = index_at(view->row_ptr, view->row_ptr_type, i);
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t p = 0; p < view->nnz; p++) {
        csr->col_ind[p] = (int32_t)index_at(view->col_ind, view->col_ind_type, p);
        csr->values[p] = value_round(dtype, value_at(view, p));
    }
    return SPMM_OK;
}

void host_csr_set_ones(struct host_csr *csr)
{
    for (int64_t p = 0; p < csr->nnz; p++)
        csr->values[p] = 1.0;
}

spmm_status_t host_csr_transpose(const struct host_csr *a, struct host_csr *at, spmm_diag_t *diag)
{
    const spmm_status_t status = csr_alloc(a->cols, a->rows, a->nnz, a->dtype, at, diag);
    if (status != SPMM_OK)
        return status;
    /* The count of column j is stored at j + 2. After the prefix sum, row_ptr[j + 1] is the start of row j,
     * and filling the row advances it to the row's end. */
    for (int64_t p = 0; p < a->nnz; p++)
        if (a->col_ind[p] + 2 <= a->cols)
            at->row_ptr[a->col_ind[p] + 2]++;
    for (int64_t j = 2; j <= a->cols; j++)
        at->row_ptr[j] += at->row_ptr[j - 1];
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            const int64_t to = at->row_ptr[a->col_ind[p] + 1]++;
            at->col_ind[to] = (int32_t)i;
            at->values[to] = a->values[p];
        }
    }
    return SPMM_OK;
}

spmm_status_t host_csr_permute(const struct host_csr *a, const uint32_t *permutation,
                               struct host_csr *permuted, spmm_diag_t *diag)
{
    const spmm_status_t status = csr_alloc(a->rows, a->cols, a->nnz, a->dtype, permuted, diag);
    if (status != SPMM_OK)
        return status;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t from = a->row_ptr[permutation[i]], to = permuted->row_ptr[i];
        const int64_t length = a->row_ptr[permutation[i] + INT64_C(1)] - from;
        memcpy(permuted->col_ind + to, a->col_ind + from, (size_t)length * sizeof *a->col_ind);
        memcpy(permuted->values + to, a->values + from, (size_t)length * sizeof *a->values);
        permuted->row_ptr[i + 1] = to + length;
    }
    return SPMM_OK;
}

void host_csr_free(struct host_csr *csr)
{
    free(csr->row_ptr);
    free(csr->col_ind);
    free(csr->values);
    *csr = (struct host_csr){0};
}

void *host_csr_typed_values(const struct host_csr *csr)
{
    void *typed = malloc(((size_t)csr->nnz + 1) * spmm_dtype_size(csr->dtype));
    if (typed == NULL)
        return NULL;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t p = 0; p < csr->nnz; p++)
        value_set(csr->dtype, typed, p, csr->values[p]);
    return typed;
}

/* Counts the nonempty blocks. If bsr is not NULL, also fills its row_ptr and lists the columns of each block
 * row in order of appearance. mark has one element per block column. */
static int64_t list_blocks(const struct host_csr *csr, int64_t block, int64_t *mark, struct host_bsr *bsr)
{
    int64_t count = 0;
    for (int64_t bi = 0; bi * block < csr->rows; bi++) {
        const int64_t end = (bi + 1) * block < csr->rows ? (bi + 1) * block : csr->rows;
        for (int64_t p = csr->row_ptr[bi * block]; p < csr->row_ptr[end]; p++) {
            const int64_t bj = csr->col_ind[p] / block;
            if (mark[bj] == bi + 1)
                continue;
            mark[bj] = bi + 1;
            if (bsr != NULL)
                bsr->col_ind[count] = (int32_t)bj;
            count++;
        }
        if (bsr != NULL)
            bsr->row_ptr[bi + 1] = (int32_t)count;
    }
    return count;
}

static int64_t *marks_make(const struct host_csr *csr, int64_t block)
{
    return calloc((size_t)((csr->cols + block - 1) / block) + 1, sizeof(int64_t));
}

int64_t host_bsr_count(const struct host_csr *csr, int64_t block)
{
    int64_t *mark = marks_make(csr, block);
    const int64_t count = mark == NULL ? -1 : list_blocks(csr, block, mark, NULL);
    free(mark);
    return count;
}

static int compare_columns(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left;
    const int32_t b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the columns of one block row and stores the values of its blocks. */
static void fill_block_row(const struct host_csr *csr, int64_t bi, struct host_bsr *bsr, int64_t *slot)
{
    const int64_t block = bsr->block;
    const int64_t end = (bi + 1) * block < csr->rows ? (bi + 1) * block : csr->rows;
    const int32_t first = bsr->row_ptr[bi];
    const int32_t last = bsr->row_ptr[bi + 1];

    qsort(bsr->col_ind + first, (size_t)(last - first), sizeof *bsr->col_ind, compare_columns);
    for (int32_t q = first; q < last; q++)
        slot[bsr->col_ind[q]] = q;
    for (int64_t i = bi * block; i < end; i++) {
        for (int64_t p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) {
            const int64_t bj = csr->col_ind[p] / block;
            const int64_t at = (slot[bj] * block + (i - bi * block)) * block + (csr->col_ind[p] - bj * block);
            value_set(csr->dtype, bsr->values, at, csr->values[p]);
        }
    }
}

spmm_status_t host_bsr_make(const struct host_csr *csr, int64_t block, struct host_bsr *bsr,
                            spmm_diag_t *diag)
{
    const int64_t blocks = host_bsr_count(csr, block);
    int64_t *mark = marks_make(csr, block);
    *bsr = (struct host_bsr){.block = block, .blocks = blocks};
    bsr->block_rows = (csr->rows + block - 1) / block;
    bsr->block_cols = (csr->cols + block - 1) / block;
    if (blocks >= 0 && blocks < INT32_MAX) {
        bsr->row_ptr = calloc((size_t)bsr->block_rows + 1, sizeof *bsr->row_ptr);
        bsr->col_ind = malloc(((size_t)blocks + 1) * sizeof *bsr->col_ind);
        bsr->values = calloc((size_t)(blocks * block * block) + 1, spmm_dtype_size(csr->dtype));
    }
    if (mark == NULL || bsr->row_ptr == NULL || bsr->col_ind == NULL || bsr->values == NULL) {
        free(mark);
        host_bsr_free(bsr);
        return fail_memory(diag, (uint64_t)csr->nnz * 8, "the matrix in blocks");
    }
    list_blocks(csr, block, mark, bsr);
    for (int64_t bi = 0; bi < bsr->block_rows; bi++)
        fill_block_row(csr, bi, bsr, mark);
    free(mark);
    return SPMM_OK;
}

void host_bsr_free(struct host_bsr *bsr)
{
    free(bsr->row_ptr);
    free(bsr->col_ind);
    free(bsr->values);
    *bsr = (struct host_bsr){0};
}

int64_t host_ell_width(const struct host_bsr *bsr)
{
    int64_t width = 0;
    for (int64_t i = 0; i < bsr->block_rows; i++) {
        const int64_t length = bsr->row_ptr[i + 1] - bsr->row_ptr[i];
        width = length > width ? length : width;
    }
    return width;
}

/* Copies the blocks of one block row side by side. */
static void fill_ell_row(const struct host_bsr *bsr, int64_t bi, size_t line, struct host_ell *ell)
{
    const int64_t block = bsr->block;
    const int64_t length = bsr->row_ptr[bi + 1] - bsr->row_ptr[bi];
    for (int64_t slot = 0; slot < ell->width; slot++) {
        const int64_t from = bsr->row_ptr[bi] + slot;
        ell->col_ind[bi * ell->width + slot] = slot < length ? bsr->col_ind[from] : -1;
        for (int64_t i = 0; slot < length && i < block; i++)
            memcpy((char *)ell->values + (size_t)((bi * block + i) * ell->width + slot) * line,
                   (const char *)bsr->values + (size_t)(from * block + i) * line, line);
    }
}

spmm_status_t host_ell_make(const struct host_bsr *bsr, spmm_dtype_t dtype, struct host_ell *ell,
                            spmm_diag_t *diag)
{
    const size_t line = (size_t)bsr->block * spmm_dtype_size(dtype);
    *ell = (struct host_ell){.width = host_ell_width(bsr)};
    const size_t blocks = (size_t)(bsr->block_rows * ell->width);
    ell->col_ind = malloc((blocks + 1) * sizeof *ell->col_ind);
    ell->values = calloc(blocks * (size_t)bsr->block + 1, line);
    if (ell->col_ind == NULL || ell->values == NULL) {
        host_ell_free(ell);
        return fail_memory(diag, blocks * (size_t)bsr->block * line, "the matrix in rows of blocks");
    }
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t bi = 0; bi < bsr->block_rows; bi++)
        fill_ell_row(bsr, bi, line, ell);
    return SPMM_OK;
}

void host_ell_free(struct host_ell *ell)
{
    free(ell->col_ind);
    free(ell->values);
    *ell = (struct host_ell){0};
}
