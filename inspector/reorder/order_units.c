/* SPDX-License-Identifier: Apache-2.0 */
/* See order_units.h. */
#include "order_units.h"

#include <assert.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "reorder_jaccard.h"
#include "reorder_minhash.h"
#include "reorder_radix.h"
#include "reorder_rcm.h"

/* Units of rows[count], row by row. */
static spmm_status_t units_of_rows(const struct spmmi_order_input *in, const uint32_t *rows, uint32_t *order)
{
    uint64_t *first = spmmi_alloc_zero((uint64_t)in->rows + 1, sizeof *first);
    if (first == NULL)
        return SPMM_ERR_MEMORY;
    for (uint64_t u = in->units; u > 0; u--)
        first[in->unit_row[u - 1]] = u - 1;
    uint64_t count = 0;
    for (int64_t i = 0; i < in->rows; i++) {
        for (uint64_t u = first[rows[i]]; u < in->units && in->unit_row[u] == rows[i]; u++)
            order[count++] = (uint32_t)u;
    }
    spmmi_free(first);
    return SPMM_OK;
}

static spmm_status_t order_by_rcm(const struct spmmi_order_input *in, uint32_t *order)
{
    if (in->unit_row == NULL)
        return spmmi_reorder_rcm(in->rows, in->cols, in->row_ptr, in->col_ind, order);
    uint32_t *rows = spmmi_alloc((uint64_t)in->rows, sizeof *rows);
    if (rows == NULL)
        return SPMM_ERR_MEMORY;
    spmm_status_t status = spmmi_reorder_rcm(in->rows, in->cols, in->row_ptr, in->col_ind, rows);
    if (status == SPMM_OK)
        status = units_of_rows(in, rows, order);
    spmmi_free(rows);
    return status;
}

spmm_status_t spmmi_order_check(spmm_reorder_t kind, int64_t rows, int64_t cols, uint64_t units,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(kind != SPMM_REORDER_RCM || rows == cols, SPMM_ERR_ARGUMENT, diag,
                 "reorder rcm needs a square matrix, found %lld x %lld: minhash is for any", (long long)rows,
                 (long long)cols);
    SPMM_REQUIRE(kind != SPMM_REORDER_JACCARD || units <= SPMMI_JACCARD_UNITS_MAX, SPMM_ERR_ARGUMENT, diag,
                 "reorder jaccard is for at most %u rows or segments, found %llu: minhash is for any number",
                 SPMMI_JACCARD_UNITS_MAX, (unsigned long long)units);
cleanup:
    return status;
}

spmm_status_t spmmi_order_units(const struct spmmi_order_input *in, spmm_reorder_t kind, uint32_t *order,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_order_check(kind, in->rows, in->cols, in->units, diag));
    switch (kind) {
    case SPMM_REORDER_RADIX:
        status = spmmi_reorder_radix(in->units, in->unit_ptr, in->col_ind, in->threads, order);
        break;
    case SPMM_REORDER_JACCARD:
        status =
            spmmi_reorder_jaccard(in->units, in->cols, in->unit_ptr, in->col_ind, SPMMI_ORDER_TAU, 1, order);
        break;
    case SPMM_REORDER_MINHASH:
        status = spmmi_reorder_minhash(in->units, in->cols, in->unit_ptr, in->col_ind, in->threads, order);
        break;
    case SPMM_REORDER_RCM:
        status = order_by_rcm(in, order);
        break;
    case SPMM_REORDER_AUTO:
    case SPMM_REORDER_NONE:
        assert(0 && "no order to make");
    }
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the order of the rows");
cleanup:
    return status;
}
