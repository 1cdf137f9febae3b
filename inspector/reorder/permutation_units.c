/* SPDX-License-Identifier: Apache-2.0 */
/* See permutation_units.h. */
#include "permutation_units.h"

#include <assert.h>

#include "format/base/alloc.h"
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

/* Writes the units of rows[0], rows[1], .. to permutation; the units of a row keep their order. */
static spmm_status_t units_of_rows(const struct spmmi_permutation_input *in, const uint32_t *rows,
                                   uint32_t *permutation)
{
    uint64_t *first = spmmi_alloc_zero((uint64_t)in->rows + 1, sizeof *first);
    if (first == NULL)
        return SPMM_ERR_MEMORY;
    for (uint64_t u = in->units; u > 0; u--)
        first[in->unit_row[u - 1]] = u - 1;
    uint64_t count = 0;
    for (int64_t i = 0; i < in->rows; i++) {
        for (uint64_t u = first[rows[i]]; u < in->units && in->unit_row[u] == rows[i]; u++)
            permutation[count++] = (uint32_t)u;
    }
    spmmi_free(first);
    return SPMM_OK;
}

spmm_status_t spmmi_permutation_by_rows(const struct spmmi_permutation_input *in, spmmi_reorder_fn *of_rows,
                                        uint32_t *permutation)
{
    if (in->unit_row == NULL)
        return of_rows(in, permutation);
    uint32_t *rows = spmmi_alloc((uint64_t)in->rows, sizeof *rows);
    if (rows == NULL)
        return SPMM_ERR_MEMORY;
    spmm_status_t status = of_rows(in, rows);
    if (status == SPMM_OK)
        status = units_of_rows(in, rows, permutation);
    spmmi_free(rows);
    return status;
}
