/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of cuSPARSE: SpGEMM with each algorithm, whose phases are timed without allocations, and
 * the numeric phase of SpGEMMreuse. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <string.h>

#include "spgemm_bench.h"

#define ONCE_TURNS 5
#define CHUNK 0.2f /* ALG3: share of the products per chunk, as in NVIDIA's sample */

static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

struct peer {
    const struct bench_case *c;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a, b, product;
    cusparseSpGEMMDescr_t descr;
    cusparseSpGEMMAlg_t algorithm;
    cudaDataType_t type;
    void *buffers[5];
    int *row_ptr, *col_ind; /* of C */
    void *values;
    double ms; /* time of calls, without allocations */
    cusparseStatus_t status;
};

static const void *one_of(const struct peer *p, int is_zero)
{
    static const float f[] = {1, 0};
    static const double d[] = {1, 0};
    return p->type == CUDA_R_32F ? (const void *)&f[is_zero] : (const void *)&d[is_zero];
}

/* Adds the time of a call, if all earlier calls were successful. */
#define PHASE(p, call)                                \
    do {                                              \
        if ((p)->status == CUSPARSE_STATUS_SUCCESS) { \
            (void)cudaDeviceSynchronize();            \
            const double begin_ = bench_now();        \
            (p)->status = call;                       \
            (void)cudaDeviceSynchronize();            \
            (p)->ms += bench_now() - begin_;          \
        }                                             \
    } while (0)

static void room(struct peer *p, void **block, size_t bytes)
{
    if (p->status == CUSPARSE_STATUS_SUCCESS && cudaMalloc(block, bytes + 1) != cudaSuccess) {
        (void)cudaGetLastError();
        p->status = CUSPARSE_STATUS_ALLOC_FAILED;
    }
}

static cusparseSpMatDescr_t matrix_of(const struct bench_matrix *m, cudaDataType_t type)
{
    cusparseSpMatDescr_t matrix = NULL;
    bench_require(cusparseCreateCsr(&matrix, m->rows, m->cols, m->nnz, m->row_ptr, m->col_ind, m->values,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                    type) == CUSPARSE_STATUS_SUCCESS,
                  "cusparseCreateCsr");
    return matrix;
}

static void open_peer(struct peer *p)
{
    p->ms = 0;
    p->status = CUSPARSE_STATUS_SUCCESS;
    room(p, (void **)&p->row_ptr, ((size_t)p->c->a.rows + 1) * sizeof *p->row_ptr);
    bench_require(cusparseCreateCsr(&p->product, p->c->a.rows, p->c->b.cols, 0, p->row_ptr, NULL, NULL,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                    p->type) == CUSPARSE_STATUS_SUCCESS &&
                      cusparseSpGEMM_createDescr(&p->descr) == CUSPARSE_STATUS_SUCCESS,
                  "cusparseSpGEMM_createDescr");
}

static void close_peer(struct peer *p)
{
    for (size_t i = 0; i < sizeof p->buffers / sizeof p->buffers[0]; i++)
        (void)cudaFree(p->buffers[i]);
    memset(p->buffers, 0, sizeof p->buffers);
    (void)cudaFree(p->values);
    (void)cudaFree(p->col_ind);
    (void)cudaFree(p->row_ptr);
    p->values = NULL;
    p->row_ptr = p->col_ind = NULL;
    (void)cusparseSpGEMM_destroyDescr(p->descr);
    (void)cusparseDestroySpMat(p->product);
}

static void free_buffer(struct peer *p, int i)
{
    (void)cudaFree(p->buffers[i]);
    p->buffers[i] = NULL;
}

/* Allocates the arrays of C for the number of entries that cuSPARSE found. */
static void take_c(struct peer *p)
{
    int64_t rows = 0, cols = 0, nnz = 0;
    if (p->status != CUSPARSE_STATUS_SUCCESS)
        return;
    (void)cusparseSpMatGetSize(p->product, &rows, &cols, &nnz);
    if (nnz != p->c->nnz) {
        p->status = CUSPARSE_STATUS_INTERNAL_ERROR;
        return;
    }
    room(p, (void **)&p->col_ind, (size_t)nnz * sizeof *p->col_ind);
    room(p, &p->values, (size_t)nnz * spmm_dtype_size(p->c->dtype));
    if (p->status == CUSPARSE_STATUS_SUCCESS)
        p->status = cusparseCsrSetPointers(p->product, p->row_ptr, p->col_ind, p->values);
}

/* Estimates the memory of the second phase, which ALG2 and ALG3 require. */
static void estimate(struct peer *p, size_t *bytes)
{
    size_t own = 0;
    PHASE(p, cusparseSpGEMM_estimateMemory(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1),
                                           p->product, p->type, p->algorithm, p->descr, CHUNK, &own, NULL,
                                           NULL));
    room(p, &p->buffers[2], own);
    PHASE(p, cusparseSpGEMM_estimateMemory(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1),
                                           p->product, p->type, p->algorithm, p->descr, CHUNK, &own,
                                           p->buffers[2], bytes));
    free_buffer(p, 2);
}

static void product_once(struct peer *p)
{
    size_t bytes[2] = {0, 0};
    const int is_chunked = p->algorithm == CUSPARSE_SPGEMM_ALG2 || p->algorithm == CUSPARSE_SPGEMM_ALG3;
#define WORK(buffer)                                                                                        \
    PHASE(p, cusparseSpGEMM_workEstimation(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1), \
                                           p->product, p->type, p->algorithm, p->descr, &bytes[0], buffer))
