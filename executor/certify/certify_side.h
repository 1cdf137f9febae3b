/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a certificate, on the CPU or on a GPU; kernels/certify computes it. Callers have
 * checked every argument. */
#ifndef SPMMI_CERTIFY_SIDE_H
#define SPMMI_CERTIFY_SIDE_H

#include "executor/device_block.h"
#include "executor/product.h"

/* op(A) in CSR. */
struct spmmi_certify_csr {
    int64_t rows, cols, nnz;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values; /* of the product's a_type */
};

struct spmmi_certify_job {
    const struct spmmi_certify_csr *a; /* op(A), on the host */
    const uint32_t *permutation;       /* row i of C is row permutation[i] of op(A); NULL: row i */
    struct spmmi_product product;      /* compute: of the kernel that ran; alpha, beta: rounded and finite */
    int is_tensor;                     /* whether the kernel used tensor cores */
    spmm_dense_t before;               /* C0; data is NULL if beta is 0 */
    uint64_t seed;
    int vectors; /* 1 to 64 */
    int threads; /* CPU; 0: OpenMP's default */
};

struct spmmi_certify_findings {
    int64_t failed, first; /* number of wrong rows of C, and the first of them; -1: none */
    int64_t by_class;      /* number of rows that are only checked for infinity and NaN */
    double ratio;          /* largest error over its bound */
};

/* Returns the host memory that spmmi_certify_cpu takes. */
uint64_t spmmi_certify_cpu_bytes(const struct spmmi_certify_job *job);
/* Checks the product on the CPU. Errors: MEMORY. */
spmm_status_t spmmi_certify_cpu(const struct spmmi_certify_job *job, struct spmmi_certify_findings *findings,
                                spmm_diag_t *diag);

/* op(A) on a GPU. */
struct spmmi_certify_device {
    const struct spmmi_device_memory *from; /* memory of the certifier */
    struct spmmi_device_block memory;
    struct spmmi_certify_csr a; /* arrays in memory */
};

/* Return the GPU memory that spmmi_certify_cuda_upload and spmmi_certify_cuda take. */
uint64_t spmmi_certify_cuda_upload_bytes(const struct spmmi_certify_csr *a, spmm_dtype_t dtype);
uint64_t spmmi_certify_cuda_bytes(const struct spmmi_certify_job *job);
/* Uploads op(A). from must outlive *made. Errors: as spmmi_device_take, MEMORY; NO_DEVICE
 * in a build without CUDA. */
spmm_status_t spmmi_certify_cuda_upload(const struct spmmi_device_memory *from,
                                        const struct spmmi_certify_csr *a, spmm_dtype_t dtype,
                                        struct spmmi_certify_device **made, spmm_diag_t *diag);
void spmmi_certify_cuda_free(struct spmmi_certify_device *a);
/* Checks the product on the GPU, with a in place of job->a. Waits for the stream. Errors: as
 * spmmi_certify_cuda_upload. */
spmm_status_t spmmi_certify_cuda(const struct spmmi_certify_device *a, const struct spmmi_certify_job *job,
                                 void *stream, struct spmmi_certify_findings *findings, spmm_diag_t *diag);

#endif
