/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_page.h: the roofline with the candidates. Horizontal axis: operations per byte of a product that
 * moves A, B and C once (docs/testing.md). Vertical axis: operations per second, from the predicted or
 * measured time. GPUs and CPUs have one picture each, if the plan has variants for them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "log_chart.h"
#include "plan_page.h"
#include "plan_report.h"
#include "tools/cli/print_text.h"

#define RATE_MIN 1e-9 /* limits of the points in GFLOP/s, because a plan file may contain impossible times */
#define RATE_MAX 1e9

struct roof {
    const struct plan_page *page;
    spmm_roofline_t model;
    bool is_cpu;
    spmm_matrix_stats_t stats;
};

/* Returns the n for which the times of a variant were predicted if the plan was made without a list of n:
 * docs/model.md. */
static int64_t n_of(const spmm_variant_info_t *v)
{
    static const int64_t judged_by[] = {1, 2, 8, 16, 32, 64, 128, 256, 512, 4096};
    int64_t n = 0;
    for (size_t i = 0; i < sizeof judged_by / sizeof *judged_by; i++)
        if (judged_by[i] >= v->n_min && judged_by[i] <= v->n_max && (judged_by[i] <= 64 || n == 0))
            n = judged_by[i];
    return n > 0 ? n : v->n_min;
}

/* Returns operations per byte, if A, the rows of B that are used, and C are moved once, all with the type of
 * the variant. */
static double intensity_of(const struct roof *r, const spmm_variant_info_t *v, int64_t n)
{
    const spmm_plan_info_t *info = r->page->info;
    const bool is_n = v->op == SPMM_OP_N;
    const double value = (double)spmm_dtype_size(v->a_type);
    const double rows = (double)(is_n ? info->rows : info->cols);
    const double used = (double)(is_n ? info->cols - r->stats.cols_empty : info->rows - r->stats.rows_empty);
    const double of_a = (double)info->nnz * (4.0 + (info->has_values ? value : 0)) + 4 * (rows + 1);
    const double of_b = used * (double)n * value;
    const double of_c = rows * (double)n * value;
    return 2 * (double)info->nnz * (double)n / (of_a + of_b + of_c);
}

/* Returns 10^9 operations per second. */
static double rate_of(const struct roof *r, int64_t n, double us)
{
    return us > 0 ? 2e-3 * (double)r->page->info->nnz * (double)n / us : 0;
}

/* A time of the trace as a point of the picture. */
struct point {
    const spmm_trace_info_t *t;
    int64_t n;
    double intensity, rate;
    bool is_measured;
};
typedef void (*point_fn)(void *context, const struct point *point);

static void visit(const struct roof *r, const spmm_trace_info_t *t, const spmm_variant_info_t *v, point_fn fn,
                  void *context)
{
    const int64_t n = n_of(v);
    struct point point = {.t = t, .n = n, .intensity = intensity_of(r, v, n)};
    for (int measured = 0; measured < 2; measured++) {
        point.is_measured = measured;
        point.rate = rate_of(r, n, measured ? t->measured_us : t->predicted_us);
        if (point.rate >= RATE_MIN && point.rate <= RATE_MAX)
            fn(context, &point);
    }
}

/* Visits the refused candidates first, so that the chosen ones are drawn on top of them. */
static void visit_all(const struct roof *r, point_fn fn, void *context)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    spmm_variant_info_t v = {.struct_size = sizeof v};
    for (int chosen = 0; chosen < 2; chosen++)
        for (int i = 0; spmm_plan_trace(r->page->plan, i, &t) == SPMM_OK; i++)
            if (t.chosen == chosen && spmm_plan_variant(r->page->plan, t.variant, &v) == SPMM_OK &&
                (v.target == 1) == r->is_cpu)
                visit(r, &t, &v, fn, context);
}

static void take_limits(void *context, const struct point *p)
{
    log_chart_include(context, p->intensity, p->rate);
}

static void draw_point(void *context, const struct point *p)
{
    const struct log_chart *chart = context;
    const double us = p->is_measured ? p->t->measured_us : p->t->predicted_us;
    const enum log_chart_mark mark = p->is_measured ? LOG_CHART_DIAMOND
                                     : p->t->chosen ? LOG_CHART_DISC
                                                    : LOG_CHART_RING;
    log_chart_mark_begin(chart, mark, p->intensity, p->rate);
    html_text(chart->h, "%s/%s, n = %lld: %s %.4g us, %.4g GFLOP/s", spmm_family_name(p->t->family),
              spmm_schedule_name(p->t->schedule), (long long)p->n, p->is_measured ? "measured" : "predicted",
              us, p->rate);
    log_chart_mark_end(chart);
}

static void draw_n(void *context, const struct point *p)
{
    struct log_chart *chart = context;
    char label[24];
    snprintf(label, sizeof label, "%s%lld", chart->guide_count == 0 ? "n = " : "", (long long)p->n);
    if (p->t->chosen)
        log_chart_guide(chart, p->intensity, label);
}

