/* SPDX-License-Identifier: Apache-2.0 */
/* Data and functions that the steps of spmmi_reorder_minhash share; see reorder_minhash.c. */
#ifndef SPMMI_MINHASH_H
#define SPMMI_MINHASH_H

#include <stdbool.h>
#include <stdint.h>

#include <spmm/common.h>

#include "inspector/analysis/radix_sort.h"

#define SPMMI_MINHASH_HASHES 16   /* min-hashes per node: one cache line */
#define SPMMI_MINHASH_BANDS 8     /* bands; a band is two min-hashes, and their smaller one is a sort key */
#define SPMMI_MINHASH_EDGES 3     /* best candidates per node that are compared */
#define SPMMI_MINHASH_LEVELS 1024 /* similarity is quantized to this many levels */
#define SPMMI_MINHASH_GRAIN 4096  /* fewer units are processed by one thread */
#define SPMMI_MINHASH_NONE UINT32_MAX /* marks an absent unit, node or hash */

struct spmmi_minhash {
    uint64_t units;
    int64_t cols;
    const int64_t *unit_ptr;
    const int32_t *col_ind;
    int threads; /* at most SPMMI_MINHASH_BANDS */
    uint32_t nodes;
    uint32_t *next; /* the next unit in the list of the same node; SPMMI_MINHASH_NONE: last */
    /* Per node: first and last unit of its list, number of its units, and the node that it was joined to. */
    uint32_t *head, *tail, *size, *parent;
    uint32_t (*hashes)[SPMMI_MINHASH_HASHES]; /* SPMMI_MINHASH_NONE: no column maps to this hash */
    /* Data of the current round. signature: one byte per min-hash, 0 if the hash is absent. keys: the keys of
     * all nodes, band by band. behind: for each band, the next node with the same key in sorted order. */
    uint8_t (*signature)[SPMMI_MINHASH_HASHES];
    uint32_t *keys;
    uint32_t (*behind)[SPMMI_MINHASH_BANDS];
    uint64_t (*near)
        [SPMMI_MINHASH_EDGES]; /* the best candidates as similarity << 32 | ~node; 0: none, at the end */
    uint64_t *sorted, *spare;  /* `units` values per thread */
    uint8_t *marks; /* cols bytes per thread, zero between nodes; NULL: there are too many columns */
};

static inline int64_t spmmi_minhash_length(const struct spmmi_minhash *w, uint32_t unit)
{
    return w->unit_ptr[unit + UINT64_C(1)] - w->unit_ptr[unit];
}

static inline const int32_t *spmmi_minhash_columns(const struct spmmi_minhash *w, uint32_t unit)
{
    return w->col_ind + w->unit_ptr[unit];
}

/* Groups units with equal patterns into nodes, ordered by their first unit. Sets node_of[unit] to the node of
 * each unit, or SPMMI_MINHASH_NONE if the unit has no nonzeros. sorted and spare must be allocated for at
 * least one thread. Errors: MEMORY. */
spmm_status_t spmmi_minhash_find_nodes(struct spmmi_minhash *w, uint32_t *node_of);
/* Frees all arrays of w. Also valid after an error, when some are not allocated. */
void spmmi_minhash_free(struct spmmi_minhash *w);
/* Computes the min-hashes of each node from the pattern of its first unit. */
void spmmi_minhash_hash_nodes(struct spmmi_minhash *w);

/* Finds the best candidates of each node and stores them in near[node]; similarity 0 means no edge. exact:
 * similarity is computed from the patterns of the first units, otherwise it is estimated from min-hashes. */
void spmmi_minhash_candidates(struct spmmi_minhash *w, bool exact);

#endif
