/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate on the CPU: projects B, then for each row of C projects it, multiplies the row of op(A) by
 * the projections of B, and judges. Threads process blocks of rows; the result does not depend on their
 * number. */
#include <omp.h>
#include <string.h>

#include "certify_table.h"
#include "certify_tile_cpu.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"

#define ROWS SPMMI_CERTIFY_TILE_ROWS
#define LANES_MAX SPMMI_CERTIFY_LANES_MAX
#define RECORD_MAX (2 * LANES_MAX + 8)
#define ENTRIES 256 /* entries of a row of op(A) that are widened at a time */

struct pass {
    const struct spmmi_certify_job *job;
    struct spmmi_certify_level level;
    struct spmmi_certify_rule rule;
    struct spmmi_certify_projection b;
    int threads;
};

/* The memory of a thread. */
struct work {
    struct spmmi_certify_tile tile;
    double c_records[ROWS * RECORD_MAX], before_records[ROWS * RECORD_MAX];
    double sum[LANES_MAX], rest[LANES_MAX], values[ENTRIES];
    struct spmmi_certify_projection c, before; /* of a block of rows */
    struct spmmi_certify_findings findings;
};

static struct work *works_make(const struct pass *pass)
{
    struct work *works = spmmi_alloc((uint64_t)pass->threads, sizeof *works);
    for (int t = 0; works != NULL && t < pass->threads; t++) {
        works[t].c = works[t].before = pass->b;
        works[t].c.records = works[t].c_records;
        works[t].before.records = works[t].before_records;
        works[t].findings = (struct spmmi_certify_findings){.first = -1};
    }
    return works;
}

/* Adds to `row` what its bound needs of entries p .. p + count - 1 of op(A), which were widened to
 * `values`. */
static void measure_entries(const struct pass *pass, const double *values, int64_t p, int64_t count,
                            struct spmmi_certify_row *row)
{
    const int32_t *columns = pass->job->a->col_ind + p;
    for (int64_t q = 0; q < count; q++) {
        const double a = fabs(values[q]), *sizes = spmmi_certify_sizes(&pass->b, columns[q]);
        row->product += a * sizes[0];
        row->factors += (double)pass->rule.n * a + sizes[0];
        row->highest += a * sizes[1];
        row->met = fmax(row->met, sizes[0]);
        row->is_finite &= spmmi_certify_is_finite(a) & spmmi_certify_is_finite(sizes[1]);
    }
}

/* Multiplies row i of op(A) by the projections of B, into sum and rest of w. Returns what the bound needs of
 * the row. */
static struct spmmi_certify_row multiply_row(const struct pass *pass, int64_t i, struct work *w)
{
    const struct spmmi_certify_csr *a = pass->job->a;
    const spmm_dtype_t dtype = pass->job->product.a_type;
    struct spmmi_certify_row row = {.is_finite = 1};
    memset(w->sum, 0, (size_t)pass->b.lanes * sizeof *w->sum);
    memset(w->rest, 0, (size_t)pass->b.lanes * sizeof *w->rest);
    if (pass->rule.alpha == 0)
        return row;
    row.entries = (double)(a->row_ptr[i + 1] - a->row_ptr[i]);
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p += ENTRIES) {
        const int64_t left = a->row_ptr[i + 1] - p, count = left < ENTRIES ? left : ENTRIES;
        const char *values = (const char *)a->values + p * (int64_t)spmm_dtype_size(dtype);
        spmmi_certify_widen(dtype, values, 1, count, w->values);
        measure_entries(pass, w->values, p, count, &row);
        pass->level.multiply(w->values, a->col_ind + p, count, &pass->b, w->sum, w->rest);
    }
    return row;
}

/* Returns the largest ratio of the row's vectors; infinite if one is NaN, which does not occur. */
static double worst_of(const struct pass *pass, const struct work *w, int64_t at, double bound)
{
    double worst = 0;
    for (int v = 0; v < pass->job->vectors; v++) {
        const struct spmmi_certify_sum sum = {w->sum[v], w->rest[v]}, none = {0, 0};
        const double ratio = spmmi_certify_ratio(
            &pass->rule, bound, sum, pass->rule.beta != 0 ? spmmi_certify_lane(&w->before, at, v) : none,
            spmmi_certify_lane(&w->c, at, v));
        worst = isnan(ratio) ? (double)INFINITY : fmax(worst, ratio);
    }
    return worst;
}

