/* SPDX-License-Identifier: Apache-2.0 */
/* How long an executor on a GPU takes to be made: create_times [N] [MATRIX...], for n columns (64) and generator
 * strings such as gen:rand:1000000:12. Prints, of each, the bytes on the device and in a plan file, and medians of
 * seven times in ms, after one that is not counted: of create, of load (from the page cache) and of both
 * (spmm_executor_load); beside it one copy of as many bytes from ordinary and from pinned memory. */
#include <cuda_runtime_api.h>
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

/* What is measured, of a plan and of the file that it is in. */
struct subject {
    const spmm_plan_t *plan;
    char path[64];
    uint64_t device_bytes;
};

static double create_once(struct subject *of)
{
    spmm_executor_t *executor = NULL;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const double start = ms_now();
    require(spmm_executor_create(of->plan, 0, NULL, &executor, NULL) == SPMM_OK, "spmm_executor_create");
    const double ms = ms_now() - start;
    require(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL) == SPMM_OK,
            "spmm_executor_info");
    of->device_bytes = info.device_bytes;
    spmm_executor_destroy(executor);
    return ms;
}

static double load_once(struct subject *of)
{
    spmm_plan_t *plan = NULL;
    const double start = ms_now();
    require(spmm_plan_load(of->path, NULL, &plan, NULL) == SPMM_OK, "spmm_plan_load");
    const double ms = ms_now() - start;
    spmm_plan_destroy(plan);
    return ms;
}

static double both_once(struct subject *of)
{
    spmm_executor_t *executor = NULL;
    const double start = ms_now();
    require(spmm_executor_load(of->path, NULL, 0, NULL, &executor, NULL) == SPMM_OK, "spmm_executor_load");
    const double ms = ms_now() - start;
    spmm_executor_destroy(executor);
    return ms;
}

static double median_of(double (*once)(struct subject *), struct subject *of)
{
    double ms[TIMES];
    (void)once(of);
    for (int i = 0; i < TIMES; i++)
        ms[i] = once(of);
    qsort(ms, TIMES, sizeof *ms, compare);
    return ms[TIMES / 2];
}

static double copy_once(void *device, const void *host, uint64_t bytes)
{
    const double start = ms_now();
    require(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
    return ms_now() - start;
}

/* Beside it: copies of as many bytes. */
static void print_copies(uint64_t bytes)
{
    void *device = NULL, *pinned = NULL;
    char *host = malloc(bytes);
    require(host != NULL && cudaMalloc(&device, bytes) == cudaSuccess &&
                cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault) == cudaSuccess,
            "memory");
    memset(host, 1, bytes);
    (void)copy_once(device, host, bytes);
    printf(",pageable copy %.2f ms,pinned copy %.2f ms\n", copy_once(device, host, bytes),
           copy_once(device, pinned, bytes));
    (void)cudaFreeHost(pinned);
    (void)cudaFree(device);
    free(host);
}

static void measure(const char *name, int64_t n)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    struct stat file;
    spmm_matrix_t *a = NULL;
    spmm_plan_t *plan = NULL;
    struct subject of = {.plan = NULL};
    require(spmm_matrix_generate(name, &a, NULL) == SPMM_OK, name);
    options.n = &n;
    options.n_count = 1;
    require(spmm_inspect(a, &options, &plan, NULL) == SPMM_OK, "spmm_inspect");
    spmm_matrix_destroy(a);
    (void)snprintf(of.path, sizeof of.path, "create_times.%d.plan", (int)getpid());
    require(spmm_plan_save(plan, of.path, NULL, NULL) == SPMM_OK, "spmm_plan_save");
    require(stat(of.path, &file) == 0, "stat");
    of.plan = plan;
    const double create = median_of(create_once, &of), load = median_of(load_once, &of),
                 both = median_of(both_once, &of);
    printf("%s,device %.1f MB,file %.1f MB,create %.2f ms,load %.2f ms,both %.2f ms", name,
           (double)of.device_bytes * 1e-6, (double)file.st_size * 1e-6, create, load, both);
    print_copies(of.device_bytes);
    (void)unlink(of.path);
    spmm_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    static const char *const standard[] = {"gen:rand:270000:12", "gen:rand:1050000:12",
                                           "gen:rand:10500000:12"};
    const int64_t given = argc > 1 ? atoll(argv[1]) : 0, n = given > 0 ? given : 64;
    const int first = given > 0 ? 2 : 1;
    for (int i = first; i < argc; i++)
        measure(argv[i], n);
    for (int i = 0; i < 3 && argc == first; i++)
        measure(standard[i], n);
    return 0;
}
