/* SPDX-License-Identifier: Apache-2.0 */
/* See symmetric_permutation.h. */
#include "symmetric_permutation.h"

#include <stdbool.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "row_metrics.h"

/* A permuted matrix and the number of its 16 x 16 blocks. */
struct attempt {
    uint32_t *permutation;
    spmm_matrix_t *permuted;
    int64_t blocks;
};

static void drop(struct attempt *a)
{
    spmm_matrix_destroy(a->permuted);
    spmmi_free(a->permutation);
    *a = (struct attempt){0};
}

static spmm_status_t count_blocks(const spmm_matrix_t *m, int threads, int64_t *blocks, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_permutation_metrics_t metrics;
    status = spmmi_row_metrics_count(m->rows, m->cols, m->row_ptr, m->col_ind, NULL, threads, &metrics);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the blocks of a permutation");
    *blocks = metrics.block_count[SPMM_BLOCKS_16X16];
cleanup:
    return status;
}

static spmm_status_t attempt(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads, struct attempt *a,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    a->permutation = spmmi_alloc((uint64_t)matrix->rows, sizeof *a->permutation);
    SPMM_TRY_ALLOC(a->permutation, diag);
    SPMM_TRY(spmm_matrix_permutation(matrix, kind, threads, a->permutation, diag));
    SPMM_TRY(spmm_matrix_permute(matrix, a->permutation, a->permutation, threads, &a->permuted, diag));
cleanup:
    if (status != SPMM_OK)
        drop(a);
    return status;
}

static spmm_status_t find_best(const spmm_matrix_t *matrix, int threads, struct attempt *best,
                               spmm_diag_t *diag)
{
    static const spmm_reorder_t kinds[] = {SPMM_REORDER_RCM, SPMM_REORDER_MINHASH};
    spmm_status_t status = SPMM_OK;
    struct attempt next = {0};
    int64_t natural = 0;
    SPMM_TRY(count_blocks(matrix, threads, &natural, diag));
    best->blocks = (int64_t)((1 - SPMMI_SYMMETRIC_GAIN) * (double)natural);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        SPMM_TRY(attempt(matrix, kinds[i], threads, &next, diag));
        SPMM_TRY(count_blocks(next.permuted, threads, &next.blocks, diag));
        if (next.blocks < best->blocks) {
            const struct attempt worse = *best;
            *best = next;
            next = worse;
        }
        drop(&next);
    }
cleanup:
    drop(&next);
    return status;
}

static bool is_natural(const uint32_t *permutation, int64_t count)
{
    int64_t i = 0;
    while (i < count && permutation[i] == i)
        i++;
    return i == count;
}

spmm_status_t spmmi_symmetric_permutation(const spmm_matrix_t *matrix, const struct spmmi_request *request,
                                          uint32_t **permutation, spmm_matrix_t **permuted, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_reorder_t kind = request->options.reorder;
    struct attempt a = {0};
    *permutation = NULL;
    *permuted = NULL;
    SPMM_REQUIRE(matrix->rows == matrix->cols, SPMM_ERR_ARGUMENT, diag,
                 "a symmetric permutation needs a square matrix, found %lld x %lld", (long long)matrix->rows,
                 (long long)matrix->cols);
    if (kind == SPMM_REORDER_AUTO)
        SPMM_TRY(find_best(matrix, request->threads, &a, diag));
    else
        SPMM_TRY(attempt(matrix, kind, request->threads, &a, diag));
    if (a.permutation == NULL || is_natural(a.permutation, matrix->rows))
        goto cleanup;
    *permutation = a.permutation;
    *permuted = a.permuted;
    a = (struct attempt){0};
cleanup:
    drop(&a);
    return status;
}
