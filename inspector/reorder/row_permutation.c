/* SPDX-License-Identifier: Apache-2.0 */
/* See row_permutation.h. */
#include "row_permutation.h"

#include <assert.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "permutation_units.h"

static spmm_status_t make_permutation(const struct spmmi_row_permutations *all, spmm_reorder_t kind,
                                      struct spmmi_row_permutation *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)all->rows;
    const struct spmmi_permutation_input in = {.rows = all->rows,
                                               .cols = all->cols,
                                               .row_ptr = all->row_ptr,
                                               .col_ind = all->col_ind,
                                               .units = rows,
                                               .unit_ptr = all->row_ptr,
                                               .threads = all->threads};
    uint32_t *permutation = spmmi_alloc(rows, sizeof *permutation);
    SPMM_TRY_ALLOC(permutation, diag);
    SPMM_TRY(spmmi_permutation_units(&in, kind, permutation, diag));
    uint64_t in_order = 0;
    while (in_order < rows && permutation[in_order] == in_order)
        in_order++;
    if (in_order < rows) {
        o->permutation = permutation;
        permutation = NULL;
    }
cleanup:
    spmmi_free(permutation);
    return status;
}

spmm_status_t spmmi_row_permutation_of(struct spmmi_row_permutations *permutations, spmm_reorder_t kind,
                                       const struct spmmi_row_permutation **permutation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < permutations->count; i++) {
        if (permutations->list[i].kind == kind) {
            *permutation = &permutations->list[i];
            return SPMM_OK;
        }
    }
    assert(permutations->count < SPMMI_PERMUTATION_KINDS);
    struct spmmi_row_permutation *const o = &permutations->list[permutations->count];
    *o = (struct spmmi_row_permutation){.kind = kind};
    if (kind != SPMM_REORDER_NONE) {
        const double start = omp_get_wtime();
        SPMM_TRY(make_permutation(permutations, kind, o, diag));
        o->seconds = omp_get_wtime() - start;
    }
    permutations->count++;
    *permutation = o;
cleanup:
    return status;
}

void spmmi_row_permutations_free(struct spmmi_row_permutations *permutations)
{
    for (int i = 0; i < permutations->count; i++)
        spmmi_free(permutations->list[i].permutation);
    permutations->count = 0;
}
