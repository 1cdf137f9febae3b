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

/* Room for units of so many bytes in all, or less. Errors: MEMORY. Free it, also after an error. */
spmm_status_t spmmi_store_make(uint32_t units, uint64_t bytes, int threads, struct spmmi_tcblock_store *store,
                               spmm_diag_t *diag);
void spmmi_store_free(struct spmmi_tcblock_store *store);
/* Bytes of that room. */
uint64_t spmmi_store_bytes(uint32_t units, uint64_t bytes, int threads);

/* Memory for what is known of a unit, or NULL. Several threads, each with its chunk. */
char *spmmi_store_take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_store_max_hook; /* in place of SPMMI_STORE_MAX */
#endif

#endif
