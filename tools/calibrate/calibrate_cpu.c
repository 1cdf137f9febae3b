/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of the CPU: all threads do the same kind of work at the same time, and the slowest thread determines
 * the rate. Threads read a common working set, but each thread writes only to its own part. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/progress.h"

#if defined(__x86_64__)
#define HAS_X86 1
#define WIDE __attribute__((target("avx2,fma")))
#else
#define HAS_X86 0
#define WIDE
#endif

#define MEBI 1048576.0
#define POOL_BYTES (512ull << 20)
#define SECONDS 0.03 /* minimum time of one measurement */
#define TURNS 3
#define FMA_BYTES 320 /* bytes of sums: ten 32-byte registers, more than the FMAs in flight */

struct bench {
    char *pool; /* POOL_BYTES, shared by all threads; each thread writes only to its own part */
    int threads;
};

/* The work that a thread repeats. run returns a value that depends on all of it, so that the compiler keeps
 * the work. */
struct task {
    double (*run)(const struct bench *b, const struct task *t, int thread);
    double work; /* bytes or operations of all threads, per repeat */
    uint64_t row_bytes, set_bytes, rows;
};

static volatile double sink;

/* Returns the work per second. Repeats the task until SECONDS have passed and takes the best of several
 * turns, because other programs only slow it down. */
static double rate_of(const struct bench *b, const struct task *t)
{
    double best = 0;
    int repeats = 1;
    for (int turn = 0; turn < TURNS;) {
        const double start = progress_seconds();
#pragma omp parallel num_threads(spmmi_team(b->threads))
        {
            double sum = 0;
            for (int r = 0; r < repeats; r++)
                sum += t->run(b, t, omp_get_thread_num());
            if (sum == 1.2345e300)
                sink = sum;
        }
        const double seconds = progress_seconds() - start;
        if (seconds < SECONDS && repeats < 1 << 24) {
            repeats *= seconds < SECONDS / 8 ? 8 : 2;
            continue;
        }
        const double rate = t->work * repeats / seconds;
        best = rate > best ? rate : best;
        turn++;
    }
    return best;
}

/* Measures multiplications and additions in registers. */
#define DEFINE_FMA(name, type, fma)                                                  \
    WIDE static double name(const struct bench *b, const struct task *t, int thread) \
    {                                                                                \
        enum { COUNT = FMA_BYTES / sizeof(type) };                                   \
        type a[COUNT];                                                               \
        const type x = (type)(1 + 1e-7 * thread);                                    \
        const type y = (type)(1e-9 * (b->threads + 1));                              \
        for (int j = 0; j < COUNT; j++)                                              \
            a[j] = (type)j;                                                          \
        for (uint64_t i = 0; i < t->rows; i++)                                       \
            for (int j = 0; j < COUNT; j++)                                          \
                a[j] = fma(a[j], x, y);                                              \
        double sum = 0;                                                              \
        for (int j = 0; j < COUNT; j++)                                              \
            sum += (double)a[j];                                                     \
        return sum;                                                                  \
    }
DEFINE_FMA(fma_f32, float, __builtin_fmaf)
DEFINE_FMA(fma_f64, double, __builtin_fma)

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

static const float *random_row(const struct bench *b, const struct task *t, uint64_t *state)
{
    const uint64_t rows = t->set_bytes / t->row_bytes;
    return (const float *)(const void *)(b->pool + (next_random(state) * rows >> 32) * t->row_bytes);
}

/* Sums rows of the working set in random order, as a product does with rows of B. TOGETHER rows are summed at
 * a time, in chunks of FLOATS values, so that the sums stay in registers. */
#define DEFINE_GATHER(name, FLOATS, TOGETHER)                                        \
    WIDE static double name(const struct bench *b, const struct task *t, int thread) \
    {                                                                                \
        float sum[TOGETHER][FLOATS] = {{0}};                                         \
        uint64_t state = (uint64_t)thread + 1;                                       \
        const uint64_t count = t->row_bytes / sizeof(float);                         \
        for (uint64_t r = 0; r < t->rows; r += (TOGETHER)) {                         \
            const float *row[TOGETHER];                                              \
            for (int u = 0; u < (TOGETHER); u++)                                     \
                row[u] = random_row(b, t, &state);                                   \
            for (uint64_t j = 0; j < count; j += (FLOATS))                           \
                for (int u = 0; u < (TOGETHER); u++)                                 \
                    for (int k = 0; k < (FLOATS); k++)                               \
                        sum[u][k] += row[u][j + (uint64_t)k];                        \
        }                                                                            \
        double total = 0;                                                            \
        for (int u = 0; u < (TOGETHER); u++)                                         \
            for (int k = 0; k < (FLOATS); k++)                                       \
                total += (double)sum[u][k];                                          \
        return total;                                                                \
    }
DEFINE_GATHER(gather_1, 1, 8)
DEFINE_GATHER(gather_2, 2, 8)
DEFINE_GATHER(gather_4, 4, 8)
DEFINE_GATHER(gather_8, 8, 8)
DEFINE_GATHER(gather_16, 16, 4)

/* Writes rows in random order; each thread writes to its own share of the pool. */
static double scatter(const struct bench *b, const struct task *t, int thread)
{
    char row[512];
    uint64_t state = (uint64_t)thread + 1;
    const uint64_t share = t->set_bytes / t->row_bytes / (uint64_t)b->threads; /* in rows */
    char *const first = b->pool + share * (uint64_t)thread * t->row_bytes;
    memset(row, 0, sizeof row);
    for (uint64_t r = 0; r < t->rows; r++)
        memcpy(first + (next_random(&state) * share >> 32) * t->row_bytes, row, t->row_bytes);
    return 0;
}

