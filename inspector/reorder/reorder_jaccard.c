/* SPDX-License-Identifier: Apache-2.0 */
/* See reorder_jaccard.h. The number of blocks that each unit shares with the cluster is updated as the
 * cluster grows: a block that is new to the cluster adds one to every unit that holds the block. No two
 * patterns are ever compared. */
#include "reorder_jaccard.h"

#include <stdbool.h>

#include "format/base/alloc.h"
#include "format/matrix/numbered_columns.h"
#include "permutation_units.h"

struct clustering {
    uint64_t count, blocks;
    uint32_t delta;
    const int64_t *unit_ptr;
    const int32_t *col_ind;
    /* Blocks + 1 values; the units of block b are members[block_ptr[b] .. block_end[b]]. */
    int64_t *block_ptr;
    int64_t *block_end;  /* decreases as units that have joined a cluster are removed */
    uint32_t *members;   /* ascending in each block */
    uint32_t *last_seen; /* per block: the last cluster, or 1 + the last unit, that held it */
    uint32_t *length;    /* per unit: number of its blocks */
    uint32_t *shared;    /* per unit: number of blocks that it shares with the current cluster */
    bool *is_taken;      /* per unit: it has joined a cluster */
    uint32_t cluster;    /* number of the current cluster, from 1 */
    uint32_t size;       /* number of blocks of the current cluster */
};

/* Returns true for the first nonzero of a unit in a block. Updates last_seen. */
static bool is_first(struct clustering *c, uint32_t block, uint64_t unit)
{
    const bool is_new = c->last_seen[block] != unit + 1;
    c->last_seen[block] = (uint32_t)unit + 1;
    return is_new;
}

/* Counts the blocks of each unit in `length` and the units of block b in block_ptr[b + 1]. Returns their
 * sum. */
static int64_t count_blocks(struct clustering *c)
{
    int64_t sum = 0;
    for (uint64_t u = 0; u < c->count; u++) {
        for (int64_t p = c->unit_ptr[u]; p < c->unit_ptr[u + 1]; p++) {
            const uint32_t block = (uint32_t)c->col_ind[p] / c->delta;
            if (!is_first(c, block, u))
                continue;
            c->block_ptr[block + UINT64_C(1)]++;
            c->length[u]++;
            sum++;
        }
    }
    return sum;
}

static void write_members(struct clustering *c)
{
    for (uint64_t b = 0; b < c->blocks; b++) {
        c->block_ptr[b + 1] += c->block_ptr[b];
        c->block_end[b] = c->block_ptr[b];
        c->last_seen[b] = 0;
    }
    for (uint64_t u = 0; u < c->count; u++) {
        for (int64_t p = c->unit_ptr[u]; p < c->unit_ptr[u + 1]; p++) {
            const uint32_t block = (uint32_t)c->col_ind[p] / c->delta;
            if (is_first(c, block, u))
                c->members[c->block_end[block]++] = (uint32_t)u;
        }
    }
    for (uint64_t b = 0; b < c->blocks; b++)
        c->last_seen[b] = 0;
}

static spmm_status_t prepare(struct clustering *c)
{
    c->block_ptr = spmmi_alloc_zero(c->blocks + 1, sizeof *c->block_ptr);
    c->block_end = spmmi_alloc(c->blocks, sizeof *c->block_end);
    c->last_seen = spmmi_alloc_zero(c->blocks, sizeof *c->last_seen);
    c->length = spmmi_alloc_zero(c->count, sizeof *c->length);
    c->shared = spmmi_alloc_zero(c->count, sizeof *c->shared);
    c->is_taken = spmmi_alloc_zero(c->count, sizeof *c->is_taken);
    if (c->block_ptr == NULL || c->block_end == NULL || c->last_seen == NULL || c->length == NULL ||
        c->shared == NULL || c->is_taken == NULL)
        return SPMM_ERR_MEMORY;
    c->members = spmmi_alloc((uint64_t)count_blocks(c), sizeof *c->members);
    if (c->members == NULL)
        return SPMM_ERR_MEMORY;
    write_members(c);
    return SPMM_OK;
}

/* Adds one shared block to each unit of a block that is new to the cluster. Removes units that have joined a
 * cluster from the block. */