#define COMPUTE(buffer)                                                                              \
    PHASE(p, cusparseSpGEMM_compute(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1), \
                                    p->product, p->type, p->algorithm, p->descr, &bytes[1], buffer))
    WORK(NULL);
    room(p, &p->buffers[0], bytes[0]);
    WORK(p->buffers[0]);
    if (is_chunked)
        estimate(p, &bytes[1]);
    else
        COMPUTE(NULL);
    room(p, &p->buffers[1], bytes[1]);
    COMPUTE(p->buffers[1]);
#undef COMPUTE
#undef WORK
    take_c(p);
    PHASE(p, cusparseSpGEMM_copy(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1), p->product,
                                 p->type, p->algorithm, p->descr));
}

static void bench_once(struct peer *p, const char *method)
{
    struct bench_row row = {method, -1, -1, 0, 0, 0, "FAILED", -1};
    const double begin = bench_now();
    for (int turn = 0; turn < ONCE_TURNS && (turn < 2 || bench_now() - begin < 1e3 * p->c->seconds); turn++) {
        const uint64_t before = bench_memory_now();
        const double start = bench_now();
        bench_memory_reset();
        open_peer(p);
        product_once(p);
        row.setup = bench_now() - start; /* time of the whole call, with allocations */
        row.peak = bench_memory_peak() - before;
        if (p->status == CUSPARSE_STATUS_SUCCESS && turn == 0)
            bench_judge(p->c, p->row_ptr, p->col_ind, p->values, &row);
        if (p->status == CUSPARSE_STATUS_SUCCESS && (row.cold < 0 || p->ms < row.cold))
            row.cold = p->ms;
        close_peer(p);
    }
    bench_print(p->c, &row);
}

static void reuse_setup(struct peer *p)
{
    size_t bytes[5] = {0};
    PHASE(p, cusparseSpGEMMreuse_workEstimation(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm,
                                                p->descr, &bytes[0], NULL));
    room(p, &p->buffers[0], bytes[0]);
    PHASE(p, cusparseSpGEMMreuse_workEstimation(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm,
                                                p->descr, &bytes[0], p->buffers[0]));
    PHASE(p, cusparseSpGEMMreuse_nnz(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm, p->descr,
                                     &bytes[1], NULL, &bytes[2], NULL, &bytes[3], NULL));
    for (int i = 1; i < 4; i++)
        room(p, &p->buffers[i], bytes[i]);
    PHASE(p, cusparseSpGEMMreuse_nnz(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm, p->descr,
                                     &bytes[1], p->buffers[1], &bytes[2], p->buffers[2], &bytes[3],
                                     p->buffers[3]));
    free_buffer(p, 0);
    free_buffer(p, 1);
    take_c(p);
    PHASE(p, cusparseSpGEMMreuse_copy(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm, p->descr,
                                      &bytes[4], NULL));
    room(p, &p->buffers[4], bytes[4]);
    PHASE(p, cusparseSpGEMMreuse_copy(p->handle, plain, plain, p->a, p->b, p->product, p->algorithm, p->descr,
                                      &bytes[4], p->buffers[4]));
    free_buffer(p, 2);
}

static void reuse_compute(void *context)
{
    struct peer *p = context;
    const cusparseStatus_t status =
        cusparseSpGEMMreuse_compute(p->handle, plain, plain, one_of(p, 0), p->a, p->b, one_of(p, 1),
                                    p->product, p->type, p->algorithm, p->descr);
    p->status = p->status == CUSPARSE_STATUS_SUCCESS ? status : p->status;
}

static void bench_reuse(struct peer *p)
{
    struct bench_row row = {"cusparse-reuse", -1, -1, 0, 0, 0, "FAILED", -1};
    const uint64_t before = bench_memory_now();
    const double start = bench_now();
    bench_memory_reset();
    open_peer(p);
    reuse_setup(p);
    row.setup = bench_now() - start;
    row.peak = bench_memory_peak() - before;
    row.kept = bench_memory_now() - before;
    if (p->status == CUSPARSE_STATUS_SUCCESS) {
        bench_time(reuse_compute, p, p->c->seconds, &row);
        row.repeats = bench_repeats(p->c, reuse_compute, p, p->values);
        bench_judge(p->c, p->row_ptr, p->col_ind, p->values, &row);
    }
    close_peer(p);
    bench_print(p->c, &row);
}

void bench_cusparse(const struct bench_case *c)
{
    static const struct {
        cusparseSpGEMMAlg_t algorithm;
        const char *name;
    } methods[] = {{CUSPARSE_SPGEMM_DEFAULT, "cusparse-default"},
                   {CUSPARSE_SPGEMM_ALG1, "cusparse-alg1"},
                   {CUSPARSE_SPGEMM_ALG2, "cusparse-alg2"},
                   {CUSPARSE_SPGEMM_ALG3, "cusparse-alg3"}};
    struct peer p = {.c = c, .type = c->dtype == SPMM_F32 ? CUDA_R_32F : CUDA_R_64F};
    bench_require(cusparseCreate(&p.handle) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate");
    p.a = matrix_of(&c->a, p.type);
    p.b = matrix_of(&c->b, p.type);
    p.algorithm = CUSPARSE_SPGEMM_DEFAULT;
    bench_reuse(&p);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        p.algorithm = methods[m].algorithm;
        bench_once(&p, methods[m].name);
    }
    (void)cusparseDestroySpMat(p.a);
    (void)cusparseDestroySpMat(p.b);
    (void)cusparseDestroy(p.handle);
}
