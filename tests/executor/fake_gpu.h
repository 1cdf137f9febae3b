/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU that answers as a test says. It stands in for executor/cuda/cuda_none.c, so it is of builds without CUDA. */
#ifndef TEST_FAKE_GPU_H
#define TEST_FAKE_GPU_H

#include "executor/executor_state.h"
#include "executor/parts.h"

#define FAKE_GPU_CREATED SPMM_ERR_DEVICE /* of create where no executor on the GPU is to live */
#define FAKE_GPU_BYTES 1000
#define FAKE_GPU_PEAK 1001
#define FAKE_GPU_POOL 4096
#define FAKE_GPU_MAPS 300 /* bytes of the host that maps of new values take */
#define FAKE_GPU_WORKSPACE 512
#define FAKE_GPU_ROW 1000     /* bytes of a row of op(A), beside its values */
#define FAKE_GPU_CHECK 100000 /* bytes of a check, and as many more as it has vectors */

struct fake_gpu {
    int count, runs;
    int creates;       /* how often one was asked for */
    int has_allocator; /* the last create was given one */
    uint32_t target;   /* 0: 90 */
    spmm_status_t name, memory;
    struct spmmi_first_values first; /* that the last count or create was told */
    int new_values;                  /* the same of the options */
    spmm_status_t open;              /* of memory for new values, and how often it was asked for */
    int opens;
    spmm_status_t run;         /* of products, new values and certificates */
    struct spmmi_parts *parts; /* NULL: create fails */
    spmm_status_t wait;        /* of new values, from the wait on that `waits_well` says */
    int waits, free_waits; /* for them; and how many of them left products of the watched executor alone */
    int waits_well;
    spmm_executor_t *watched;
    uint64_t host_allowed, device_allowed; /* most that a count was allowed */
    spmm_status_t supports;                /* of parts of the tiled family */
    spmm_status_t upload;                  /* of what certificates read */
    int uploads;                           /* that live */
    const void *values;                    /* of A, for spmmi_cuda_values_read; bytes of them */
    uint64_t value_bytes;
    int was_tensor; /* the last certificate was of a product on tensor cores */
};
extern struct fake_gpu fake_gpu;

/* There is one, and all that it is asked succeeds. */
void fake_gpu_works(void);
/* An executor on the GPU, with parts of these families. */
spmm_executor_t *fake_gpu_executor(const spmm_plan_t *plan, const spmm_family_t *families, uint32_t count);
void fake_gpu_executor_free(spmm_executor_t *executor);

#endif
