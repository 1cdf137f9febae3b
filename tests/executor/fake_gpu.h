/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU that answers as a test asks. It replaces executor/cuda/cuda_none.c, so only builds without CUDA have
 * it. */
#ifndef TEST_FAKE_GPU_H
#define TEST_FAKE_GPU_H

#include "executor/executor_state.h"
#include "executor/parts.h"

#define FAKE_GPU_CREATED SPMM_ERR_DEVICE /* status of create if the test sets no parts */
#define FAKE_GPU_BYTES 1000
#define FAKE_GPU_PEAK 1001
#define FAKE_GPU_POOL 4096
#define FAKE_GPU_MAPS 300 /* host bytes for the maps of new values */
#define FAKE_GPU_WORKSPACE 512
#define FAKE_GPU_ROW 1000     /* bytes per row of op(A), without values */
#define FAKE_GPU_CHECK 100000 /* bytes of a check; one more per vector */

struct fake_gpu {
    int count, runs;
    int creates;       /* number of calls of create */
    int has_allocator; /* whether the last create got a device allocator */
    uint32_t target;   /* compute capability x 10; 0: 90 */
    spmm_status_t name, memory;
    struct spmmi_first_values first; /* argument of the last count or create */
    int new_values;                  /* option new_values of the last count or create */
    spmm_status_t open;              /* status of opening new values; opens: such calls */
    int opens;
    spmm_status_t run;         /* status of products, new values and certificates */
    struct spmmi_parts *parts; /* NULL: create fails */
    spmm_status_t wait;        /* status of waits for new values, after the first `waits_well` waits */
    int waits, free_waits;     /* waits for new values; waits with the lock of `watched` free */
    int waits_well;
    spmm_executor_t *watched;
    uint64_t host_allowed, device_allowed; /* largest limits that a count got */
    spmm_status_t supports;                /* status for parts of the tiled family */
    spmm_status_t upload;                  /* status of uploads for certificates */
    int uploads;                           /* number of uploads not yet destroyed */
    const void *values;                    /* values of A for spmmi_cuda_values_read, value_bytes long */
    uint64_t value_bytes;
    int was_tensor; /* whether the last certificate was for a product on tensor cores */
};
extern struct fake_gpu fake_gpu;

/* Makes one GPU available on which all calls succeed. */
void fake_gpu_works(void);
/* Returns an executor on the GPU whose parts are of these families. Free it with fake_gpu_executor_free. */
spmm_executor_t *fake_gpu_executor(const spmm_plan_t *plan, const spmm_family_t *families, uint32_t count);
void fake_gpu_executor_free(spmm_executor_t *executor);

#endif
