/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_joins.h. */
#include "spgemm_joins.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_longs.h"

/* Cuts the `count` entries from q on of a cut row into blocks of spmmi_spgemm_join_width entries. Returns the
 * number of blocks. */
static uint64_t cut_slice(const struct spmmi_spgemm_cut *cut, const int64_t *row, int64_t q, int64_t count,
                          struct spmmi_spgemm_join *joins)
{
    const int64_t width = spmmi_spgemm_join_width((uint32_t)cut->pieces);
    for (int64_t at = 0; joins != NULL && at < count; at += width)
        joins[at / width] =
            (struct spmmi_spgemm_join){(uint32_t)(q + at), (uint32_t)(cut->partial + q + at - row[0]),
                                       (uint32_t)(count - at < width ? count - at : width),
                                       (uint32_t)(row[1] - row[0]), (uint32_t)cut->pieces};
    return (uint64_t)((count + width - 1) / width);
}

/* Makes the slices of all rows that are not pulled. If joins is NULL, they are only counted. */
static uint64_t cut_slices(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                           const struct spmmi_spgemm_soles *soles, struct spmmi_spgemm_join *joins)
{
    uint64_t count = 0;
    for (int64_t r = 0; r < s->cut_count; r++) {
        const struct spmmi_spgemm_cut *cut = &s->cuts[r];
        const int64_t *row = &s->c.row_ptr[cut->row], most = spmmi_spgemm_slice_of(row[1] - row[0]);
        if (is_pulled != NULL && is_pulled[cut->row])
            continue;
        for (int64_t q = row[0], own; (own = spmmi_spgemm_next_slice(s, &q, row[1], most)) > 0; q += own)
            if (spmmi_spgemm_sole_piece(soles, q) < 0)
                count += cut_slice(cut, row, q, own, joins != NULL ? joins + count : NULL);
    }
    return count;
}

uint64_t spmmi_spgemm_joins_count(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                                  const struct spmmi_spgemm_soles *soles)
{
    return cut_slices(s, is_pulled, soles, NULL);
}

spmm_status_t spmmi_spgemm_joins_make(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                                      const struct spmmi_spgemm_soles *soles, struct spmmi_spgemm_items *out,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_ALLOC(
        out->joins = spmmi_alloc(spmmi_spgemm_joins_count(s, is_pulled, soles), sizeof *out->joins), diag);
    out->join_count = (uint32_t)cut_slices(s, is_pulled, soles, out->joins);
cleanup:
    return status;
}