/* Judges row i of C, which is row `at` of the block. */
static void judge_row(const struct pass *pass, int64_t i, int64_t at, struct work *w)
{
    const uint32_t *permutation = pass->job->permutation;
    struct spmmi_certify_findings *found = &w->findings;
    struct spmmi_certify_row row = multiply_row(pass, permutation != NULL ? (int64_t)permutation[i] : i, w);
    double ratio = 0;
    row.result = spmmi_certify_sizes(&w->c, at)[0];
    row.result_largest = spmmi_certify_sizes(&w->c, at)[1];
    if (pass->rule.beta != 0) {
        row.before = spmmi_certify_sizes(&w->before, at)[0];
        row.before_largest = spmmi_certify_sizes(&w->before, at)[1];
    }
    const double bound = spmmi_certify_bound(&pass->rule, &row);
    const enum spmmi_certify_class class = spmmi_certify_classify(&pass->rule, &row, bound);
    if (class == SPMMI_CERTIFY_BY_CLASS)
        found->by_class++;
    else
        ratio = class == SPMMI_CERTIFY_WRONG ? (double)INFINITY : worst_of(pass, w, at, bound);
    found->ratio = fmax(found->ratio, ratio);
    if (ratio <= 1)
        return;
    found->failed++;
    found->first = found->first < 0 || i < found->first ? i : found->first;
}

static void judge_block(const struct pass *pass, int64_t first, struct work *w)
{
    const struct spmmi_certify_job *job = pass->job;
    const int64_t left = job->product.c.rows - first, count = left < ROWS ? left : ROWS;
    spmmi_certify_project(&pass->level, &job->product.c, first, count, job->seed, &w->tile, &w->c, 0);
    if (pass->rule.beta != 0)
        spmmi_certify_project(&pass->level, &job->before, first, count, job->seed, &w->tile, &w->before, 0);
    for (int64_t at = 0; at < count; at++)
        judge_row(pass, first + at, at, w);
}

static void merge(struct spmmi_certify_findings *into, const struct spmmi_certify_findings *from)
{
    if (into->first < 0 || (from->first >= 0 && from->first < into->first))
        into->first = from->first;
    into->failed += from->failed;
    into->by_class += from->by_class;
    into->ratio = fmax(into->ratio, from->ratio);
}

static void project_b(const struct pass *pass, struct work *works)
{
    const struct spmmi_certify_job *job = pass->job;
    const int64_t rows = job->product.b.rows;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(pass->threads))
    for (int64_t first = 0; first < rows; first += ROWS) {
        struct work *w = &works[omp_get_thread_num()];
        const int64_t left = rows - first;
        spmmi_certify_project(&pass->level, &job->product.b, first, left < ROWS ? left : ROWS, job->seed,
                              &w->tile, &pass->b, first);
    }
}

static struct pass pass_of(const struct spmmi_certify_job *job)
{
    struct pass pass = {.job = job,
                        .level = SPMMI_CPU_LEVEL(spmmi_certify),
                        .rule = spmmi_certify_rule_of(job),
                        .threads = spmmi_cpu_threads(job->a->nnz + job->a->rows + job->a->cols,
                                                     job->product.c.cols, job->threads)};
    pass.b = (struct spmmi_certify_projection){NULL, spmmi_certify_lanes(job), pass.rule.is_compensated};
    return pass;
}

static size_t record_bytes(const struct pass *pass)
{
    return (size_t)spmmi_certify_stride(&pass->b) * sizeof *pass->b.records;
}

uint64_t spmmi_certify_cpu_bytes(const struct spmmi_certify_job *job)
{
    const struct pass pass = pass_of(job);
    return spmmi_alloc_bytes((uint64_t)pass.threads, sizeof(struct work)) +
           spmmi_alloc_bytes((uint64_t)job->product.b.rows, record_bytes(&pass));
}

spmm_status_t spmmi_certify_cpu(const struct spmmi_certify_job *job, struct spmmi_certify_findings *findings,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct pass pass = pass_of(job);
    const int64_t rows = job->product.c.rows;
    struct work *works = NULL;
    *findings = (struct spmmi_certify_findings){.first = -1};
    SPMM_TRY_ALLOC(works = works_make(&pass), diag);
    if (pass.rule.alpha != 0) {
        pass.b.records = spmmi_alloc((uint64_t)job->product.b.rows, record_bytes(&pass));
        SPMM_TRY_ALLOC(pass.b.records, diag);
        project_b(&pass, works);
    }
#pragma omp parallel for schedule(dynamic, 8) num_threads(spmmi_team(pass.threads))
    for (int64_t first = 0; first < rows; first += ROWS)
        judge_block(&pass, first, &works[omp_get_thread_num()]);
    for (int t = 0; t < pass.threads; t++)
        merge(findings, &works[t].findings);
cleanup:
    spmmi_free(pass.b.records);
    spmmi_free(works);
    return status;
}
