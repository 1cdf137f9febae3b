/* SPDX-License-Identifier: Apache-2.0 */
/* What the first pass of packing found out about units, for the second one: memory that threads take pieces of. */
#ifndef SPMMI_TCBLOCK_STORE_H
#define SPMMI_TCBLOCK_STORE_H

#include "format/plan.h"

#define SPMMI_STORE_MAX (UINT64_C(128) << 20) /* units beyond are read again */
#define SPMMI_STORE_ALIGN 16u

struct spmmi_tcblock_store {
    char *memory;
    uint64_t bytes, taken; /* by threads, in chunks */
    uint64_t chunk;
    const char **kept; /* of each unit; NULL: not kept */
};

/* Where a thread's chunk goes on. */
struct spmmi_tcblock_chunk {
    char *next;
    uint64_t left;
};

/* Room for units of so many bytes in all, of which it takes no more than `most`. Where that or the memory is too
 * little, nothing is kept: store->memory is NULL. Free it with spmmi_store_free. */
void spmmi_store_make(uint32_t units, uint64_t bytes, int threads, uint64_t most,
                      struct spmmi_tcblock_store *store);
void spmmi_store_free(struct spmmi_tcblock_store *store);
/* What keeps most units of this many nonzeros and rows takes: no more than SPMMI_STORE_MAX. */
uint64_t spmmi_store_wanted(uint64_t nonzeros, uint64_t rows);

/* Memory for what is known of a unit, or NULL. Several threads, each with its chunk. */
char *spmmi_store_take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_store_max_hook; /* in place of SPMMI_STORE_MAX */
extern uint64_t spmmi_store_kept_hook,
    spmmi_store_refused_hook; /* calls of spmmi_store_take that gave memory, NULL */
#endif

#endif
