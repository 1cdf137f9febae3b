/* SPDX-License-Identifier: Apache-2.0 */
/* Memory on the device of a product: a GPU (device >= 0) or the CPU (SPMM_DEVICE_CPU). */
#ifndef SPMM_TOOLS_DEVICE_MEMORY_H
#define SPMM_TOOLS_DEVICE_MEMORY_H

#include <spmm/executor.h>

/* A block of memory that only grows. An all-zero struct is an empty block. */
struct device_block {
    int device;
    void *data;
    uint64_t bytes;
};

/* Makes the block at least bytes large, aligned to 256 bytes. If it grows, its contents are lost. Never fails
 * if the block is large enough. */
spmm_status_t device_block_reserve(struct device_block *block, int device, uint64_t bytes, spmm_diag_t *diag);
void device_block_free(struct device_block *block);

/* Host memory from which device blocks are filled. For a GPU it is pinned if pinned memory is left. The same
 * rules as for device blocks. */
struct staging_block {
    void *data;
    uint64_t bytes;
    int is_pinned;
};
spmm_status_t staging_block_reserve(struct staging_block *block, int device, uint64_t bytes,
                                    spmm_diag_t *diag);
void staging_block_free(struct staging_block *block);

/* Copy between host and device. Nothing is copied if both sides are the same memory. */
spmm_status_t device_upload(const struct device_block *to, const void *from, uint64_t bytes,
                            spmm_diag_t *diag);
spmm_status_t device_download(void *to, const struct device_block *from, uint64_t bytes, spmm_diag_t *diag);
spmm_status_t device_fill(const struct device_block *block, int byte, uint64_t bytes, spmm_diag_t *diag);
/* Waits until the device has finished all work. Also reports errors of earlier work. */
spmm_status_t device_synchronize(int device, spmm_diag_t *diag);

#endif
