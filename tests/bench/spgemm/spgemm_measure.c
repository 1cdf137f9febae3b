/* SPDX-License-Identifier: Apache-2.0 */
/* Times, memory and verdicts of methods; see spgemm_bench.h. The program is linked with --wrap for the
 * functions that allocate and free device memory, so that allocations of the libraries are counted too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spgemm_bench.h"

#define FLUSH_BYTES ((size_t)256 << 20)
#define TURNS_MIN 5
#define TURNS_MAX 101
#define REPEATS 10
#define BLOCKS_MAX 4096

void bench_require(int is_done, const char *what)
{
    if (is_done)
        return;
    fprintf(stderr, "spgemm_bench: %s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

double bench_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static struct {
    void *block;
    size_t bytes;
} blocks[BLOCKS_MAX];
static uint64_t live, peak;

cudaError_t __real_cudaMalloc(void **block, size_t bytes);
cudaError_t __real_cudaFree(void *block);
cudaError_t __wrap_cudaMalloc(void **block, size_t bytes);
cudaError_t __wrap_cudaFree(void *block);

cudaError_t __real_cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __real_cudaFreeAsync(void *block, cudaStream_t stream);
cudaError_t __wrap_cudaFreeAsync(void *block, cudaStream_t stream);

static void note_taken(void *block, size_t bytes)
{
    for (int i = 0; block != NULL && i < BLOCKS_MAX; i++)
        if (blocks[i].block == NULL) {
            blocks[i].block = block;
            blocks[i].bytes = bytes;
            live += bytes;
            peak = live > peak ? live : peak;
            break;
        }
}

static void note_freed(const void *block)
{
    for (int i = 0; block != NULL && i < BLOCKS_MAX; i++)
        if (blocks[i].block == block) {
            blocks[i].block = NULL;
            live -= blocks[i].bytes;
        }
}

cudaError_t __wrap_cudaMalloc(void **block, size_t bytes)
{
    const cudaError_t error = __real_cudaMalloc(block, bytes);
    if (error == cudaSuccess)
        note_taken(*block, bytes);
    return error;
}

cudaError_t __wrap_cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    const cudaError_t error = __real_cudaMallocFromPoolAsync(block, bytes, pool, stream);
    if (error == cudaSuccess)
        note_taken(*block, bytes);
    return error;
}

cudaError_t __wrap_cudaFree(void *block)
{
    note_freed(block);
    return __real_cudaFree(block);
}

cudaError_t __wrap_cudaFreeAsync(void *block, cudaStream_t stream)
{
    note_freed(block);
    return __real_cudaFreeAsync(block, stream);
}

void bench_memory_reset(void)
{
    peak = live;
}

uint64_t bench_memory_now(void)
{
    return live;
}

uint64_t bench_memory_peak(void)
{
    return peak;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double elapsed(cudaEvent_t from, cudaEvent_t to)
{
    float ms = 0;
    bench_require(cudaEventSynchronize(to) == cudaSuccess &&
                      cudaEventElapsedTime(&ms, from, to) == cudaSuccess,
                  "an event");
    return (double)ms;
}

void bench_time(bench_call call, void *context, double seconds, struct bench_row *row)
{
    static void *flush;
    static cudaEvent_t from, to;
    double ms[TURNS_MAX];
    int turns = 0;
    if (flush == NULL)
        bench_require(__real_cudaMalloc(&flush, FLUSH_BYTES) == cudaSuccess &&
                          cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&to) == cudaSuccess,
                      "a buffer");
    const double begin = bench_now();
    call(context);
    bench_require(cudaDeviceSynchronize() == cudaSuccess, "the first call");
    while (turns < TURNS_MAX && (turns < TURNS_MIN || bench_now() - begin < 1e3 * seconds)) {
        (void)cudaMemsetAsync(flush, turns, FLUSH_BYTES, NULL);
        (void)cudaEventRecord(from, NULL);
        call(context);
        (void)cudaEventRecord(to, NULL);
        ms[turns++] = elapsed(from, to);
    }
    qsort(ms, (size_t)turns, sizeof ms[0], by_time);
    row->cold = ms[turns / 2];
    call(context);
    (void)cudaEventRecord(from, NULL);
    for (int i = 0; i < turns; i++)
        call(context);
    (void)cudaEventRecord(to, NULL);
    row->warm = elapsed(from, to) / turns;
}

static double value_at(spmm_dtype_t dtype, const void *values, int64_t q)
{
    return dtype == SPMM_F32 ? (double)((const float *)values)[q] : ((const double *)values)[q];
}

static void *download(const void *from, size_t bytes)
{
    void *host = malloc(bytes + 1);
    bench_require(host != NULL && cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess,
                  "a download");
    return host;
}

static int same_indices(const int *device, const int *right, int64_t count)
{
    int *found = download(device, (size_t)count * sizeof *found);
    const int same = memcmp(found, right, (size_t)count * sizeof *found) == 0;
    free(found);
    return same;
}

void bench_judge(const struct bench_case *c, const int *row_ptr, const int *columns, const void *values,
                 struct bench_row *row)
{
    const size_t bytes = (size_t)c->nnz * spmm_dtype_size(c->dtype);
    if ((row_ptr != NULL && !same_indices(row_ptr, c->row_ptr, c->a.rows + 1)) ||
        (columns != NULL && !same_indices(columns, c->col_ind, c->nnz))) {
        row->verdict = "PATTERN";
        return;
    }
    void *found = download(values, bytes);
    int64_t wrong = 0;
    for (int64_t q = 0; q < c->nnz; q++)
        wrong += !(fabs(value_at(c->dtype, found, q) - value_at(c->dtype, c->right, q)) <= c->bound[q]);
    row->verdict = memcmp(found, c->right, bytes) == 0 ? "bits" : wrong == 0 ? "bound" : "WRONG";
    free(found);
}

int bench_repeats(const struct bench_case *c, bench_call call, void *context, void *values)
{
    const size_t bytes = (size_t)c->nnz * spmm_dtype_size(c->dtype);
    void *first = NULL;
    int same = 1;
    for (int i = 0; i < REPEATS && same; i++) {
        bench_require(cudaMemset(values, 0xff, bytes) == cudaSuccess, "a fill");
        call(context);
        bench_require(cudaDeviceSynchronize() == cudaSuccess, "a repeat");
        void *found = download(values, bytes);
        if (first == NULL)
            first = found;
        else {
            same = memcmp(first, found, bytes) == 0;
            free(found);
        }
    }
    free(first);
    return same;
}

void bench_print(const struct bench_case *c, const struct bench_row *r)
{
    printf("%s,%s,%s,%lld,%llu,%lld,%.2f,%s,%.4f,%.4f,%.2f,%.2f,%.2f,%s,%d\n", c->name, c->form,
           spmm_dtype_name(c->dtype), (long long)c->a.rows, (unsigned long long)c->products,
           (long long)c->nnz, (double)c->products / (double)c->nnz, r->method, r->cold, r->warm, r->setup,
           1e-6 * (double)r->peak, 1e-6 * (double)r->kept, r->verdict, r->repeats);
    (void)fflush(stdout);
}
