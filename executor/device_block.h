/* SPDX-License-Identifier: Apache-2.0 */
/* Where device memory comes from: the caller's allocator, or the library's own (executor/cuda/cuda_memory.h). */
#ifndef SPMMI_DEVICE_BLOCK_H
#define SPMMI_DEVICE_BLOCK_H

#include <spmm/executor.h>

/* Bytes of the blocks that an object has now, and of those that it had at most. */
struct spmmi_device_count {
    _Atomic uint64_t held, peak;
};

/* Of an executor, a product or a certifier; it stays where it is while blocks of it live. */
struct spmmi_device_memory {
    spmm_device_allocator_t user; /* allocate is NULL: the library's own */
    int device;
    struct spmmi_device_count *count; /* NULL: blocks are not counted */
    uint64_t budget;                  /* most bytes of blocks that are counted; 0: no limit */
};

struct spmmi_device_block {
    void *memory; /* NULL: none */
    size_t bytes;
    void *stream; /* it may be used behind what is there, and is given back behind it */
    int is_scratch;
    const struct spmmi_device_memory *from;
};

/* A copy of the caller's allocator, checked; NULL: none. Errors: ARGUMENT. */
spmm_status_t spmmi_device_memory_open(const spmm_device_allocator_t *given, int device,
                                       struct spmmi_device_memory *memory, spmm_diag_t *diag);

#endif
