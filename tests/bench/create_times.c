/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how long the creation of an executor on a GPU takes: create_times [--csv COMMIT] [--small]
 * [N] [MATRIX...], for N columns of B (64) and for files or generator strings such as gen:rand:1000000:12.
 * For each matrix, it prints the bytes on the device and of the plan file, and medians of seven runs in ms
 * after one warm-up: of create, of load (from the page cache) and of both (spmm_executor_load). For
 * comparison, it also times copies of the same size from ordinary and from pinned memory. It also prints
 * the time of the first create of the process, with CUDA already initialised, and at the end the time to
 * allocate 1 MiB from the library's pool and release it. --csv: prints rows of docs/create_results.csv.
 * --small: measures instead how long it takes to create and destroy an executor of a small matrix again and
 * again, with device memory from cudaMalloc, which is the default, from the library's pool, and from an
 * allocator of the caller that keeps released blocks. */
#include <cuda_runtime_api.h>
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "executor/cuda/cuda_pool.h"

#define TIMES 7
#define POOL_BYTES ((size_t)1 << 20)
#define POOL_PAIRS 1000 /* number of allocations and releases that are timed together */
#define SMALL_PAIRS 100 /* number of executors that are created and destroyed in one measurement */
#define KEPT_MAX 64     /* blocks that the caller's allocator keeps */

static const char *csv_commit; /* commit in rows of CSV; NULL: output for people */

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

/* A plan that is measured, and the file that contains it. */
struct subject {
    const char *name;
    const spmm_plan_t *plan;
    char path[64];
    uint64_t device_bytes, file_bytes;
};

static void print_head(const struct subject *of)
{
    if (csv_commit == NULL)
        printf("%s,device %.1f MB,file %.1f MB", of->name, (double)of->device_bytes * 1e-6,
               (double)of->file_bytes * 1e-6);
}

/* Prints one time: as a row of CSV with --csv, else followed by `end`. */
static void print_time(const struct subject *of, const char *what, double ms, const char *end)
{
    struct cudaDeviceProp device;
    char date[16];
    const time_t now = time(NULL);
    struct tm utc;
    if (csv_commit == NULL) {
        printf(",%s %.4g ms%s", what, ms, end);
        return;
    }
    require(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "cudaGetDeviceProperties");
    (void)strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    printf("%s,%s,%s,%s,%llu,%llu,%s,%.4g\n", date, csv_commit, device.name, of->name,
           (unsigned long long)of->device_bytes, (unsigned long long)of->file_bytes, what, ms);
}

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

/* ---- executors that are created often ---- */

static void *take_from_pool(void *context, size_t bytes, int device, void *stream)
{
    void *block = NULL;
    (void)context;
    (void)device;
    return spmmi_pool_take(bytes, stream, &block, NULL) == SPMM_OK ? block : NULL;
}

static void give_to_pool(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)context;
    (void)device;
    spmmi_pool_free(block, bytes, stream);
}

/* Blocks that the caller's allocator has got from cudaMalloc. It hands out a free one of the same size, as
 * allocators of frameworks do. */
static struct {
    struct {
        void *memory;
        size_t bytes;
        int is_free;
    } list[KEPT_MAX];
    int count;
} kept;

static void *take_kept(void *context, size_t bytes, int device, void *stream)
{
    (void)context;
    (void)device;
    (void)stream;
    for (int i = 0; i < kept.count; i++) {
        if (kept.list[i].is_free && kept.list[i].bytes == bytes) {
            kept.list[i].is_free = 0;
            return kept.list[i].memory;
        }
    }
    void *memory = NULL;
    require(kept.count < KEPT_MAX && cudaMalloc(&memory, bytes) == cudaSuccess, "the allocator");
    kept.list[kept.count].memory = memory;
    kept.list[kept.count++].bytes = bytes;
    return memory;
}

static void give_kept(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)context;
    (void)bytes;
    (void)device;
    (void)stream;
    for (int i = 0; i < kept.count; i++)
        if (kept.list[i].memory == block)
            kept.list[i].is_free = 1;
}

static double small_once(const struct subject *of, const spmm_device_allocator_t *allocator)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.allocator = allocator;
    const double start = ms_now();
    for (int i = 0; i < SMALL_PAIRS; i++) {
        spmm_executor_t *executor = NULL;
        require(spmm_executor_create(of->plan, 0, &options, &executor, NULL) == SPMM_OK,
                "spmm_executor_create");
        spmm_executor_destroy(executor);
    }
    return (ms_now() - start) / SMALL_PAIRS;
}

static double small_default(struct subject *of)
{
    return small_once(of, NULL);
}

static double small_pool(struct subject *of)
{
    const spmm_device_allocator_t pool = {sizeof pool, take_from_pool, give_to_pool, NULL};
    return small_once(of, &pool);
}

static double small_caller(struct subject *of)
{
    const spmm_device_allocator_t caller = {sizeof caller, take_kept, give_kept, NULL};
    return small_once(of, &caller);
}

