/* SPDX-License-Identifier: Apache-2.0 */
/* See permutation_units.h. */
#include "permutation_units.h"

#include <assert.h>

#include "format/base/diag.h"

static const struct spmmi_reorder_ops permutations[] = {
#define WORD(...)
#define PERMUTATION(name, id, number, feature, matrices, units_max, instead, text) \
    {(spmm_reorder_t)(number),                                                     \
     #name,                                                                        \
     {SPMMI_MATRICES_##matrices, units_max, instead},                              \
     spmmi_permutation_##name},
#include "format/permutation_list.def"
#undef WORD
#undef PERMUTATION
};

const struct spmmi_reorder_ops *spmmi_reorder_of(spmm_reorder_t kind)
{
    for (size_t i = 0; i < sizeof permutations / sizeof permutations[0]; i++)
        if (permutations[i].id == kind)
            return &permutations[i];
    return NULL;
}

spmm_status_t spmmi_permutation_check(spmm_reorder_t kind, int64_t rows, int64_t cols, uint64_t units,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reorder_ops *const ops = spmmi_reorder_of(kind);
    if (ops == NULL)
        goto cleanup;
    SPMM_REQUIRE(!ops->limits.is_square || rows == cols, SPMM_ERR_ARGUMENT, diag,
                 "reorder %s needs a square matrix, found %lld x %lld: %s is for any", ops->name,
                 (long long)rows, (long long)cols, ops->limits.instead);
    SPMM_REQUIRE(ops->limits.units == 0 || units <= (uint64_t)ops->limits.units, SPMM_ERR_ARGUMENT, diag,
                 "reorder %s is for at most %lld rows or segments, found %llu: %s is for any number",
                 ops->name, (long long)ops->limits.units, (unsigned long long)units, ops->limits.instead);
cleanup:
    return status;
}

spmm_status_t spmmi_permutation_units(const struct spmmi_permutation_input *in, spmm_reorder_t kind,
                                      uint32_t *permutation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reorder_ops *const ops = spmmi_reorder_of(kind);
    assert(ops != NULL && "no permutation to make");
    SPMM_TRY(spmmi_permutation_check(kind, in->rows, in->cols, in->units, diag));
    status = ops->make(in, permutation);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the permutation of the rows");
cleanup:
    return status;
}
