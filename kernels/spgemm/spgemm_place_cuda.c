/* SPDX-License-Identifier: Apache-2.0 */
/* Where the positions of items lie: items that are alike share them. See spgemm_items.h. */
#include "spgemm_items.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"

/* Items seen so far, by hash: a table of item numbers + 1. */
struct seen {
    uint32_t *slots;
    uint64_t mask;
};

static uint64_t width_of(const struct spmmi_spgemm_items *items, uint32_t i)
{
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(items->items[i].counts);
    return entries <= SPMMI_SPGEMM_NARROW ? 1 : 2;
}

/* The first item like this one; itself, if there is none. */
static uint32_t first_like(struct seen *seen, const struct spmmi_spgemm_items *items,
                           const unsigned long long *hashes, uint32_t i)
{
    uint64_t at = (hashes[i] + items->products[i]) & seen->mask;
    while (seen->slots[at] != 0) {
        const uint32_t other = seen->slots[at] - 1;
        if (hashes[other] == hashes[i] && items->products[other] == items->products[i] &&
            width_of(items, other) == width_of(items, i))
            return other;
        at = (at + 1) & seen->mask;
    }
    seen->slots[at] = i + 1;
    return i;
}

spmm_status_t spmmi_spgemm_items_place(struct spmmi_spgemm_items *items, const unsigned long long *hashes,
                                       uint8_t *writes, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct seen seen = {.slots = NULL, .mask = 1};
    uint64_t units = 0;
    while (seen.mask < 2 * (uint64_t)items->count)
        seen.mask *= 2;
    SPMM_TRY_ALLOC(seen.slots = spmmi_alloc_zero(seen.mask, sizeof *seen.slots), diag);
    seen.mask--;
    for (uint32_t i = 0; i < items->count; i++) {
        const uint32_t like = hashes != NULL ? first_like(&seen, items, hashes, i) : i;
        writes[i] = like == i;
        items->items[i].position = like == i ? (uint32_t)units : items->items[like].position;
        if (like == i)
            units += (items->products[i] * width_of(items, i) + SPMMI_SPGEMM_POSITION_UNIT - 1) /
                     SPMMI_SPGEMM_POSITION_UNIT;
        SPMM_REQUIRE(units <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                     "positions of the product take more than %llu bytes",
                     (unsigned long long)UINT32_MAX * SPMMI_SPGEMM_POSITION_UNIT);
    }
    *bytes = units * SPMMI_SPGEMM_POSITION_UNIT;
cleanup:
    spmmi_free(seen.slots);
    return status;
}
