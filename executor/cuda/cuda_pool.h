/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that comes and goes: from a pool of the library's own, one a GPU, never the application's default pool.
 * One H200: cudaMalloc and cudaFree of 1 MiB take 45 and 35 us, from a pool that keeps its memory 2 and 2. */
#ifndef SPMMI_CUDA_POOL_H
#define SPMMI_CUDA_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/common.h>

#define SPMMI_POOL_KEPT ((size_t)256 << 20) /* that a pool keeps for later, at most */
/* Larger blocks come of cudaMalloc: a pool that does not keep them is slower. */
#define SPMMI_POOL_BLOCK_MAX ((size_t)128 << 20)

/* Memory of the current device, to use behind what is in the stream, and to free with spmmi_pool_free. Where there is
 * none the pool gives back what it keeps, and it is tried again. Errors: DEVICE_MEMORY, DEVICE. */
spmm_status_t spmmi_pool_take(size_t bytes, void *stream, void **block, spmm_diag_t *diag);
/* The same of cudaMalloc, to free with cudaFree: memory that callers get, which they may share with other devices and
 * processes, and whose release waits for their kernels. */
spmm_status_t spmmi_pool_take_plain(size_t bytes, void *stream, void **block, spmm_diag_t *diag);
/* A block of so many bytes of spmmi_pool_take, behind what is in the stream; NULL is fine. */
void spmmi_pool_free(void *block, size_t bytes, void *stream);
/* What the pool of this device has reserved, in use or kept for later; 0 where there is none yet. */
uint64_t spmmi_pool_bytes(int device);

#endif
