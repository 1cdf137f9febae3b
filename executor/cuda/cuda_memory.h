/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates all GPU memory of the library: from the caller's allocator if there is one, else by cudaMalloc or
 * from the library's pool (cuda_pool.h). */
#ifndef SPMMI_CUDA_MEMORY_H
#define SPMMI_CUDA_MEMORY_H

#include "executor/device_block.h"

#define SPMMI_DEVICE_ALIGN 256u /* alignment of every block */

/* Allocates a block of the current device, which must be from->device, to be used after the work in the
 * stream. With 0 bytes *block is empty, and its address is NULL; so it is after an error. Errors:
 * DEVICE_MEMORY, DEVICE, PLAN_BUDGET; ARGUMENT: the caller's allocator returned an unaligned address. */
spmm_status_t spmmi_device_take(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                struct spmmi_device_block *block, spmm_diag_t *diag);
/* The same for memory that is released soon. */
spmm_status_t spmmi_device_take_scratch(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                        struct spmmi_device_block *block, spmm_diag_t *diag);
/* Releases the block after the work in its stream and empties *block; an empty block is allowed.
 * Any device may be current. */
void spmmi_device_release(struct spmmi_device_block *block);

#endif
