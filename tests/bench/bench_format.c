/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the cost of plan files: bytes per nonzero, compared with CSR and with CSR compressed by zstd,
 * and the rate of loading.
 * Usage: bench_format [--dtype f32|f64] [--repeat N] MATRIX...   Prints a row of a Markdown table for each
 * matrix.
 * CSR has 4-byte row pointers here. Rates are raw bytes (of CSR) per second, for the fastest of N loads
 * from memory.
 * The last line is the largest share of hashing and checks in the time of a load, for docs/reliability.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zstd.h>

#include <spmm/spmm.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "format/file/plan_header.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_on(spmm_status_t status, const spmm_diag_t *diag)
{
    if (status == SPMM_OK)
        return;
    fprintf(stderr, "bench_format: %s: %s\n", spmm_status_name(status), diag->text);
    exit(1);
}

static uint64_t zstd_bytes(const void *data, size_t size)
{
    void *out = malloc(ZSTD_compressBound(size));
    const size_t result = out == NULL ? 0 : ZSTD_compress(out, ZSTD_compressBound(size), data, size, 3);
    free(out);
    return result;
}

static uint64_t zstd_of_csr(const spmm_plan_t *p)
{
    uint32_t *row_ptr = malloc(((size_t)p->rows + 1) * sizeof *row_ptr);
    if (row_ptr == NULL)
        exit(1);
    for (int64_t i = 0; i <= p->rows; i++)
        row_ptr[i] = (uint32_t)p->row_ptr[i];
    const uint64_t bytes = zstd_bytes(row_ptr, ((size_t)p->rows + 1) * sizeof *row_ptr) +
                           zstd_bytes(p->col_ind, (size_t)p->nnz * sizeof *p->col_ind) +
                           zstd_bytes(p->values, (size_t)p->nnz * spmm_dtype_size(p->dtype));
    free(row_ptr);
    return bytes;
}

static double load_seconds(const void *bytes, size_t size, int threads, int repeat)
{
    const spmm_load_options_t options = {sizeof options, UINT64_C(1) << 40, threads};
    double best = 1e9;
    for (int k = 0; k < repeat; k++) {
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        const double start = now();
        stop_on(spmm_plan_read(bytes, size, &options, &plan, &diag), &diag);
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        spmm_plan_destroy(plan);
    }
    return best;
}

/* Returns the time of hashing and validation alone, on one thread. */
static double check_seconds(const spmm_plan_t *plan, const void *bytes, size_t size, int repeat)
{
    double best = 1e9;
    for (int k = 0; k < repeat; k++) {
        static struct spmmi_container container;
        spmm_diag_t diag;
        memset(&diag, 0, sizeof diag);
        const double start = now();
        stop_on(spmmi_container_open(bytes, size, &container, &diag), &diag);
        stop_on(spmmi_container_frames(&container, 1, &diag), &diag);
        stop_on(spmmi_plan_check(plan, &diag), &diag);
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        spmmi_free(container.frames);
    }
    return best;
}

static void sections_line(const spmm_plan_t *plan, const void *bytes, size_t size)
{
    spmm_plan_t *loaded = NULL;
    spmm_diag_t diag;
    stop_on(spmm_plan_read(bytes, size, NULL, &loaded, &diag), &diag);
    for (uint32_t i = 0; i < loaded->section_count && plan->nnz > 0; i++)
        printf(" %s %.3f", loaded->sections[i].name,
               (double)loaded->sections[i].stored_bytes / (double)plan->nnz);
    printf("\n");
    spmm_plan_destroy(loaded);
}

static double largest_share; /* largest share of hashing and checks in the time of a load on one thread */

static void bench(const char *path, spmm_dtype_t dtype, int repeat, int is_detailed)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    void *bytes = NULL;
    size_t size = 0;
    spmm_inspect_options_t inspect = SPMM_INSPECT_OPTIONS_INIT;
    inspect.a_type = dtype;
    stop_on(strncmp(path, "gen:", 4) == 0 ? spmm_matrix_generate(path, &matrix, &diag)
                                          : spmm_matrix_load(path, NULL, &matrix, &diag),
            &diag);
    stop_on(spmm_inspect(matrix, &inspect, &plan, &diag), &diag);
    const double start = now();
    const spmm_save_options_t save = {sizeof save, 0, 0, 1};
    stop_on(spmm_plan_write(plan, &save, &bytes, &size, &diag), &diag);
    const double write_seconds = now() - start;
    const double nnz = (double)plan->nnz;
    const double csr = 4.0 * (double)(plan->rows + 1) + nnz * (4.0 + (double)spmm_dtype_size(dtype));
    const double one = load_seconds(bytes, size, 1, repeat), two = load_seconds(bytes, size, 2, repeat);
    const double check = check_seconds(plan, bytes, size, repeat);
    if (check / one > largest_share)
        largest_share = check / one;
    const char *slash = strrchr(path, '/');
    printf("| %s | %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f %% |\n",
           slash ? slash + 1 : path, spmm_dtype_name(dtype), nnz, csr / nnz, (double)zstd_of_csr(plan) / nnz,
           (double)size / nnz, csr / write_seconds * 1e-9, csr / one * 1e-9, csr / two * 1e-9,
           100.0 * check / one);
    if (is_detailed)
        sections_line(plan, bytes, size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

int main(int argc, char **argv)
{
    spmm_dtype_t dtype = SPMM_F32;
    int repeat = 5, is_detailed = 0;
    printf("| matrix | dtype | nonzeros | CSR B/nz | zstd -3 B/nz | plan B/nz | write GB/s | load GB/s, 1 "
           "thread | "
           "2 threads | hash + checks |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dtype") == 0 && i + 1 < argc)
            dtype = strcmp(argv[++i], "f64") == 0 ? SPMM_F64 : SPMM_F32;
        else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
            repeat = atoi(argv[++i]);
        else if (strcmp(argv[i], "--sections") == 0)
            is_detailed = 1;
        else
            bench(argv[i], dtype, repeat, is_detailed);
        (void)fflush(stdout);
    }
    printf("scorecard: E20 %.0f %% of the time of a load on one thread at most\n", 100 * largest_share);
    return 0;
}