static double copy(const struct bench *b, const struct task *t, int thread)
{
    const uint64_t half = t->set_bytes / 2 / (uint64_t)b->threads;
    char *from = b->pool + 2 * half * (uint64_t)thread;
    memcpy(from + half, from, half);
    return 0;
}

/* Returns the time to start and join the threads: the best of many, because other programs disturb the
 * measurement. */
static double empty_region_seconds(const struct bench *b)
{
    double best = 1;
    for (int i = 0; i < 1000; i++) {
        const double start = progress_seconds();
#pragma omp parallel num_threads(spmmi_team(b->threads))
        if (omp_get_thread_num() == b->threads)
            sink = 1;
        const double seconds = progress_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static double gather_gbs(const struct bench *b, uint64_t row_bytes, double set_mib)
{
    const uint64_t rows = (1 << 20) / row_bytes;
    double (*const run)(const struct bench *, const struct task *, int) = row_bytes == 4    ? gather_1
                                                                          : row_bytes == 8  ? gather_2
                                                                          : row_bytes == 16 ? gather_4
                                                                          : row_bytes == 32 ? gather_8
                                                                                            : gather_16;
    const struct task t = {.run = run,
                           .work = (double)(rows * row_bytes) * b->threads,
                           .row_bytes = row_bytes,
                           .set_bytes = (uint64_t)(set_mib * MEBI),
                           .rows = rows};
    return 1e-9 * rate_of(b, &t);
}

static void measure_tables(const struct bench *b, struct calibration *c)
{
    static const double rows[] = {4, 8, 16, 32, 64, 128, 256, 512};
    static const double sets[] = {0.25, 1, 4, 16, 64, 256};
    static const double strides[] = {4, 8};
    c->row_count = (int)(sizeof rows / sizeof *rows);
    c->set_count = (int)(sizeof sets / sizeof *sets);
    for (int s = 0; s < c->set_count; s++) {
        c->set_mib[s] = sets[s];
        for (int r = 0; r < c->row_count; r++) {
            c->row_bytes[r] = rows[r];
            c->gather_gbs[s][r] = gather_gbs(b, (uint64_t)rows[r], sets[s]);
        }
    }
    for (int r = 0; r < c->row_count; r++) {
        const uint64_t count = (1 << 20) / (uint64_t)rows[r];
        const struct task t = {.run = scatter,
                               .work = (double)(1 << 20) * b->threads,
                               .row_bytes = (uint64_t)rows[r],
                               .set_bytes = POOL_BYTES,
                               .rows = count};
        c->scatter_bytes[r] = rows[r];
        c->scatter_gbs[r] = 1e-9 * rate_of(b, &t);
    }
    c->scatter_count = c->row_count;
    c->strided_count = (int)(sizeof strides / sizeof *strides);
    for (int r = 0; r < c->strided_count; r++) {
        c->strided_bytes[r] = strides[r];
        c->strided_gbs[r] = gather_gbs(b, (uint64_t)strides[r], 64);
    }
}

static double read_clock(void)
{
    char line[256];
    double mhz = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && mhz <= 0 && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "cpu MHz", 7) == 0 && colon != NULL)
            mhz = strtod(colon + 1, NULL);
    }
    if (file != NULL)
        (void)fclose(file);
    return mhz > 0 ? 1e-3 * mhz : 2.0;
}

static double cache_bytes(int name, double otherwise)
{
    const long bytes = sysconf(name);
    return bytes > 0 ? (double)bytes : otherwise;
}

spmm_status_t calibrate_cpu(int threads, struct calibration *c, spmm_diag_t *diag)
{
    struct bench b = {.threads = threads > 0 ? threads : omp_get_max_threads()};
#if HAS_X86
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return fail(diag, SPMM_ERR_NO_DEVICE, "calibration of the CPU needs AVX2 and FMA");
#endif
    b.pool = aligned_alloc(4096, POOL_BYTES);
    if (b.pool == NULL)
        return fail_memory(diag, POOL_BYTES, "the working sets");
    memset(b.pool, 0, POOL_BYTES);
    snprintf(c->name, sizeof c->name, "cpu");
    snprintf(c->what, sizeof c->what, "CPU, %d threads", b.threads);
    c->target = 1;
    c->multiprocessors = b.threads;
    c->clock_ghz = read_clock();
    c->l2_mib = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32 * MEBI) / MEBI;
    c->l1_kib = cache_bytes(_SC_LEVEL2_CACHE_SIZE, MEBI) / 1024;

    struct task t = {.run = copy, .work = (double)POOL_BYTES, .set_bytes = POOL_BYTES};
    c->launch_us = 1e6 * empty_region_seconds(&b);
    c->copy_gbs = 1e-9 * rate_of(&b, &t);
    c->peak_gbs = c->copy_gbs;
    t = (struct task){
        .run = fma_f32, .work = 2.0 * FMA_BYTES / sizeof(float) * 4096 * b.threads, .rows = 4096};
    c->fma_f32_gflops = 1e-9 * rate_of(&b, &t);
    c->peak_gflops = c->fma_f32_gflops;
    t.run = fma_f64;
    t.work /= sizeof(double) / sizeof(float);
    c->fma_f64_gflops = 1e-9 * rate_of(&b, &t);
    c->l1_gbs = gather_gbs(&b, 512, 1.0 / 64);
    measure_tables(&b, c);
    free(b.pool);
    return SPMM_OK;
}
