/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a product without a plan on a GPU, and its long pieces. */
#ifndef SPMMI_SPGEMM_ONCE_CUDA_H
#define SPMMI_SPGEMM_ONCE_CUDA_H

#include "executor/cuda/cuda_memory.h"
#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_once_launch.h"

#define SPMMI_ONCE_BLOCKS 12

struct spmmi_once {
    const struct spmmi_spgemm_gpu_once *in;
    struct spmmi_device_memory memory;
    struct spmmi_once_work work;
    struct spmmi_once_counts counts;                     /* of the host, before tasks are made */
    struct spmmi_once_long_need long_need;               /* of the rows that have lists */
    struct spmmi_once_counts longs;                      /* then, of products that are counted */
    struct spmmi_device_block blocks[SPMMI_ONCE_BLOCKS]; /* freed at the end */
    int block_count;
    uint64_t used;
    struct spmmi_device_block c; /* the arrays of C: row pointers, values, columns */
    spmm_diag_t *diag;
};

/* Counts bytes of the device as used. Errors: PLAN_BUDGET. */
spmm_status_t spmmi_once_require_left(struct spmmi_once *o, uint64_t bytes);
/* Memory of the device, freed at the end; never empty, so that each block has an address. Errors: PLAN_BUDGET, CUDA. */
spmm_status_t spmmi_once_take_scratch(struct spmmi_once *o, uint64_t bytes, void **out);
/* How many of each, once what was enqueued is done. */
spmm_status_t spmmi_once_read_counts(struct spmmi_once *o, struct spmmi_once_counts *counts);

/* Where entries may be long: which columns of B are hubs. */
spmm_status_t spmmi_once_find_hubs(struct spmmi_once *o);
/* Which rows may have long pieces, and what these need, once entries of C are counted. */
void spmmi_once_limit_long(struct spmmi_once *o);
/* Parts of each long piece: as many as its products are worth, and no more than that their counts are no more than
 * products, but for one part. */
uint32_t spmmi_once_parts_of(const struct spmmi_once_long_need *need);
/* Portions of long pieces, once tasks are made. Errors: TOO_LARGE, PLAN_BUDGET, DEVICE. */
spmm_status_t spmmi_once_portion_long(struct spmmi_once *o);
/* The products of long pieces, once columns of C are found; reads counts. */
spmm_status_t spmmi_once_list_long(struct spmmi_once *o);
/* Their values, beside those of other tasks, which come first; then those of hubs, behind all values. */
spmm_status_t spmmi_once_compute_long(struct spmmi_once *o, int is_f64);
spmm_status_t spmmi_once_put_hubs(struct spmmi_once *o, int is_f64);

#endif
