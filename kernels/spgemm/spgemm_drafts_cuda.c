/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_drafts.h. */
#include "spgemm_drafts.h"

#include <stdlib.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

#define MASK_TURNS_MAX 8
#define MASK_WARPS_USUAL 8448 /* 64 per multiprocessor of an H200: twice as many as run at once */

#ifdef SPMM_TEST_HOOKS
uint64_t spmmi_spgemm_mask_warps = MASK_WARPS_USUAL;
#define MASK_WARPS spmmi_spgemm_mask_warps
#else
#define MASK_WARPS MASK_WARPS_USUAL
#endif

/* Orders items by descending steps. A list of short parts of rows takes a step for each, regardless of its
 * products. */
static int by_steps(const void *a, const void *b)
{
    const struct spgemm_draft *x = a, *y = b;
    if (x->steps != y->steps)
        return x->steps > y->steps ? -1 : 1;
    return x->item.out < y->item.out ? -1 : 1; /* within a bin, no two items have the same out */
}

/* Returns the number of items with masks that a group processes one after the other: as many as leave
 * MASK_WARPS warps, at most MASK_TURNS_MAX. */
static uint32_t turns_of(uint64_t count, uint32_t lanes)
{
    const uint64_t turns = count * lanes / 32 / MASK_WARPS;
    return turns < 1 ? 1 : turns < MASK_TURNS_MAX ? (uint32_t)turns : MASK_TURNS_MAX;
}

/* Adds a bin. Bins are ordered by descending key. Their items are ordered by row, which keeps rows of the
 * right factor in the caches; items with wide positions are ordered by steps. */
static void add_bin(struct spmmi_spgemm_items *out, uint32_t key, uint64_t first, uint64_t count,
                    uint64_t *blocks)
{
    const uint32_t choice = key % KEY_PARTIAL, is_flat = choice >= CHOICE_FLAT,
                   lanes = is_flat ? 32 : 4u << choice,
                   turns = key >= KEY_MASKED ? turns_of(count, lanes) : 0;
    struct spmmi_spgemm_bin bin = {0,
                                   (uint32_t)first,
                                   (uint32_t)count,
                                   (uint8_t)lanes,
                                   (key & KEY_WIDE) == 0,
                                   (key & KEY_LISTED) != 0,
                                   (key & KEY_PARTIAL) != 0,
                                   (uint8_t)is_flat,
                                   choice == CHOICE_OWNED,
                                   (uint8_t)turns,
                                   (key & KEY_SOLE) != 0};
    if (key >= KEY_MASKED) {
        out->masks[out->mask_count++] = bin;
    } else if (key >= KEY_GROUP) {
        out->groups[out->group_count++] = (struct spmmi_spgemm_groups){bin, key >= KEY_THREE ? 3 : 2, 0};
    } else {
        bin.first_block = (uint32_t)*blocks;
        out->bins.bin[out->bins.count++] = bin;
        *blocks += (count * lanes + SPMMI_SPGEMM_THREADS - 1) / SPMMI_SPGEMM_THREADS;
    }
}

/* Sorts the bins of groups by ascending number of items, in which order they are launched. */
static void sort_groups(struct spmmi_spgemm_items *out)
{
    for (uint32_t g = 1; g < out->group_count; g++) {
        const struct spmmi_spgemm_groups own = out->groups[g];
        uint32_t to = g;
        for (; to > 0 && out->groups[to - 1].bin.count > own.bin.count; to--)
            out->groups[to] = out->groups[to - 1];
        out->groups[to] = own;
    }
}

spmm_status_t spmmi_spgemm_drafts_sort(struct spgemm_draft **drafts, struct spmmi_spgemm_items *out,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t at[KEYS] = {0}, first = 0, blocks = 0;
    struct spgemm_draft *sorted = NULL;
    for (uint32_t i = 0; i < out->count; i++)
        at[(*drafts)[i].key]++;
    for (uint32_t key = KEYS; key-- > 0;) {
        const uint64_t count = at[key];
        if (count > 0)
            add_bin(out, key, first, count, &blocks);
        at[key] = first;
        first += count;
    }
    SPMM_REQUIRE(blocks <= INT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "the product needs %llu thread blocks, a GPU runs %d", (unsigned long long)blocks,
                 INT32_MAX);
    out->bins.blocks = (uint32_t)blocks;
    SPMM_TRY_ALLOC(sorted = spmmi_alloc(out->count, sizeof *sorted), diag);
    for (uint32_t i = 0; i < out->count; i++)
        sorted[at[(*drafts)[i].key]++] = (*drafts)[i];
    for (uint32_t b = 0; b < out->bins.count && !out->bins.bin[b].is_narrow; b++)
        qsort(sorted + out->bins.bin[b].first, out->bins.bin[b].count, sizeof *sorted, by_steps);
    for (uint32_t g = 0; g < out->group_count; g++) {
        struct spmmi_spgemm_groups *groups = &out->groups[g];
        for (uint32_t i = groups->bin.first; i < groups->bin.first + groups->bin.count; i++) {
            const uint32_t entries = SPMMI_SPGEMM_ENTRIES(sorted[i].item.counts);
            groups->entries = entries > groups->entries ? entries : groups->entries;
        }
    }
    sort_groups(out);
    spmmi_free(*drafts);
    *drafts = sorted;
cleanup:
    return status;
}

uint64_t spmmi_spgemm_drafts_masked(const struct spgemm_draft *drafts, const struct spmmi_spgemm_items *items)
{
    uint64_t products = 0;
    for (uint32_t b = 0; b < items->mask_count; b++) {
        const struct spmmi_spgemm_bin *bin = &items->masks[b];
        for (uint32_t i = bin->first; i < bin->first + bin->count; i++)
            products += drafts[i].products;
    }
    return products;
}
