/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps results of the first pass of packing about units for the second pass. Threads
 * take pieces of its memory. */
#ifndef SPMMI_TCBLOCK_STORE_H
#define SPMMI_TCBLOCK_STORE_H

#include "format/plan.h"

#define SPMMI_STORE_MAX (UINT64_C(128) << 20) /* units that do not fit are read again */
#define SPMMI_STORE_ALIGN 16u

struct spmmi_tcblock_store {
    char *memory;
    uint64_t bytes, taken; /* size of memory; bytes that threads have taken, in chunks */
    uint64_t chunk;
    const char **kept; /* per unit; NULL: not kept */
};

/* The unused rest of a thread's chunk. */
struct spmmi_tcblock_chunk {
    char *next;
    uint64_t left;
};

/* Allocates memory for units of `bytes` bytes in total, but at most `most`. If that is too little or the
 * allocation fails, nothing is kept and store->memory is NULL. Free with spmmi_store_free. */
void spmmi_store_make(uint32_t units, uint64_t bytes, int threads, uint64_t most,
                      struct spmmi_tcblock_store *store);
void spmmi_store_free(struct spmmi_tcblock_store *store);
/* Returns the bytes that suffice to keep most units with this number of nonzeros and
 * rows, at most SPMMI_STORE_MAX. */
uint64_t spmmi_store_wanted(uint64_t nonzeros, uint64_t rows);

/* Returns memory to keep a unit, or NULL. Thread-safe if each thread has its own chunk. */
char *spmmi_store_take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_store_max_hook; /* replaces SPMMI_STORE_MAX */
extern uint64_t spmmi_store_kept_hook,
    spmmi_store_refused_hook; /* calls of spmmi_store_take that returned memory, or NULL */
#endif

#endif