static void share(struct clustering *c, uint32_t block)
{
    int64_t kept = c->block_ptr[block];
    for (int64_t p = kept; p < c->block_end[block]; p++) {
        const uint32_t unit = c->members[p];
        if (c->is_taken[unit])
            continue;
        c->members[kept++] = unit;
        c->shared[unit]++;
    }
    c->block_end[block] = kept;
}

static void join(struct clustering *c, uint32_t unit)
{
    c->is_taken[unit] = true;
    for (int64_t p = c->unit_ptr[unit]; p < c->unit_ptr[unit + INT64_C(1)]; p++) {
        const uint32_t block = (uint32_t)c->col_ind[p] / c->delta;
        if (c->last_seen[block] == c->cluster)
            continue;
        c->last_seen[block] = c->cluster;
        c->size++;
        share(c, block);
    }
}

/* Returns true if the distance 1 - both / either of a unit to the cluster is less than tau. similarity is 1 -
 * tau. */
static bool is_near(const struct clustering *c, uint32_t unit, double similarity)
{
    const uint64_t both = c->shared[unit], either = (uint64_t)c->length[unit] + c->size - both;
    return either == 0 ? similarity < 1 : (double)both > similarity * (double)either;
}

/* Grows one cluster from left[0]. left[*count] holds the units without a cluster, ascending. Moves the units
 * of the cluster to out, and returns their number. */
static uint64_t grow(struct clustering *c, double similarity, uint32_t *left, uint64_t *count, uint32_t *out)
{
    uint64_t kept = 0, joined = 0;
    c->cluster++;
    c->size = 0;
    join(c, left[0]);
    out[joined++] = left[0];
    for (uint64_t i = 1; i < *count; i++) {
        const uint32_t unit = left[i];
        if (is_near(c, unit, similarity)) {
            join(c, unit);
            out[joined++] = unit;
        } else {
            left[kept++] = unit;
        }
    }
    for (uint64_t i = 0; i < kept; i++)
        c->shared[left[i]] = 0;
    *count = kept;
    return joined;
}

static void free_clustering(struct clustering *c)
{
    spmmi_free(c->members);
    spmmi_free(c->is_taken);
    spmmi_free(c->shared);
    spmmi_free(c->length);
    spmmi_free(c->last_seen);
    spmmi_free(c->block_end);
    spmmi_free(c->block_ptr);
}

spmm_status_t spmmi_reorder_jaccard(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, double tau, uint32_t delta, uint32_t *permutation)
{
    if (!(tau >= 0 && tau <= 1) || delta == 0)
        return SPMM_ERR_ARGUMENT;
    if (count > SPMMI_JACCARD_UNITS_MAX)
        return SPMM_ERR_MATRIX_TOO_LARGE;
    struct clustering c = {.count = count, .delta = delta, .unit_ptr = unit_ptr};
    struct spmmi_numbered_columns columns = spmmi_columns_own(cols, col_ind);
    spmm_status_t status = SPMM_OK;
    uint32_t *left = spmmi_alloc(count, sizeof *left);
    if (spmmi_columns_are_many(cols / delta, unit_ptr[count]))
        status = spmmi_columns_number(&columns, unit_ptr[count], (int32_t)delta, 1);
    c.col_ind = columns.col_ind;
    c.blocks = ((uint64_t)columns.cols + delta - 1) / delta;
    if (left == NULL)
        status = SPMM_ERR_MEMORY;
    if (status != SPMM_OK || (status = prepare(&c)) != SPMM_OK)
        goto cleanup;
    for (uint64_t u = 0; u < count; u++)
        left[u] = (uint32_t)u;
    for (uint64_t done = 0, remain = count; remain > 0;)
        done += grow(&c, 1 - tau, left, &remain, permutation + done);
cleanup:
    free_clustering(&c);
    spmmi_numbered_columns_free(&columns);
    spmmi_free(left);
    return status;
}

spmm_status_t spmmi_permutation_jaccard(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_reorder_jaccard(in->units, in->cols, in->unit_ptr, in->col_ind, SPMMI_PERMUTATION_TAU, 1,
                                 permutation);
}