static double copy_once(void *device, const void *host, uint64_t bytes)
{
    const double start = ms_now();
    require(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
    return ms_now() - start;
}

/* For comparison, times copies of the same number of bytes. */
static void print_copies(const struct subject *of)
{
    const uint64_t bytes = of->device_bytes;
    void *device = NULL, *pinned = NULL;
    char *host = malloc(bytes);
    require(host != NULL && cudaMalloc(&device, bytes) == cudaSuccess &&
                cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault) == cudaSuccess,
            "memory");
    memset(host, 1, bytes);
    (void)copy_once(device, host, bytes);
    print_time(of, "pageable_copy", copy_once(device, host, bytes), "");
    print_time(of, "pinned_copy", copy_once(device, pinned, bytes), "\n");
    (void)cudaFreeHost(pinned);
    (void)cudaFree(device);
    free(host);
}

/* Times allocations and releases of a pool block. The pool keeps the memory. */
static double pool_once(struct subject *of)
{
    void *block = NULL;
    (void)of;
    const double start = ms_now();
    for (int i = 0; i < POOL_PAIRS; i++) {
        require(spmmi_pool_take(POOL_BYTES, NULL, &block, NULL) == SPMM_OK, "spmmi_pool_take");
        spmmi_pool_free(block, POOL_BYTES, NULL);
    }
    return (ms_now() - start) / POOL_PAIRS;
}

/* Times the first create of the process, which maps and pins the ring of uploads. Returns -1 in later
 * calls. */
static double first_create(struct subject *of)
{
    static int is_made;
    if (is_made)
        return -1;
    is_made = 1;
    require(cudaFree(NULL) == cudaSuccess, "cudaFree");
    return create_once(of);
}

static void measure_pool(void)
{
    struct subject of = {.name = "", .device_bytes = POOL_BYTES};
    print_head(&of);
    print_time(&of, "pool_take_and_free", median_of(pool_once, &of), "\n");
}

static spmm_matrix_t *matrix_of(const char *name)
{
    spmm_matrix_t *a = NULL;
    const int is_generated = strncmp(name, "gen:", 4) == 0;
    require((is_generated ? spmm_matrix_generate(name, &a, NULL) : spmm_matrix_load(name, NULL, &a, NULL)) ==
                SPMM_OK,
            name);
    return a;
}

static const char *name_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static spmm_plan_t *plan_of(const char *name, int64_t n)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    spmm_matrix_t *a = matrix_of(name);
    options.n = &n;
    options.n_count = 1;
    require(spmm_inspect(a, &options, &plan, NULL) == SPMM_OK, "spmm_inspect");
    spmm_matrix_destroy(a);
    return plan;
}

static void measure_small(const char *name, int64_t n)
{
    spmm_plan_t *plan = plan_of(name, n);
    struct subject of = {.name = name_of(name), .plan = plan};
    (void)create_once(&of); /* initialises CUDA and counts the bytes */
    print_head(&of);
    print_time(&of, "small_malloc", median_of(small_default, &of), "");
    print_time(&of, "small_pool", median_of(small_pool, &of), "");
    print_time(&of, "small_caller", median_of(small_caller, &of), "\n");
    spmm_plan_destroy(plan);
}

static void measure(const char *name, int64_t n)
{
    struct stat file;
    spmm_plan_t *plan = plan_of(name, n);
    struct subject of = {.name = name_of(name)};
    (void)snprintf(of.path, sizeof of.path, "create_times.%d.plan", (int)getpid());
    require(spmm_plan_save(plan, of.path, NULL, NULL) == SPMM_OK, "spmm_plan_save");
    require(stat(of.path, &file) == 0, "stat");
    of.plan = plan;
    of.file_bytes = (uint64_t)file.st_size;
    const double first = first_create(&of), create = median_of(create_once, &of);
    print_head(&of);
    if (first >= 0)
        print_time(&of, "first_create", first, "");
    print_time(&of, "create", create, "");
    print_time(&of, "load", median_of(load_once, &of), "");
    print_time(&of, "load_and_create", median_of(both_once, &of), "");
    print_copies(&of);
    (void)unlink(of.path);
    spmm_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    static const char *const standard[2][3] = {
        {"gen:rand:270000:12", "gen:rand:1050000:12", "gen:rand:10500000:12"},
        {"gen:rand:300:8", "gen:rand:3000:12", "gen:rand:30000:12"}};
    int first = 1, is_small = 0;
    if (argc > first + 1 && strcmp(argv[first], "--csv") == 0) {
        csv_commit = argv[first + 1];
        first += 2;
        printf("date,commit,device,matrix,device_bytes,file_bytes,what,ms\n");
    }
    if (argc > first && strcmp(argv[first], "--small") == 0) {
        is_small = 1;
        first++;
    }
    void (*const one)(const char *name, int64_t n) = is_small ? measure_small : measure;
    const int64_t given = argc > first ? atoll(argv[first]) : 0, n = given > 0 ? given : 64;
    first += given > 0;
    for (int i = first; i < argc; i++)
        one(argv[i], n);
    for (int i = 0; i < 3 && argc == first; i++)
        one(standard[is_small][i], n);
    if (!is_small)
        measure_pool();
    return 0;
}
