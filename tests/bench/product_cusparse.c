/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the library in docs/examples/product.c by cuSPARSE, to compare the times of the same solvers. A
 * and, for op T, its explicit transpose are stored on the GPU in CSR. SPMM_CUSPARSE_ALG selects the
 * algorithm: 0 (default), 1, 2 or 3. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdlib.h>

#include "solver.h"

/* op(A) on the GPU. */
struct csr {
    int64_t rows, cols, nnz;
    int *row_ptr, *col_ind;
    double *values;
    cusparseSpMatDescr_t matrix;
    int64_t prepared; /* number of columns for which the algorithm was last prepared */
};

static cusparseHandle_t handle;
static cusparseSpMMAlg_t algorithm;
static struct csr stored[2]; /* for op N and op T */
static void *buffer;
static size_t buffer_bytes;

static void require(int is_done)
{
    if (!is_done)
        solver_fail("cuSPARSE or CUDA has failed");
}

static void *upload(const void *host, size_t bytes)
{
    void *data = NULL;
    require(cudaMalloc(&data, bytes + 1) == cudaSuccess &&
            cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    return data;
}

static void csr_upload(struct csr *to, int64_t rows, int64_t cols, const int *row_ptr, const int *col_ind,
                       const double *values)
{
    *to = (struct csr){.rows = rows, .cols = cols, .nnz = row_ptr[rows]};
    to->row_ptr = upload(row_ptr, ((size_t)rows + 1) * sizeof *row_ptr);
    to->col_ind = upload(col_ind, (size_t)to->nnz * sizeof *col_ind);
    to->values = upload(values, (size_t)to->nnz * sizeof *values);
    require(cusparseCreateCsr(&to->matrix, rows, cols, to->nnz, to->row_ptr, to->col_ind, to->values,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
}

static void *room(int64_t count, size_t size)
{
    void *data = calloc((size_t)count + 1, size);
    require(data != NULL);
    return data;
}

/* Copies the matrix, and its transpose if it is needed, to the GPU. cuSPARSE needs 32-bit row pointers. */
static void matrices_make(const struct solver *solver, int ops)
{
    spmm_csr_t a;
    require(spmm_plan_csr(solver->plan, &a) == SPMM_OK && a.nnz < INT32_MAX);
    const int64_t *wide = a.row_ptr;
    const int *col_ind = a.col_ind;
    const double *values = a.values;
    int *row_ptr = room(a.rows + 1, sizeof *row_ptr), *t_ptr = room(a.cols + 2, sizeof *t_ptr);
    int *t_ind = room(a.nnz, sizeof *t_ind);
    double *t_values = room(a.nnz, sizeof *t_values);
    for (int64_t i = 0; i <= a.rows; i++)
        row_ptr[i] = (int)wide[i];
    csr_upload(&stored[SPMM_OP_N], a.rows, a.cols, row_ptr, col_ind, values);
    for (int64_t p = 0; p < a.nnz; p++)
        t_ptr[col_ind[p] + 2]++;
    for (int64_t j = 0; j < a.cols; j++)
        t_ptr[j + 2] += t_ptr[j + 1];
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t p = wide[i]; p < wide[i + 1]; p++) {
            const int to = t_ptr[col_ind[p] + 1]++;
            t_ind[to] = (int)i;
            t_values[to] = values[p];
        }
    if (ops > 1)
        csr_upload(&stored[SPMM_OP_T], a.cols, a.rows, t_ptr, t_ind, t_values);
    free(t_values);
    free(t_ind);
    free(t_ptr);
    free(row_ptr);
}

void product_open(struct solver *solver, int number, int ops)
{
    static const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
                                                   CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};
    const char *which = getenv("SPMM_CUSPARSE_ALG");
    if (number < 0)
        solver_fail("cuSPARSE needs --device N");
    algorithm = algorithms[which != NULL ? atoi(which) & 3 : 0];
    require(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS);
    matrices_make(solver, ops);
    require(cudaDeviceSynchronize() == cudaSuccess);
}

void product_close(struct solver *solver)
{
    (void)solver;
    for (int op = 0; op < 2; op++) {
        if (stored[op].matrix != NULL)
            (void)cusparseDestroySpMat(stored[op].matrix);
        (void)cudaFree(stored[op].row_ptr);
        (void)cudaFree(stored[op].col_ind);
        (void)cudaFree(stored[op].values);
    }
    (void)cudaFree(buffer);
    (void)cusparseDestroy(handle);
}

/* Solvers that set new values use op N only. */
void solver_set_values(const struct solver *solver, const double *values)
{
    solver->device->write(stored[SPMM_OP_N].values, values, stored[SPMM_OP_N].nnz);
}

/* Enlarges the buffer if necessary, and lets the algorithm preprocess the matrix for a new number of
 * columns. */
static void prepare(struct csr *a, const double *factors, cusparseDnMatDescr_t b, cusparseDnMatDescr_t c,
                    int64_t n)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    if (a->prepared == n)
        return;
    require(cusparseSpMM_bufferSize(handle, op, op, &factors[0], a->matrix, b, &factors[1], c, CUDA_R_64F,
                                    algorithm, &bytes) == CUSPARSE_STATUS_SUCCESS);
    if (bytes > buffer_bytes) {
        (void)cudaFree(buffer);
        require(cudaMalloc(&buffer, bytes) == cudaSuccess);
        buffer_bytes = bytes;
    }
    require(cusparseSpMM_preprocess(handle, op, op, &factors[0], a->matrix, b, &factors[1], c, CUDA_R_64F,
                                    algorithm, buffer) == CUSPARSE_STATUS_SUCCESS);
    a->prepared = n;
}

void solver_multiply(const struct solver *solver, spmm_op_t op, double alpha, const struct block *x,
                     double beta, const struct block *y)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const double factors[2] = {alpha, beta};
    cusparseDnMatDescr_t b, c;
    (void)solver;
    require(cusparseCreateDnMat(&b, x->rows, x->cols, x->ld, x->data, CUDA_R_64F, CUSPARSE_ORDER_ROW) ==
                CUSPARSE_STATUS_SUCCESS &&
            cusparseCreateDnMat(&c, y->rows, y->cols, y->ld, y->data, CUDA_R_64F, CUSPARSE_ORDER_ROW) ==
                CUSPARSE_STATUS_SUCCESS);
    prepare(&stored[op], factors, b, c, x->cols);
    require(cusparseSpMM(handle, plain, plain, &factors[0], stored[op].matrix, b, &factors[1], c, CUDA_R_64F,
                         algorithm, buffer) == CUSPARSE_STATUS_SUCCESS);
    (void)cusparseDestroyDnMat(b);
    (void)cusparseDestroyDnMat(c);
}
