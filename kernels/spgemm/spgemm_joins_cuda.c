/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_joins.h. */
#include "spgemm_joins.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"

/* Entries of a row that was cut which one block adds. */
static int64_t join_slice(const struct spmmi_spgemm_cut *cut)
{
    return spmmi_spgemm_join_width((uint32_t)cut->pieces);
}

uint64_t spmmi_spgemm_joins_count(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled)
{
    const int64_t *c = s->c.row_ptr;
    uint64_t count = 0;
    for (int64_t r = 0; r < s->cut_count; r++) {
        const int64_t slice = join_slice(&s->cuts[r]), row = s->cuts[r].row;
        if (is_pulled == NULL || !is_pulled[row])
            count += (uint64_t)((c[row + 1] - c[row] + slice - 1) / slice);
    }
    return count;
}

spmm_status_t spmmi_spgemm_joins_make(const struct spmmi_spgemm_stage *s, const uint8_t *is_pulled,
                                      struct spmmi_spgemm_items *out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t *c = s->c.row_ptr;
    SPMM_TRY_ALLOC(out->joins = spmmi_alloc(spmmi_spgemm_joins_count(s, is_pulled), sizeof *out->joins),
                   diag);
    for (int64_t r = 0; r < s->cut_count; r++) {
        const struct spmmi_spgemm_cut *cut = &s->cuts[r];
        const int64_t first = c[cut->row], entries = c[cut->row + 1] - first, slice = join_slice(cut);
        const int is_whole = is_pulled != NULL && is_pulled[cut->row];
        for (int64_t e = 0; e < entries && !is_whole; e += slice)
            out->joins[out->join_count++] =
                (struct spmmi_spgemm_join){(uint32_t)(first + e), (uint32_t)(cut->partial + e),
                                           (uint32_t)(entries - e < slice ? entries - e : slice),
                                           (uint32_t)entries, (uint32_t)cut->pieces};
    }
cleanup:
    return status;
}
