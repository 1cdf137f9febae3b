/* SPDX-License-Identifier: Apache-2.0 */
/* A product of sparse matrices on a GPU: its stages packed for the device. kernels/spgemm implements it where CUDA is
 * built in, spgemm_gpu_none.c where it is not. */
#ifndef SPMMI_SPGEMM_GPU_H
#define SPMMI_SPGEMM_GPU_H

#include "executor/device_block.h"
#include "format/spgemm/spgemm_tasks.h"
#include "spgemm_stage.h"

struct spmmi_spgemm_gpu;

/* What a product on a GPU is made of. The units of the stages say where rows are cut in k. Nothing of it is used after
 * create. */
struct spmmi_spgemm_gpu_source {
    int device;
    spmm_dtype_t dtype;
    const struct spmmi_spgemm_tasks *tasks;
    const struct spmmi_spgemm_stage *stages;  /* tasks->count */
    int has_diagonal;                         /* of the last stage */
    const char *kernel;                       /* a name, or NULL */
    uint64_t host_left, device_left;          /* most memory that may be taken; UINT64_MAX: no limit */
    int threads;                              /* of the host */
    const spmm_device_allocator_t *allocator; /* of the options; NULL: the library's own memory */
};

/* Waits for the device. Errors: ARGUMENT (no such kernel), TOO_LARGE, PLAN_BUDGET, NO_DEVICE, DEVICE, DEVICE_MEMORY,
 * MEMORY. */
spmm_status_t spmmi_spgemm_gpu_create(const struct spmmi_spgemm_gpu_source *source,
                                      struct spmmi_spgemm_gpu **gpu, spmm_diag_t *diag);
void spmmi_spgemm_gpu_free(struct spmmi_spgemm_gpu *gpu); /* NULL is fine */
uint64_t spmmi_spgemm_gpu_bytes(const struct spmmi_spgemm_gpu *gpu);
const char *spmmi_spgemm_gpu_kernel(const struct spmmi_spgemm_gpu *gpu); /* of the last stage */
/* Elements of the workspace for partial sums of a stage; rows that are pulled have none. */
uint64_t spmmi_spgemm_gpu_partials(const struct spmmi_spgemm_gpu *gpu, int stage);

/* These enqueue, as the functions of spgemm_stage.h do on the CPU: a stage; to[q] = from[map[q]] of a transposed
 * factor; c = beta * c of the first count entries of C, or 0. Errors: DEVICE. */
spmm_status_t spmmi_spgemm_gpu_run(const struct spmmi_spgemm_gpu *gpu, int stage,
                                   const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_gpu_gather(const struct spmmi_spgemm_gpu *gpu, uint32_t factor, const void *from,
                                      void *to, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_gpu_scale(const struct spmmi_spgemm_gpu *gpu, int64_t count, double beta, void *c,
                                     void *stream, spmm_diag_t *diag);
/* From the host to where `to` lies, behind what the stream has; done when it returns. */
spmm_status_t spmmi_spgemm_gpu_copy(const struct spmmi_spgemm_gpu *gpu, const void *from, void *to,
                                    uint64_t bytes, void *stream, spmm_diag_t *diag);

/* Have both factors of a product without a plan one pattern, as in A A? It is checked once then. The same arrays of
 * another type are another one. */
static inline int spmmi_once_is_square(const spmm_csr_t *a, const spmm_csr_t *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz && a->row_ptr == b->row_ptr &&
           a->col_ind == b->col_ind && a->row_ptr_type == b->row_ptr_type &&
           a->col_ind_type == b->col_ind_type;
}

/* How rows of C are computed without a plan: hash tables and bitmaps; bitmaps alone; or both, and merges of few
 * products. */
enum spmmi_once_method { SPMMI_ONCE_HASH, SPMMI_ONCE_BITMAP, SPMMI_ONCE_MERGE, SPMMI_ONCE_METHODS };

/* A product without a plan; all arrays lie on the GPU. The views were checked, their arrays were not. */
struct spmmi_spgemm_gpu_once {
    int device;
    const spmm_csr_t *a, *b;
    enum spmmi_once_method method;
    uint64_t device_left; /* most memory of the GPU, C included; UINT64_MAX: no limit */
    void *stream;
    const spmm_device_allocator_t *allocator; /* of the options; NULL: the library's own memory */
};
/* Waits for the stream. c: new arrays of the GPU. Errors: CSR, TOO_LARGE, PLAN_BUDGET, NO_DEVICE, DEVICE,
 * DEVICE_MEMORY. */
spmm_status_t spmmi_spgemm_gpu_once(const struct spmmi_spgemm_gpu_once *in, spmm_csr_t *c, spmm_diag_t *diag);
/* Is it memory of a GPU? Then release frees it. Below 0: the runtime cannot say, as after an error of a kernel. */
int spmmi_spgemm_gpu_owns(const void *block);
void spmmi_spgemm_gpu_release(const void *block);
/* Gives C of a product with this allocator back to it. Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_spgemm_gpu_give_back(const spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                         int device, void *stream, spmm_diag_t *diag);

#endif
