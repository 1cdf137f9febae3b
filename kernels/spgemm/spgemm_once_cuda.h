/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a product without a plan on a GPU, and the functions for its long pieces. */
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
    struct spmmi_once_counts counts;                     /* copy on the host, before tasks are made */
    struct spmmi_once_long_need long_need;               /* upper bounds for the rows that have lists */
    struct spmmi_once_counts longs;                      /* copy on the host, once lists are counted */
    struct spmmi_device_block blocks[SPMMI_ONCE_BLOCKS]; /* freed at the end */
    int block_count;
    uint64_t used;
    struct spmmi_device_block c; /* row pointers, values and columns of C in one block */
    spmm_diag_t *diag;
};

/* Checks that `bytes` more are within the budget, and counts them as used. Errors: PLAN_BUDGET. */
spmm_status_t spmmi_once_require_left(struct spmmi_once *o, uint64_t bytes);
/* Allocates device memory that is freed at the end. It is never empty, so that each block has an address.
 * Errors: PLAN_BUDGET, DEVICE, DEVICE_MEMORY. */
spmm_status_t spmmi_once_take_scratch(struct spmmi_once *o, uint64_t bytes, void **out);
/* Copies the counts to the host, once all enqueued work is complete. Errors: DEVICE. */
spmm_status_t spmmi_once_read_counts(struct spmmi_once *o, struct spmmi_once_counts *counts);

/* Finds which columns of B are hubs. Called if entries of C may be long. */
spmm_status_t spmmi_once_find_hubs(struct spmmi_once *o);
/* Decides which rows may have long pieces and what these need, once the entries of C are counted. */
void spmmi_once_limit_long(struct spmmi_once *o);
/* Returns the number of parts of a long piece: as many as its products can occupy, but so few that the counts
 * of parts do not outnumber the products, and at least one. */
uint32_t spmmi_once_parts_of(const struct spmmi_once_long_need *need);
/* Counts the products of the portions of long pieces, once tasks are made. Errors: TOO_LARGE, PLAN_BUDGET,
 * DEVICE. */
spmm_status_t spmmi_once_portion_long(struct spmmi_once *o);
/* Lists the products of long pieces, once the columns of C are found; reads the counts for that. */
spmm_status_t spmmi_once_list_long(struct spmmi_once *o);
/* spmmi_once_compute_long computes their values, beside those of other tasks, which are launched first.
 * spmmi_once_put_hubs writes the entries of hubs, after all other values. */
spmm_status_t spmmi_once_compute_long(struct spmmi_once *o, int is_f64);
spmm_status_t spmmi_once_put_hubs(struct spmmi_once *o, int is_f64);

#endif
