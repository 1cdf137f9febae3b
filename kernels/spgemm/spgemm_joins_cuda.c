/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_joins.h. */
#include "spgemm_joins.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_longs.h"

/* Entries of a row that was cut which one block adds. */
static int64_t join_slice(const struct spmmi_spgemm_cut *cut)
{
    return spmmi_spgemm_join_width((uint32_t)cut->pieces);
}

/* Slices of all rows that are not pulled; joins NULL: they are only counted. */
static uint64_t cut_slices(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                           struct spmmi_spgemm_join *joins)
{
    uint64_t count = 0;
    for (int64_t r = 0; r < s->cut_count; r++) {
        const struct spmmi_spgemm_cut *cut = &s->cuts[r];
        const int64_t first = s->c.row_ptr[cut->row], end = s->c.row_ptr[cut->row + 1],
                      slice = join_slice(cut);
        if (is_pulled != NULL && is_pulled[cut->row])
            continue;
        for (int64_t q = first, own; (own = spmmi_spgemm_next_slice(s, &q, end, slice)) > 0; q += own) {
            if (joins != NULL)
                joins[count] =
                    (struct spmmi_spgemm_join){(uint32_t)q, (uint32_t)(cut->partial + q - first),
                                               (uint32_t)own, (uint32_t)(end - first), (uint32_t)cut->pieces};
            count++;
        }
    }
    return count;
}

uint64_t spmmi_spgemm_joins_count(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled)
{
    return cut_slices(s, is_pulled, NULL);
}

spmm_status_t spmmi_spgemm_joins_make(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                                      struct spmmi_spgemm_items *out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_ALLOC(out->joins = spmmi_alloc(spmmi_spgemm_joins_count(s, is_pulled), sizeof *out->joins),
                   diag);
    out->join_count = (uint32_t)cut_slices(s, is_pulled, out->joins);
cleanup:
    return status;
}
