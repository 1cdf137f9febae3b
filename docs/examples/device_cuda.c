/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: operations on a GPU, with cuBLAS, on the default stream. cuBLAS treats a row-major block x as the
 * column-major matrix x^T. */
#include "solver.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

static cublasHandle_t handle;
static double *small; /* buffer for copying a small matrix */

static void require(int is_done)
{
    if (!is_done)
        solver_fail(cudaGetErrorString(cudaGetLastError()));
}

static double *allocate(uint64_t bytes)
{
    void *data = NULL;
    require(cudaMalloc(&data, (size_t)bytes + 1) == cudaSuccess &&
            cudaMemset(data, 0, (size_t)bytes + 1) == cudaSuccess);
    return data;
}

static void release(double *data)
{
    (void)cudaFree(data);
}

static void read_values(double *host, const double *data, int64_t count)
{
    require(cudaMemcpy(host, data, (size_t)count * sizeof *host, cudaMemcpyDeviceToHost) == cudaSuccess);
}

static void write_values(double *data, const double *host, int64_t count)
{
    require(cudaMemcpy(data, host, (size_t)count * sizeof *host, cudaMemcpyHostToDevice) == cudaSuccess);
}

static void *upload(const void *host, uint64_t bytes)
{
    void *data = allocate(bytes);
    require(cudaMemcpy(data, host, (size_t)bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    return data;
}

static void gram(const struct block *x, const struct block *y, double *g)
{
    const double one = 1, zero = 0;
    require(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, (int)y->cols, (int)x->cols, (int)x->rows, &one,
                        y->data, (int)y->ld, x->data, (int)x->ld, &zero, small,
                        (int)y->cols) == CUBLAS_STATUS_SUCCESS);
    read_values(g, small, x->cols * y->cols);
}

static void combine(const struct block *x, const double *q, double beta, const struct block *y)
{
    const double one = 1;
    write_values(small, q, x->cols * y->cols);
    require(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)y->cols, (int)x->rows, (int)x->cols, &one,
                        small, (int)y->cols, x->data, (int)x->ld, &beta, y->data,
                        (int)y->ld) == CUBLAS_STATUS_SUCCESS);
}

static void add(double alpha, const struct block *x, double beta, const struct block *y)
{
    require(cublasDgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)x->cols, (int)x->rows, &alpha, x->data,
                        (int)x->ld, &beta, y->data, (int)y->ld, y->data,
                        (int)y->ld) == CUBLAS_STATUS_SUCCESS);
}

static void wait_for_it(void)
{
    require(cudaDeviceSynchronize() == cudaSuccess);
}

const struct device *device_cuda(int number)
{
    static struct device device = {allocate, release, read_values, write_values, upload,
                                   gram,     combine, add,         wait_for_it,  0};
    require(cudaSetDevice(number) == cudaSuccess && cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    small = allocate(sizeof(solver_small));
    device.number = number;
    return &device;
}
