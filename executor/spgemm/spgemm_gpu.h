/* SPDX-License-Identifier: Apache-2.0 */
/* A product of sparse matrices on a GPU: its stages, packed for the device. kernels/spgemm implements these
 * functions in builds with CUDA, spgemm_gpu_none.c in builds without. */
#ifndef SPMMI_SPGEMM_GPU_H
#define SPMMI_SPGEMM_GPU_H

#include "executor/device_block.h"
#include "format/spgemm/spgemm_tasks.h"
#include "spgemm_stage.h"

struct spmmi_spgemm_gpu;

/* The input of spmmi_spgemm_gpu_create, borrowed for the call only. The units of the stages say where rows
 * are cut in k. */
struct spmmi_spgemm_gpu_source {
    int device;
    spmm_dtype_t dtype;
    const struct spmmi_spgemm_tasks *tasks;
    const struct spmmi_spgemm_stage *stages;  /* tasks->count of them */
    int has_diagonal;                         /* whether the last stage has one */
    const char *kernel;                       /* name of a kernel; NULL: chosen by rule */
    uint64_t host_left, device_left;          /* maximum memory to allocate; UINT64_MAX: no limit */
    int threads;                              /* on the host */
    const spmm_device_allocator_t *allocator; /* from the options; NULL: the library allocates itself */
};

/* Packs and uploads the stages, and waits for the device. Errors: ARGUMENT (no such kernel), TOO_LARGE,
 * PLAN_BUDGET, NO_DEVICE, DEVICE, DEVICE_MEMORY, MEMORY. */
spmm_status_t spmmi_spgemm_gpu_create(const struct spmmi_spgemm_gpu_source *source,
                                      struct spmmi_spgemm_gpu **gpu, spmm_diag_t *diag);
void spmmi_spgemm_gpu_free(struct spmmi_spgemm_gpu *gpu); /* gpu may be NULL */
/* Returns the device memory that gpu holds, in bytes. */
uint64_t spmmi_spgemm_gpu_bytes(const struct spmmi_spgemm_gpu *gpu);
const char *spmmi_spgemm_gpu_kernel(const struct spmmi_spgemm_gpu *gpu); /* kernel of the last stage */
/* Returns the elements of workspace for the partial sums of a stage and for its sums of stretches. Rows whose
 * entries pull their products need no partial sums. */
uint64_t spmmi_spgemm_gpu_partials(const struct spmmi_spgemm_gpu *gpu, int stage);

/* Enqueue on the stream what the functions of spgemm_stage.h do on the CPU: run a stage; gather
 * to[q] = from[map[q]] for a transposed factor; scale the first `count` entries of C, c = beta * c, or set
 * them to 0 if beta is 0. Errors: DEVICE. */
spmm_status_t spmmi_spgemm_gpu_run(const struct spmmi_spgemm_gpu *gpu, int stage,
                                   const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_gpu_gather(const struct spmmi_spgemm_gpu *gpu, uint32_t factor, const void *from,
                                      void *to, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_gpu_scale(const struct spmmi_spgemm_gpu *gpu, int64_t count, double beta, void *c,
                                     void *stream, spmm_diag_t *diag);
/* Copies bytes from the host to `to`, in host or GPU memory, after the work already enqueued on the stream.
 * The copy is complete on return. */
spmm_status_t spmmi_spgemm_gpu_copy(const struct spmmi_spgemm_gpu *gpu, const void *from, void *to,
                                    uint64_t bytes, void *stream, spmm_diag_t *diag);

/* Returns true if both factors of a product without a plan have one pattern, as in A A, so that it is checked
 * only once. The comparison is by pointer: equal arrays at other addresses, or of other index types, count as
 * different. */
static inline int spmmi_once_is_square(const spmm_csr_t *a, const spmm_csr_t *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz && a->row_ptr == b->row_ptr &&
           a->col_ind == b->col_ind && a->row_ptr_type == b->row_ptr_type &&
           a->col_ind_type == b->col_ind_type;
}

/* How rows of C are computed without a plan: HASH: by hash tables and bitmaps; BITMAP: by bitmaps only;
 * MERGE: as HASH, but rows with few products by merging. */
enum spmmi_once_method { SPMMI_ONCE_HASH, SPMMI_ONCE_BITMAP, SPMMI_ONCE_MERGE, SPMMI_ONCE_METHODS };

/* The input of a product without a plan. All arrays are in GPU memory. The caller has checked the views, but
 * not the arrays. */
struct spmmi_spgemm_gpu_once {
    int device;
    const spmm_csr_t *a, *b;
    enum spmmi_once_method method;
    uint64_t device_left; /* maximum GPU memory, including C; UINT64_MAX: no limit */
    void *stream;
    const spmm_device_allocator_t *allocator; /* from the options; NULL: the library allocates itself */
};
/* Computes the product and waits for the stream. c receives new arrays in GPU memory. Errors: CSR, TOO_LARGE,
 * PLAN_BUDGET, NO_DEVICE, DEVICE, DEVICE_MEMORY. */
spmm_status_t spmmi_spgemm_gpu_once(const struct spmmi_spgemm_gpu_once *in, spmm_csr_t *c, spmm_diag_t *diag);
/* Returns 1 if the block is GPU memory, which spmmi_spgemm_gpu_release then frees, and 0 if it is not. A
 * value below 0 means that the runtime cannot say, for example after an error of a kernel. */
int spmmi_spgemm_gpu_owns(const void *block);
void spmmi_spgemm_gpu_release(const void *block);
/* Gives the arrays of C back to the allocator that they came from. Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_spgemm_gpu_give_back(const spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                         int device, void *stream, spmm_diag_t *diag);

#endif
