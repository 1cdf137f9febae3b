/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_cusparse.h. */
#define DISABLE_CUSPARSE_DEPRECATED
#include "sparse_cusparse.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const double one = 1, zero = 0;
static cusparseHandle_t handle; /* never destroyed */

static void require(int is_done, const char *what)
{
    if (!is_done)
        solver_fail(what);
}

#define CALL(call) require((call) == CUSPARSE_STATUS_SUCCESS, "cuSPARSE has failed: " #call)

static void *room(size_t bytes)
{
    void *block = NULL;
    require(cudaMalloc(&block, bytes + 1) == cudaSuccess,
            "cuSPARSE's product does not fit in the memory of the GPU");
    return block;
}

static void free_buffer(void **buffer)
{
    (void)cudaFree(*buffer);
    *buffer = NULL;
}

static cusparseSpMatDescr_t matrix_of(const spmm_csr_t *m)
{
    cusparseSpMatDescr_t matrix = NULL;
    require(m->row_ptr_type == SPMM_I32 && m->col_ind_type == SPMM_I32 && m->value_type == SPMM_F64,
            "cuSPARSE's product is of indices of 32 bits and f64 here");
    CALL(cusparseCreateCsr(&matrix, m->rows, m->cols, m->nnz, (void *)(uintptr_t)m->row_ptr,
                           (void *)(uintptr_t)m->col_ind, (void *)(uintptr_t)m->values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return matrix;
}

/* Makes the descriptors, and C without entries. */
static void begin(struct sparse_cusparse *p, const spmm_csr_t *a, const spmm_csr_t *b)
{
    cusparseSpGEMMDescr_t descr = NULL;
    if (handle == NULL)
        CALL(cusparseCreate(&handle));
    CALL(cusparseSpGEMM_createDescr(&descr));
    *p = (struct sparse_cusparse){.descr = descr};
    p->result =
        (spmm_csr_t){a->rows, b->cols,  0,   SPMM_I32, SPMM_I32, room(((size_t)a->rows + 1) * sizeof(int)),
                     NULL,    SPMM_F64, NULL};
    p->a = matrix_of(a);
    p->b = matrix_of(b);
    p->c = matrix_of(&p->result);
}

/* Allocates the arrays of C for the number of entries that cuSPARSE found. */
static void take_c(struct sparse_cusparse *p)
{
    spmm_csr_t *c = &p->result;
    int64_t rows = 0, cols = 0;
    CALL(cusparseSpMatGetSize(p->c, &rows, &cols, &c->nnz));
    void *col_ind = room((size_t)c->nnz * sizeof(int)), *values = room((size_t)c->nnz * sizeof(double));
    CALL(cusparseCsrSetPointers(p->c, (void *)(uintptr_t)c->row_ptr, col_ind, values));
    c->col_ind = col_ind;
    c->values = values;
}

/* Frees everything except C. */
static void end(struct sparse_cusparse *p)
{
    for (size_t i = 0; i < sizeof p->buffers / sizeof p->buffers[0]; i++)
        free_buffer(&p->buffers[i]);
    (void)cusparseSpGEMM_destroyDescr(p->descr);
    (void)cusparseDestroySpMat(p->a);
    (void)cusparseDestroySpMat(p->b);
    (void)cusparseDestroySpMat(p->c);
}

void sparse_cusparse_open(struct sparse_cusparse *p, const spmm_csr_t *a, const spmm_csr_t *b)
{
    const cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    void **const buffers = p->buffers;
    size_t bytes[5] = {0};
    begin(p, a, b);
#define WORK(buffer)                                                                                     \
    CALL(cusparseSpGEMMreuse_workEstimation(handle, plain, plain, p->a, p->b, p->c, algorithm, p->descr, \
                                            &bytes[0], buffer))
#define COUNT()                                                                                          \
    CALL(cusparseSpGEMMreuse_nnz(handle, plain, plain, p->a, p->b, p->c, algorithm, p->descr, &bytes[1], \
                                 buffers[1], &bytes[2], buffers[2], &bytes[3], buffers[3]))
#define COPY()                                                                                            \
    CALL(cusparseSpGEMMreuse_copy(handle, plain, plain, p->a, p->b, p->c, algorithm, p->descr, &bytes[4], \
                                  buffers[4]))
    WORK(NULL);
    buffers[0] = room(bytes[0]);
    WORK(buffers[0]);
    COUNT();
    for (int i = 1; i < 4; i++)
        buffers[i] = room(bytes[i]);
    COUNT();
    free_buffer(&buffers[0]);
    free_buffer(&buffers[1]);
    take_c(p);
    COPY();
    buffers[4] = room(bytes[4]);
    COPY();
    free_buffer(&buffers[2]);
#undef WORK
#undef COUNT
#undef COPY
}

void sparse_cusparse_run(const struct sparse_cusparse *p, const double *a_values, const double *b_values)
{
    CALL(cusparseSpMatSetValues(p->a, (void *)(uintptr_t)a_values));
    CALL(cusparseSpMatSetValues(p->b, (void *)(uintptr_t)b_values));
    CALL(cusparseSpGEMMreuse_compute(handle, plain, plain, &one, p->a, p->b, &zero, p->c, CUDA_R_64F,
                                     CUSPARSE_SPGEMM_DEFAULT, p->descr));
}

void sparse_cusparse_close(struct sparse_cusparse *p)
{
    end(p);
    sparse_cusparse_free(&p->result);
}

spmm_csr_t sparse_cusparse_once(const spmm_csr_t *a, const spmm_csr_t *b)
{
    const char *which = getenv("SPMM_CUSPARSE_ALG");
    const cusparseSpGEMMAlg_t algorithm =
        which != NULL && strcmp(which, "1") == 0 ? CUSPARSE_SPGEMM_ALG1 : CUSPARSE_SPGEMM_DEFAULT;
    struct sparse_cusparse p;
    size_t bytes[2] = {0};
    begin(&p, a, b);
#define WORK(buffer)                                                                                 \
    CALL(cusparseSpGEMM_workEstimation(handle, plain, plain, &one, p.a, p.b, &zero, p.c, CUDA_R_64F, \
                                       algorithm, p.descr, &bytes[0], buffer))
#define COMPUTE(buffer)                                                                                  \
    CALL(cusparseSpGEMM_compute(handle, plain, plain, &one, p.a, p.b, &zero, p.c, CUDA_R_64F, algorithm, \
                                p.descr, &bytes[1], buffer))
    WORK(NULL);
    p.buffers[0] = room(bytes[0]);
    WORK(p.buffers[0]);
    COMPUTE(NULL);
    p.buffers[1] = room(bytes[1]);
    COMPUTE(p.buffers[1]);
#undef WORK
#undef COMPUTE
    take_c(&p);
    CALL(cusparseSpGEMM_copy(handle, plain, plain, &one, p.a, p.b, &zero, p.c, CUDA_R_64F, algorithm,
                             p.descr));
    end(&p);
    return p.result;
}

void sparse_cusparse_free(spmm_csr_t *c)
{
    (void)cudaFree((void *)(uintptr_t)c->row_ptr);
    (void)cudaFree((void *)(uintptr_t)c->col_ind);
    (void)cudaFree((void *)(uintptr_t)c->values);
    memset(c, 0, sizeof *c);
}