static void draw_roof(const struct roof *r, struct log_chart *chart)
{
    const double ridge = r->model.peak_gflops / r->model.peak_gbs;
    const double x[] = {chart->x.least, ridge, chart->x.most};
    const double y[] = {chart->x.least * r->model.peak_gbs, r->model.peak_gflops, r->model.peak_gflops};
    log_chart_line(chart, x, y, 3);
}

static void write_keys(struct html *h)
{
    html_markup(h, "<p class=\"note keys\"><span>");
    log_chart_key(h, LOG_CHART_DISC);
    html_markup(h, "chosen, predicted</span><span>");
    log_chart_key(h, LOG_CHART_RING);
    html_markup(h, "refused, predicted</span><span>");
    log_chart_key(h, LOG_CHART_DIAMOND);
    html_markup(h, "measured</span></p>\n<p class=\"note\">");
    html_text(
        h,
        "The numbers above the picture are n. A product stands at its operations per byte if A, B and C are "
        "moved once; its height is the rate that follows from its time. A plan does not keep the list of n "
        "that "
        "it was made for: the usual n of each range is drawn.");
    html_markup(h, "</p>\n");
}

static void write_caption(struct html *h, const struct roof *r)
{
    char bytes[PRINT_UNITS_BYTES], flops[PRINT_UNITS_BYTES];
    html_markup(h, "<figcaption>");
    html_text(h, "The line is what %s allows: %s GB/s and %s GFLOP/s of f32.", r->model.device,
              print_count(bytes, llround(r->model.peak_gbs)),
              print_count(flops, llround(r->model.peak_gflops)));
    html_markup(h, "</figcaption></figure>\n");
}

static void draw(struct html *h, struct roof *r)
{
    struct log_chart chart;
    log_chart_init(&chart, h);
    visit_all(r, take_limits, &chart);
    if (!chart.x.has_values)
        return;
    log_chart_include(&chart, r->model.peak_gflops / r->model.peak_gbs, r->model.peak_gflops);
    html_markup(h, "<figure>\n");
    log_chart_begin(&chart,
                    r->is_cpu ? "Roofline of the CPU with the candidates"
                              : "Roofline of the GPU with the candidates",
                    "operations a byte (flop/byte)", "GFLOP/s");
    visit_all(r, draw_n, &chart);
    draw_roof(r, &chart);
    visit_all(r, draw_point, &chart);
    log_chart_end(&chart);
    write_caption(h, r);
}

/* Returns the caller's device if it is of this kind, else the default. A profile file counts as a device of
 * the kind of the first variant's target. */
static const char *device_of(const struct plan_page *page, bool is_cpu)
{
    spmm_variant_info_t v = {.struct_size = sizeof v};
    const char *usual = is_cpu ? "cpu" : "any";
    if (page->device == NULL || spmm_plan_variant(page->plan, 0, &v) != SPMM_OK)
        return usual;
    const bool names_cpu = strcmp(page->device, "cpu") == 0;
    return names_cpu ? usual : (v.target == 1) == is_cpu ? page->device : usual;
}

/* Writes the roofline of paper 000 (docs/model.md), with the text of spmm-info. */
static void write_row_blocks(struct html *h, const struct roof *r)
{
    spmm_row_block_metrics_t s = {.struct_size = sizeof s};
    if (spmm_plan_row_block_metrics(r->page->plan, &s) != SPMM_OK || s.block_rows == 0)
        return;
    html_markup(
        h,
        "<details><summary>Row blocks of the tiled schedule, their reuse and intensities</summary>\n<pre>");
    plan_text_row_blocks(h->text, r->page->plan, &r->model);
    html_markup(h, "</pre></details>\n");
}

static spmm_status_t draw_device(struct html *h, struct roof *r, spmm_diag_t *diag)
{
    r->stats = plan_matrix_stats(r->page->plan);
    r->model.struct_size = sizeof r->model;
    const spmm_status_t status =
        spmm_plan_roofline(r->page->plan, device_of(r->page, r->is_cpu), &r->model, diag);
    if (status == SPMM_OK)
        draw(h, r);
    return status;
}

spmm_status_t plan_page_roofline(struct html *h, const struct plan_page *page, spmm_diag_t *diag)
{
    struct roof gpu = {.page = page}, cpu = {.page = page, .is_cpu = true};
    html_section_begin(h, "Roofline");
    html_markup(h, "<div class=\"pair\">\n");
    spmm_status_t status = draw_device(h, &gpu, diag);
    if (status == SPMM_OK)
        status = draw_device(h, &cpu, diag);
    html_markup(h, "</div>\n");
    write_keys(h);
    if (status == SPMM_OK)
        write_row_blocks(h, &gpu);
    html_section_end(h);
    return status;
}
