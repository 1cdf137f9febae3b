/* SPDX-License-Identifier: Apache-2.0 */
/* How long an executor on a GPU takes to be made: create_times [MATRIX...], which are generator strings such as
 * gen:rand:1000000:12. Prints, of each, the bytes on the device and the median of seven times in ms, after one that is
 * not counted; beside it one copy of as many bytes from ordinary and from pinned memory. */
#include <cuda_runtime_api.h>
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMES 7

static void require(int is_done, const char *what)
{
    if (is_done)
        return;
    fprintf(stderr, "create_times: %s failed\n", what);
    exit(1);
}

static double ms_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double create_once(const spmm_plan_t *plan, uint64_t *bytes)
{
    spmm_executor_t *executor = NULL;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const double start = ms_now();
    require(spmm_executor_create(plan, 0, NULL, &executor, NULL) == SPMM_OK, "spmm_executor_create");
    const double ms = ms_now() - start;
    require(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL) == SPMM_OK,
            "spmm_executor_info");
    *bytes = info.device_bytes;
    spmm_executor_destroy(executor);
    return ms;
}

static double copy_once(void *device, const void *host, uint64_t bytes)
{
    const double start = ms_now();
    require(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
    return ms_now() - start;
}

static void measure(const char *name)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *a = NULL;
    spmm_plan_t *plan = NULL;
    double ms[TIMES];
    uint64_t bytes = 0;
    void *device = NULL, *pinned = NULL;
    require(spmm_matrix_generate(name, &a, NULL) == SPMM_OK, name);
    options.n = (const int64_t[]){64};
    options.n_count = 1;
    require(spmm_inspect(a, &options, &plan, NULL) == SPMM_OK, "spmm_inspect");
    (void)create_once(plan, &bytes);
    for (int i = 0; i < TIMES; i++)
        ms[i] = create_once(plan, &bytes);
    qsort(ms, TIMES, sizeof *ms, compare);
    char *host = malloc(bytes);
    require(host != NULL && cudaMalloc(&device, bytes) == cudaSuccess &&
                cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault) == cudaSuccess,
            "memory");
    memset(host, 1, bytes);
    (void)copy_once(device, host, bytes);
    printf("%s,%.1f MB,%.2f ms,pageable copy %.2f ms,pinned copy %.2f ms\n", name, (double)bytes * 1e-6,
           ms[TIMES / 2], copy_once(device, host, bytes), copy_once(device, pinned, bytes));
    (void)cudaFreeHost(pinned);
    (void)cudaFree(device);
    free(host);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(a);
}

int main(int argc, char **argv)
{
    static const char *const standard[] = {"gen:rand:270000:12", "gen:rand:1050000:12",
                                           "gen:rand:10500000:12"};
    for (int i = 1; i < argc; i++)
        measure(argv[i]);
    for (int i = 0; i < 3 && argc == 1; i++)
        measure(standard[i]);
    return 0;
}
