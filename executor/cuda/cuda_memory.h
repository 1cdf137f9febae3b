/* SPDX-License-Identifier: Apache-2.0 */
/* All memory of a GPU is taken here: from the caller's allocator where there is one, else by cudaMalloc or from the
 * library's pool (cuda_pool.h). */
#ifndef SPMMI_CUDA_MEMORY_H
#define SPMMI_CUDA_MEMORY_H

#include "executor/device_block.h"

#define SPMMI_DEVICE_ALIGN 256u /* of every block */

/* A block of the current device, which is that of `from`, to use behind what is in the stream. Without bytes there is
 * no block, and its address is NULL. *block is empty after an error. Errors: DEVICE_MEMORY, DEVICE; ARGUMENT where the
 * caller's allocator breaks its promise. */
spmm_status_t spmmi_device_take(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                struct spmmi_device_block *block, spmm_diag_t *diag);
/* The same of memory that is given back soon. */
spmm_status_t spmmi_device_take_scratch(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                        struct spmmi_device_block *block, spmm_diag_t *diag);
/* Gives it back behind what is in its stream, and empties *block; an empty one is fine. Any device is current. */
void spmmi_device_release(struct spmmi_device_block *block);

#endif
