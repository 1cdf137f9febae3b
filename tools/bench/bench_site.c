/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_site.h. */
#include "bench_site.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/base/team.h"
#include "tools/compute/dense_matrix.h"
#include "tools/compute/memory_needs.h"
#include "tools/cli/fail.h"

#define SEED 20u
#define SAMPLE_ROWS 2000
#define ALL_ROWS_ELEMENTS ((int64_t)1 << 21)

spmm_status_t bench_site_create(int device, int threads, const struct timing_rule *rule,
                                struct bench_site *site, spmm_diag_t *diag)
{
    *site = (struct bench_site){.device = device, .threads = threads, .rule = *rule};
    return stopwatch_create(device, &site->watch, diag);
}

void bench_site_destroy(struct bench_site *site)
{
    check_reference_free(site->reference);
    staging_block_free(&site->staging);
    device_block_free(&site->workspace);
    device_block_free(&site->c);
    device_block_free(&site->b);
    stopwatch_destroy(site->watch);
    *site = (struct bench_site){0};
}

/* Returns ascending row numbers: all rows, or evenly spaced rows and the longest row. */
static int64_t *sample_rows(const struct host_csr *a, int64_t n, int64_t *count)
{
    const int is_all = a->rows <= SAMPLE_ROWS || a->rows <= ALL_ROWS_ELEMENTS / n;
    const int64_t sampled = is_all ? a->rows : SAMPLE_ROWS - 1;
    int64_t *rows = malloc(((size_t)sampled + 2) * sizeof *rows);
    int64_t longest = 0;
    *count = 0;
    if (rows == NULL)
        return NULL;
    for (int64_t i = 1; i < a->rows; i++)
        if (a->row_ptr[i + 1] - a->row_ptr[i] > a->row_ptr[longest + 1] - a->row_ptr[longest])
            longest = i;
    for (int64_t s = 0; s < sampled; s++) {
        const int64_t i = is_all ? s : (int64_t)((double)s * (double)a->rows / (double)sampled);
        const int64_t previous = *count > 0 ? rows[*count - 1] : -1;
        if (!is_all && longest > previous && longest < i)
            rows[(*count)++] = longest;
        rows[(*count)++] = i;
    }
    if (!is_all && longest > rows[*count - 1])
        rows[(*count)++] = longest;
    return rows;
}

/* Checks that memory is sufficient for the reference, and for B, C and the staging block of the widest case.
 * Dimensions are below 2^31 and n is below 2^17, so nothing overflows. */
static spmm_status_t plan_memory(const struct bench_site *site, const struct host_csr *a, int64_t n_max,
                                 int64_t row_count, spmm_diag_t *diag)
{
    struct memory_needs needs = {.count = 0};
    const uint64_t n = (uint64_t)n_max;
    const uint64_t b = (uint64_t)a->cols * n * spmm_dtype_size(site->b_type);
    const uint64_t c = (uint64_t)a->rows * n * spmm_dtype_size(site->c_type);
    if (site->device < 0) {
        memory_needs_add(&needs, "B", b);
        memory_needs_add(&needs, "C", c);
    }
    memory_needs_add(&needs, "staging", b > c ? b : c);
    memory_needs_add(&needs, "reference",
                     check_reference_bytes(row_count, n_max) + (uint64_t)a->cols * n * sizeof(double));
    return memory_needs_require(&needs, n_max, site->budget, diag);
}

spmm_status_t bench_site_problem(struct bench_site *site, const struct host_csr *a, spmm_dtype_t b_type,
                                 spmm_dtype_t c_type, int64_t n_max, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t row_count = 0;
    int64_t *rows = sample_rows(a, n_max, &row_count);
    double *b = NULL;

    site->a = a;
    site->b_type = b_type;
    site->c_type = c_type;
    TRY(plan_memory(site, a, n_max, row_count, diag));
    b = malloc(((size_t)a->cols * (size_t)n_max + 1) * sizeof *b);
    check_reference_free(site->reference);
    site->reference = NULL;
    if (rows == NULL || b == NULL) {
        status = fail_memory(diag, (uint64_t)a->cols * (uint64_t)n_max * sizeof *b, "B of the reference");
        goto cleanup;
    }
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t c = 0; c < n_max; c++)
            b[j * n_max + c] = dense_random(b_type, SEED, j, c);
    const struct check_input input = {.a = a, .b = b, .n = n_max, .alpha = 1.0};
    status = check_reference_make(&input, rows, row_count, &site->reference, diag);
