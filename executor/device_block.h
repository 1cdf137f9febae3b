/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of device memory: the caller's allocator, or the library's own (executor/cuda/cuda_memory.h). */
#ifndef SPMMI_DEVICE_BLOCK_H
#define SPMMI_DEVICE_BLOCK_H

#include <spmm/executor.h>

/* Bytes of all blocks that an object holds, now and at most so far. */
struct spmmi_device_count {
    _Atomic uint64_t held, peak;
};

/* Source of device memory of an executor, a product or a certifier. Must not move while its blocks live. */
struct spmmi_device_memory {
    spmm_device_allocator_t user; /* allocate is NULL: the library's own allocator is used */
    int device;
    struct spmmi_device_count *count; /* NULL: blocks are not counted */
    uint64_t budget;                  /* maximum bytes of counted blocks; 0: no limit */
};

struct spmmi_device_block {
    void *memory; /* NULL: none */
    size_t bytes;
    void *stream; /* work that uses or frees the block is ordered after earlier work in this stream */
    int is_scratch;
    const struct spmmi_device_memory *from;
};

/* Initializes *memory with a checked copy of the caller's allocator; given NULL: none. Errors: ARGUMENT. */
spmm_status_t spmmi_device_memory_open(const spmm_device_allocator_t *given, int device,
                                       struct spmmi_device_memory *memory, spmm_diag_t *diag);

#endif
