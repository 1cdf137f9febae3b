/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_units.h. */
#include "tiled_units.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "format/matrix/units.h"

/* The caller has checked that everything fits 32 bits. */
static void rows_fill(int64_t rows, const int64_t *row_ptr, struct spmmi_tiled_units *units)
{
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        units->begin[i] = (uint32_t)row_ptr[i];
        units->target[i] = (uint32_t)i;
    }
    units->begin[rows] = (uint32_t)row_ptr[rows];
}

static void segments_fill(int64_t rows, const int64_t *row_ptr, const struct spmmi_part *part,
                          struct spmmi_tiled_units *units)
{
    uint32_t unit = 0, partial = 0, split = 0;
    for (int64_t i = 0; i < rows; i++) {
        const uint32_t segments = (uint32_t)spmmi_units_of_row(row_ptr[i + 1] - row_ptr[i], part->item_size);
        if (segments > 1)
            units->splits[split++] = (struct spmmi_tiled_split){(uint32_t)i, partial, segments};
        for (uint32_t s = 0; s < segments; s++) {
            units->begin[unit] = (uint32_t)(row_ptr[i] + (int64_t)s * part->item_size);
            units->target[unit++] = segments > 1 ? SPMMI_TILED_PARTIAL | partial++ : (uint32_t)i;
        }
    }
    units->begin[unit] = (uint32_t)row_ptr[rows];
}

spmm_status_t spmmi_tiled_units_make(int64_t rows, const int64_t *row_ptr, const struct spmmi_part *part,
                                     struct spmmi_tiled_units *units, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = spmmi_units_count(rows, row_ptr, part->item_size);
    uint64_t partials = 0, splits = 0;
    memset(units, 0, sizeof *units);
    for (int64_t i = 0; part->item_size > 0 && i < rows; i++) {
        const uint64_t segments = spmmi_units_of_row(row_ptr[i + 1] - row_ptr[i], part->item_size);
        partials += segments > 1 ? segments : 0;
        splits += segments > 1;
    }
    SPMM_REQUIRE(row_ptr[rows] <= UINT32_MAX && count <= UINT32_MAX - SPMMI_BLOCK_ROWS_MAX &&
                     partials < SPMMI_TILED_PARTIAL - 1,
                 SPMM_ERR_TOO_LARGE, diag, "%lld nonzeros in %llu units are more than 32 bits can index",
                 (long long)row_ptr[rows], (unsigned long long)count);
    SPMM_REQUIRE(count == part->item_count, SPMM_ERR_INTERNAL, diag, "a part has %llu items for %llu units",
                 (unsigned long long)part->item_count, (unsigned long long)count);
    units->count = (uint32_t)count;
    units->partial_count = (uint32_t)partials;
    units->split_count = (uint32_t)splits;
    SPMM_TRY_ALLOC(units->begin = spmmi_alloc(count + 1, sizeof *units->begin), diag);
    SPMM_TRY_ALLOC(units->target = spmmi_alloc(count, sizeof *units->target), diag);
    SPMM_TRY_ALLOC(units->splits = spmmi_alloc(splits, sizeof *units->splits), diag);
    if (part->item_size == 0)
        rows_fill(rows, row_ptr, units);
    else
        segments_fill(rows, row_ptr, part, units);
cleanup:
    if (status != SPMM_OK)
        spmmi_tiled_units_free(units);
    return status;
}

void spmmi_tiled_units_free(struct spmmi_tiled_units *units)
{
    spmmi_free(units->splits);
    spmmi_free(units->target);
    spmmi_free(units->begin);
    memset(units, 0, sizeof *units);
}