cleanup:
    free(b);
    free(rows);
    return status;
}

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

spmm_status_t bench_site_case(struct bench_site *site, spmm_layout_t layout, int64_t n, int64_t padding,
                              spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t b_rows = round_up(site->a->cols, padding);
    const int64_t c_rows = round_up(site->a->rows, padding);
    uint64_t b_bytes = 0;
    uint64_t c_bytes = 0;

    site->b_view = (spmm_dense_t){NULL, b_rows, n, dense_ld(layout, b_rows, n), layout, site->b_type};
    site->c_view = (spmm_dense_t){NULL, c_rows, n, dense_ld(layout, c_rows, n), layout, site->c_type};
    TRY(dense_bytes(&site->b_view, &b_bytes, diag));
    TRY(dense_bytes(&site->c_view, &c_bytes, diag));
    TRY(staging_block_reserve(&site->staging, site->device, b_bytes > c_bytes ? b_bytes : c_bytes, diag));
    TRY(device_block_reserve(&site->b, site->device, b_bytes, diag));
    TRY(device_block_reserve(&site->c, site->device, c_bytes, diag));

    spmm_dense_t staged = site->b_view;
    staged.data = site->staging.data;
    dense_fill_random(&staged, SEED, site->a->cols);
    TRY(device_upload(&site->b, site->staging.data, b_bytes, diag));
    site->b_view.data = site->b.data;
    site->c_view.data = site->c.data;
cleanup:
    return status;
}

void bench_result_fail(struct bench_result *result, spmm_status_t status, const spmm_diag_t *diag)
{
    result->status = status;
    snprintf(result->note, sizeof result->note, "%.*s", (int)sizeof result->note - 1,
             diag->text[0] != '\0' ? diag->text : spmm_status_text(status));
}

/* Checks C. Libraries do not always document how they compute f32, so tf32 is tried if may_round is set. */
static spmm_status_t check_c(struct bench_site *site, struct bench_result *result, spmm_diag_t *diag)
{
    static const struct arithmetic rounded = {SPMM_COMPUTE_TF32, 1};
    spmm_status_t status = SPMM_OK;
    spmm_dense_t found = site->c_view;
    uint64_t c_bytes = 0;

    TRY(dense_bytes(&site->c_view, &c_bytes, diag));
    TRY(device_download(site->staging.data, &site->c, c_bytes, diag));
    found.data = site->staging.data;
    found.rows = site->a->rows;
    result->error_ratio = check_against(site->reference, &found, result->arithmetic).ratio;
    if (result->may_round && !(result->error_ratio <= 1.0)) {
        const double ratio = check_against(site->reference, &found, rounded).ratio;
        if (ratio <= 1.0) {
            result->arithmetic = rounded;
            result->error_ratio = ratio;
        }
    }
cleanup:
    return status;
}

void bench_site_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result)
{
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct timing timing = {0};
    struct timing_rule rule = site->rule;
    uint64_t c_bytes = 0;

    TRY(dense_bytes(&site->c_view, &c_bytes, &diag));
    TRY(device_fill(&site->c, 0xff, c_bytes, &diag)); /* NaN in every type */
    TRY(fn(context, &diag));
    TRY(device_synchronize(site->device, &diag));
    TRY(check_c(site, result, &diag));
    rule.has_run = 1;
    if (result->error_ratio > 1.0) /* its times are not compared */
        rule.once_ms = 1e-6;
    TRY(stopwatch_measure(site->watch, fn, context, &rule, &timing, &diag));
    result->ms_cold = timing.ms_cold;
    result->ms_warm = timing.ms_warm;
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
}
