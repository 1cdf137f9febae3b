/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: runs plans, on an NVIDIA GPU or on the CPU. Link spmm::executor.
 *
 * No CUDA header is needed: a stream is a void * holding a cudaStream_t (NULL: the default stream).
 * An executor serves one stream at a time; replaying a graph that captured its products counts as use
 * of it: one replay or product at a time. The plan may be destroyed once an executor was made.    */
#ifndef SPMM_EXECUTOR_H
#define SPMM_EXECUTOR_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spmm_executor spmm_executor_t;

#define SPMM_DEVICE_CPU (-1)
#define SPMM_DEVICE_AUTO (-2) /* GPU 0 if there is one that this build can use, else the CPU */

/* GPUs that this build can run on; 0 without CUDA or without a driver. Never fails. */
SPMM_API int spmm_device_count(void);
/* Name of a device (>= 0 a GPU, SPMM_DEVICE_CPU), for people. text has size bytes. */
SPMM_API spmm_status_t spmm_device_name(int device, char *text, size_t size);

typedef struct spmm_executor_options {
    size_t struct_size;
    int device;  /* SPMM_DEVICE_AUTO, SPMM_DEVICE_CPU or a GPU number */
    int threads; /* CPU: threads; 0 = OpenMP's default. Never changes the result */
    const char
        *force_kernel; /* name from spmm_kernel_name; NULL = the plan's choice. Tiled kernels of a GPU also
                                 with the columns of C that a thread keeps: "cuda/tiled/whole/r8", r1 to r32 */
} spmm_executor_options_t;
/* clang-format off */
#define SPMM_EXECUTOR_OPTIONS_INIT {sizeof(spmm_executor_options_t), SPMM_DEVICE_AUTO, 0, 0}
/* clang-format on */

/* Bytes an executor for this plan will take, before it is made. options may be NULL. */
SPMM_API spmm_status_t spmm_executor_memory_bytes(const spmm_plan_t *plan,
                                                  const spmm_executor_options_t *options,
                                                  uint64_t *host_bytes, uint64_t *device_bytes,
                                                  spmm_diag_t *diag);

/* Make a plan ready to run: allocates, uploads, synchronises. options may be NULL. A forced kernel is refused
 * (ARGUMENT) where the rows of C would then be in another order than the plan leaves them in.
 * Errors: ARGUMENT, NO_DEVICE, TOO_LARGE, UNSUPPORTED and PLAN_FEATURE (what this device does not run), MEMORY,
 * DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_executor_create(const spmm_plan_t *plan, const spmm_executor_options_t *options,
                                            spmm_executor_t **executor, spmm_diag_t *diag);
SPMM_API void spmm_executor_destroy(spmm_executor_t *executor);

/* New values for the same pattern: nnz numbers of the plan's type in CSR order of A.
 * GPU: values may be a host or a device pointer; enqueued on stream, a device pointer is borrowed
 * until that work is done, a host pointer until the call returns; not during graph capture if host.
 * CPU: host pointer; done when the call returns. */
SPMM_API spmm_status_t spmm_executor_set_values(spmm_executor_t *executor, const void *values, void *stream,
                                                spmm_diag_t *diag);

/* Bytes of workspace that spmm_execute needs for this shape; 0 is common. Device memory on a GPU, host
 * memory on the CPU; 256-byte aligned; contents need no initialisation. Depends on op, n, both orders,
 * and whether B and C are aligned to 16 bytes: describe them as they will be passed (data may be NULL,
 * which counts as aligned). */
SPMM_API spmm_status_t spmm_executor_workspace_bytes(const spmm_executor_t *executor, spmm_op_t op,
                                                     const spmm_dense_t *b, const spmm_dense_t *c,
                                                     uint64_t *bytes);

/* C = alpha * op(A) * B + beta * C.
 * B and C live where the executor runs. beta = 0 never reads C; alpha = 0 reads neither A nor B. Both are first
 * rounded to the type of sums: double for f64, else float.
 * OVERLAP: the address ranges of B (where it is read) and C, from first to last element, overlap; interleaved
 * views of one buffer count as overlap though they share no element.
 * NaN and Inf in row j of B reach exactly the rows of C that store column j. Bitwise repeatable.
 * GPU: enqueues on stream, allocates nothing, synchronises nothing, may be captured in a CUDA graph;
 * workspace is borrowed until that work is done.  CPU: done when the call returns; stream is ignored.
 * Errors: ARGUMENT, SHAPE, TYPE, OVERLAP, WORKSPACE, NO_VALUES, NO_VARIANT, TOO_LARGE, DEVICE. */
SPMM_API spmm_status_t spmm_execute(spmm_executor_t *executor, spmm_op_t op, double alpha,
                                    const spmm_dense_t *b, double beta, const spmm_dense_t *c,
                                    void *workspace, uint64_t workspace_bytes, void *stream);

typedef struct {
    size_t struct_size;
    int device; /* SPMM_DEVICE_CPU or a GPU number */
    char device_name[64];
    uint64_t host_bytes, device_bytes; /* held now */
    /* The kernel that would run the shape asked for: a name of the catalogue and what tells its instances apart, as
     * cuda/tiled/segmented-48/p256/reordered/r16: segments of 48, panels of 256, reordered, 16 columns a thread. */
    char kernel[64];
    int fallback;   /* 1: the plan has no variant for this target, n or layout */
    char note[160]; /* a sentence on the fallback; empty if none */
} spmm_executor_info_t;
/* What would run this shape (b and c as for workspace_bytes; both NULL: only the device fields). */
SPMM_API spmm_status_t spmm_executor_info(const spmm_executor_t *executor, spmm_op_t op,
                                          const spmm_dense_t *b, const spmm_dense_t *c,
                                          spmm_executor_info_t *info);

/* The catalogue of kernels, for listings, force_kernel and benchmarks. Name is NULL past the end. */
SPMM_API int spmm_kernel_count(void);
SPMM_API const char *spmm_kernel_name(int index);

#ifdef __cplusplus
}
#endif
#endif
