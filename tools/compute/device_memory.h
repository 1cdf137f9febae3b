/* SPDX-License-Identifier: Apache-2.0 */
/* Memory where a product runs: on a GPU (device >= 0) or on the CPU (SPMM_DEVICE_CPU), one interface. */
#ifndef SPMM_TOOLS_DEVICE_MEMORY_H
#define SPMM_TOOLS_DEVICE_MEMORY_H

#include <spmm/executor.h>

/* A block that only grows; all zero is an empty one. */
struct device_block {
    int device;
    void *data;
    uint64_t bytes;
};

/* At least bytes, aligned to 256; the old contents are lost when it grows. Never fails for a smaller size. */
spmm_status_t device_block_reserve(struct device_block *block, int device, uint64_t bytes, spmm_diag_t *diag);
void device_block_free(struct device_block *block);

/* Host memory from which device blocks are filled: pinned where that helps. The same rules. */
struct staging_block {
    void *data;
    uint64_t bytes;
    int is_pinned;
};
spmm_status_t staging_block_reserve(struct staging_block *block, int device, uint64_t bytes,
                                    spmm_diag_t *diag);
void staging_block_free(struct staging_block *block);

/* Nothing is copied where both sides are the same memory. */
spmm_status_t device_upload(const struct device_block *to, const void *from, uint64_t bytes,
                            spmm_diag_t *diag);
spmm_status_t device_download(void *to, const struct device_block *from, uint64_t bytes, spmm_diag_t *diag);
spmm_status_t device_fill(const struct device_block *block, int byte, uint64_t bytes, spmm_diag_t *diag);
/* Wait until the device has done everything; also reports an error of earlier work. */
spmm_status_t device_synchronize(int device, spmm_diag_t *diag);

#endif
