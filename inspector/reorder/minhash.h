/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of spmmi_reorder_minhash share; see reorder_minhash.c. */
#ifndef SPMMI_MINHASH_H
#define SPMMI_MINHASH_H

#include <stdbool.h>
#include <stdint.h>

#include <spmm/common.h>

#include "inspector/analysis/radix_sort.h"

#define SPMMI_MINHASH_HASHES 16       /* min-hashes of a node: one cache line */
#define SPMMI_MINHASH_BANDS 8         /* bands: pairs of them, whose smaller hash is a sort key */
#define SPMMI_MINHASH_EDGES 3         /* best candidates of a node that are compared */
#define SPMMI_MINHASH_LEVELS 1024     /* steps of similarity */
#define SPMMI_MINHASH_GRAIN 4096      /* units below which one thread does it all */
#define SPMMI_MINHASH_NONE UINT32_MAX /* marks no unit, no node */

struct spmmi_minhash {
    uint64_t units;
    int64_t cols;
    const int64_t *unit_ptr;
    const int32_t *col_ind;
    int threads; /* at most SPMMI_MINHASH_BANDS */
    uint32_t nodes;
    uint32_t *next; /* unit behind a unit in its list; SPMMI_MINHASH_NONE: the last one */
    /* Of a node: the list of its units, how many they are, the node that it was joined to. */
    uint32_t *head, *tail, *size, *parent;
    uint32_t (*hashes)[SPMMI_MINHASH_HASHES]; /* SPMMI_MINHASH_NONE: no column fell there */
    /* Of this round: a byte of each hash, 0 for none; the keys of all nodes, band by band; candidates: the nodes that
     * follow with the same key in each sorted band. */
    uint8_t (*signature)[SPMMI_MINHASH_HASHES];
    uint32_t *keys;
    uint32_t (*behind)[SPMMI_MINHASH_BANDS];
    uint64_t (*near)
        [SPMMI_MINHASH_EDGES]; /* similarity, then ~node, so that the best one is the largest; 0: none */
    uint64_t *sorted, *spare;  /* units of each thread */
    uint8_t *marks;            /* cols of each thread, zero between nodes; NULL: too many */
};

static inline int64_t spmmi_minhash_length(const struct spmmi_minhash *w, uint32_t unit)
{
    return w->unit_ptr[unit + UINT64_C(1)] - w->unit_ptr[unit];
}

static inline const int32_t *spmmi_minhash_columns(const struct spmmi_minhash *w, uint32_t unit)
{
    return w->col_ind + w->unit_ptr[unit];
}

/* Makes nodes of the units of each pattern, by ascending first unit, and says of which node each unit is;
 * SPMMI_MINHASH_NONE: it has no nonzeros. sorted and spare are there, of one thread at least. Errors: MEMORY. */
spmm_status_t spmmi_minhash_find_nodes(struct spmmi_minhash *w, uint32_t *node_of);
/* All its arrays, as far as they are there; after an error too. */
void spmmi_minhash_free(struct spmmi_minhash *w);
/* Min-hashes of the pattern of each node's first unit. */
void spmmi_minhash_hash_nodes(struct spmmi_minhash *w);

/* near[node]: (similarity in SPMMI_MINHASH_LEVELS steps, ~node) of the best candidates; similarity 0 is no edge. exact:
 * by the patterns of the first units, else by min-hashes. */
void spmmi_minhash_candidates(struct spmmi_minhash *w, bool exact);

#endif
