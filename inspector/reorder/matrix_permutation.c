/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions for row permutations of a matrix and their metrics. */
#include <string.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/permutation.h"
#include "inspector/matrix/matrix.h"
#include "inspector/thread_count.h"
#include "row_metrics.h"
#include "row_permutation.h"

static spmm_status_t check(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    SPMM_REQUIRE(spmmi_permutation_is_kind(kind), SPMM_ERR_ARGUMENT, diag,
                 "kind %d is not a permutation that can be computed", (int)kind);
    SPMM_REQUIRE(threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads must not be negative, found %d", threads);
cleanup:
    return status;
}

static struct spmmi_row_permutations permutations_of(const spmm_matrix_t *matrix, int threads)
{
    return (struct spmmi_row_permutations){.rows = matrix->rows,
                                           .cols = matrix->cols,
                                           .row_ptr = matrix->row_ptr,
                                           .col_ind = matrix->col_ind,
                                           .threads = spmmi_thread_count(threads)};
}

spmm_status_t spmm_matrix_permutation(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                      uint32_t *permutation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_permutations permutations = {.count = 0};
    const struct spmmi_row_permutation *made = NULL;
    spmmi_diag_clear(diag);
    SPMM_TRY(check(matrix, kind, threads, diag));
    SPMM_REQUIRE(permutation != NULL || matrix->rows == 0, SPMM_ERR_ARGUMENT, diag, "permutation is NULL");
    permutations = permutations_of(matrix, threads);
    SPMM_TRY(spmmi_row_permutation_of(&permutations, kind, &made, diag));
    for (int64_t i = 0; i < matrix->rows; i++)
        permutation[i] = made->permutation == NULL ? (uint32_t)i : made->permutation[i];
cleanup:
    spmmi_row_permutations_free(&permutations);
    return status;
}

spmm_status_t spmm_matrix_permutation_metrics(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                              spmm_permutation_metrics_t *metrics, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_permutations permutations = {.count = 0};
    const struct spmmi_row_permutation *made = NULL;
    spmm_permutation_metrics_t full;
    memset(&full, 0, sizeof full);
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(spmmi_info_write(metrics, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "metrics is NULL or without struct_size");
    SPMM_TRY(check(matrix, kind, threads, diag));
    permutations = permutations_of(matrix, threads);
    SPMM_TRY(spmmi_row_permutation_of(&permutations, kind, &made, diag));
    status = spmmi_row_metrics_count(permutations.rows, permutations.cols, permutations.row_ptr,
                                     permutations.col_ind, made->permutation, permutations.threads, &full);
    SPMM_REQUIRE(status == SPMM_OK, status, diag,
                 "out of memory for the metrics of a permutation of the rows");
    full.kind = kind;
    full.is_identity = made->permutation == NULL;
    full.units = matrix->rows;
    full.seconds = made->seconds;
    SPMM_TRY(spmmi_info_write(metrics, &full, sizeof full));
cleanup:
    spmmi_row_permutations_free(&permutations);
    return status;
}
