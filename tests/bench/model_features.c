/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the models say of kernels on matrices, a line of CSV for each kernel, type, layout and n: the terms of
 * the refined model before their factors, its prediction, and for the tiled family the figures of that very variant
 * and the paper's bounds. tools/dev/fit_model and tools/dev/tiled_table read it.
 *
 * usage: model_features DEVICE LIST-OF-N LIST-OF-LAYOUTS LIST-OF-TYPES < JOBS
 *   DEVICE  a name or a profile
 *   JOBS    a matrix a line: NAME, FILE or generator string, and kernels, with tabs between them. A kernel is
 *           rows/SCHEDULE, tiled/whole/pROWS or tiled/segmented-LENGTH/pROWS, which may end in /radix (or /reordered,
 *           which is the same) and /rTILE, or
 *           window/SCHEDULE[/ORDER]/COMPUTE, panel/SCHEDULE/pROWS[/ORDER]/COMPUTE or
 *           bcsr/dense/pROWS[/ORDER]/COMPUTE with an order of the rows: minhash, rcm, radix or jaccard;
 *           reordered is minhash */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "inspector/search/planner.h"
#include "kernels/tcblock/fragment_cost.h"
#include "kernels/tiled/tiled_chart_plan.h"
#include "kernels/tiled/tiled_cost.h"
#include "kernels/tiled/tiled_plan.h"
#include "kernels/tiled/tiled_study_plan.h"
#include "kernels/tcblock/fragment_study_plan.h"
#include "inspector/cost/model_paper.h"
#include "inspector/analysis/panel_stats.h"
#include "inspector/reorder/row_order.h"

#define LIST_MAX 32
#define KERNELS_MAX 512
#define LINE_MAX_BYTES 65536
#define NUMBER_SIZES 3

static int64_t columns[LIST_MAX];
static int column_count;
static uint32_t layouts; /* mask */
static unsigned dtypes;  /* mask of 1 << spmm_dtype_t */
static const char *device;

static const char *const term_names[SPMMI_TERMS] = {"dram",  "l2",    "l1",      "alu",
                                                    "issue", "waves", "longest", "convert"};

/* A kernel as its name tells it. */
struct kernel {
    const char *name;
    spmm_family_t family;
    spmm_schedule_t schedule;
    unsigned segment, panel_rows, register_tile;
    bool is_reordered;
    spmm_reorder_t order;   /* window, panel */
    spmm_compute_t compute; /* the same */
};

/* Exact figures of tensor cores in one order; blocks of bcsr depend on the size of numbers. */
struct fragments {
    const uint32_t *order;
    size_t number_bytes;
    struct spmmi_fragment_study study;
};

/* One matrix in one number type. */
struct subject {
    const char *name;
    struct spmmi_request request;
    struct spmmi_pattern pattern;
    struct spmmi_model_matrix model;
    struct spmmi_tiled_studies studies;
    struct spmmi_row_orders orders;
    struct fragments fragments[NUMBER_SIZES * SPMMI_ORDER_KINDS];
    int fragment_count;
};

static bool read_suffixes(const char *text, struct kernel *k)
{
    static const char *const orders[] = {"/radix", "/reordered"};
    for (int i = 0; i < 2 && !k->is_reordered; i++) {
        if (strncmp(text, orders[i], strlen(orders[i])) != 0)
            continue;
        k->is_reordered = true;
        text += strlen(orders[i]);
    }
    int used = 0;
    if (sscanf(text, "/r%u%n", &k->register_tile, &used) == 1)
        text += used;
    return *text == '\0';
}

/* "minhash/tf32" -> its order and what follows it; "reordered" is minhash. */
static const char *read_order(const char *text, spmm_reorder_t *order)
{
    const size_t length = strcspn(text, "/");
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    *order = strncmp(text, "reordered/", 10) == 0 ? SPMM_REORDER_MINHASH : SPMM_REORDER_NONE;
    for (int i = 0; spmm_reorder_at(i, &info) == SPMM_OK; i++)
        if (info.is_made && strlen(info.name) == length && memcmp(info.name, text, length) == 0)
            *order = info.kind;
    return *order == SPMM_REORDER_NONE ? text : text + length + 1;
}

/* What follows the family: "packed/3xtf32", "dense/p128/minhash/tf32". */
static bool read_fragments(const char *text, struct kernel *k)
{
    int used = 0;
    k->schedule = strncmp(text, "dense/", 6) == 0 ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
    text += k->schedule == SPMM_SCHEDULE_DENSE ? 6 : strncmp(text, "packed/", 7) == 0 ? 7 : strlen(text);
    k->panel_rows = SPMMI_WINDOW_ROWS;
    if (k->family != SPMM_FAMILY_WINDOW) {
        if (sscanf(text, "p%u/%n", &k->panel_rows, &used) != 1 || used == 0)
            return false;
        text += used;
    }
    if (spmmi_fragment_rows(spmmi_fragment_unit_of(k->family, k->panel_rows)) != k->panel_rows ||
        (k->family == SPMM_FAMILY_BCSR && k->schedule != SPMM_SCHEDULE_DENSE))
        return false;
    text = read_order(text, &k->order);
    for (int c = SPMM_COMPUTE_F64; c <= SPMM_COMPUTE_3XTF32; c++)
        if (strcmp(text, spmm_compute_name((spmm_compute_t)c)) == 0)
            k->compute = (spmm_compute_t)c;
    return k->compute != 0;
}

static bool read_kernel(const char *name, struct kernel *k)
{
    int used = 0;
    *k = (struct kernel){.name = name, .family = SPMM_FAMILY_ROWS};
    for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_NONZERO_SPLIT; s++) {
        if (strncmp(name, "rows/", 5) == 0 && strcmp(name + 5, spmm_schedule_name((spmm_schedule_t)s)) == 0) {
            k->schedule = (spmm_schedule_t)s;
            return true;
        }
    }
    for (int f = SPMM_FAMILY_WINDOW; f <= SPMM_FAMILY_BCSR; f++) {
        const char *const family = spmm_family_name((spmm_family_t)f);
        k->family = (spmm_family_t)f;
        if (strncmp(name, family, strlen(family)) == 0 && name[strlen(family)] == '/')
            return read_fragments(name + strlen(family) + 1, k);
    }
    k->family = SPMM_FAMILY_TILED;
    k->schedule = SPMM_SCHEDULE_WHOLE;
    if (sscanf(name, "tiled/whole/p%u%n", &k->panel_rows, &used) == 1)
        return read_suffixes(name + used, k);
    k->schedule = SPMM_SCHEDULE_SEGMENTED;
    if (sscanf(name, "tiled/segmented-%u/p%u%n", &k->segment, &k->panel_rows, &used) == 2)
        return k->segment > 0 && read_suffixes(name + used, k);
    return false;
}

/* ---- What is printed ---- */

static void print_header(void)
{
    printf("matrix,rows,cols,nnz,mu,sigma,cv,n,layout,dtype,kernel,launch_us,scatter_us,launches");
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%s", term_names[i]);
    printf(",l1_share,l2_share,predicted_us,paper_us,U,rho,Gamma,Z,paper_algorithmic_gflops,paper_allmiss_"
           "gflops,"
           "paper_cold_gflops\n");
}

static struct spmmi_paper paper_of(const struct subject *s, const spmm_panel_stats_t *panels, uint32_t tile)
{
    const spmm_stats_t stats = {.row_mean = s->pattern.mean};
    return spmmi_paper_of(&stats, panels, s->request.options.dtype, (double)tile);
}

static double bound_of(const struct kernel *k, const struct spmmi_paper *paper, enum spmmi_paper_bound bound)
{
    if (k->family == SPMM_FAMILY_ROWS)
        return spmmi_paper_naive(paper);
    return k->schedule == SPMM_SCHEDULE_WHOLE ? spmmi_paper_tiled(paper, bound)
                                              : spmmi_paper_segmented(paper, bound);
}

/* Figures of the panels are those of n: see panels_for. panels and study are of the tiled family, else NULL. */
static void print_line(const struct subject *s, const struct kernel *k, const spmm_panel_stats_t *panels,
                       const struct spmmi_tiled_study *study, const struct spmmi_model_fragments *fragments,
                       int64_t n, uint32_t layout)
{
    const struct spmmi_device_profile *profile = &s->request.device;
    const struct spmmi_pattern *a = &s->pattern;
    const spmm_dtype_t dtype = s->request.options.dtype;
    const uint32_t tile = panels != NULL ? (uint32_t)panels->register_tile : 1;
    const struct spmmi_tiled_metrics metrics = {
        .panels = panels, .register_tile = tile, .cut_rows = study != NULL ? (double)study->cut_rows : 0};
    const struct spmmi_model_candidate candidate = {
        .family = k->family, .schedule = k->schedule, .compute = k->compute, .metrics = fragments};
    struct spmmi_model_candidate priced = candidate;
    if (panels != NULL)
        priced.metrics = &metrics;
    const struct spmmi_prediction p = spmmi_predict(profile, &s->model, &priced, n, layout, dtype);
    const double scatter = study != NULL && k->is_reordered && layout == SPMM_LAYOUT_COL_MAJOR
                               ? spmmi_scatter_seconds(&s->request, a->rows, study->spread, n)
                               : 0;
    /* What Eq. 2, 3 or 6 says, each access to B a line from DRAM; of tensor cores they say nothing. */
    const struct spmmi_paper paper = paper_of(s, panels, tile);
    const double paper_s = fragments != NULL
                               ? 0
                               : spmmi_paper_seconds(profile, bound_of(k, &paper, SPMMI_PAPER_ALL_MISS),
                                                     (double)a->nnz, (double)n);

    printf("%s,%lld,%lld,%lld,%.6g,%.6g,%.6g,%lld,%s,%s,%s,%.6g,%.6g,%g", s->name, (long long)a->rows,
           (long long)a->cols, (long long)a->nnz, a->mean, a->stddev, a->mean > 0 ? a->stddev / a->mean : 0,
           (long long)n, layout == SPMM_LAYOUT_ROW_MAJOR ? "row" : "col", spmm_dtype_name(dtype), k->name,
           1e6 * profile->launch_s, 1e6 * scatter, p.launches);
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%.6g", 1e6 * p.term[i]);
    printf(",%.4f,%.4f,%.6g,%.6g", p.l1_share, p.l2_share, 1e6 * (p.seconds + scatter), 1e6 * paper_s);
    if (panels == NULL) {
        printf(",,,,,,,\n");
        return;
    }
    printf(",%.6g,%.6g,%.6g,%.6g", panels->utilization, panels->rho, panels->line_gamma, panels->padding);
    for (int b = SPMMI_PAPER_ALGORITHMIC; b <= SPMMI_PAPER_COLD_MISS; b++)
        printf(",%.6g",
               1e-9 * spmmi_paper_throughput(profile, bound_of(k, &paper, (enum spmmi_paper_bound)b)));
    printf("\n");
}

/* ---- Figures of a variant ---- */

static spmm_status_t measure_panels(const struct subject *s, const struct kernel *k,
                                    const struct spmmi_tiled_study *study, spmm_panel_stats_t *stats)
{
    const struct spmmi_request *r = &s->request;
    const struct spmmi_panel_input in = {
        .cols = s->pattern.cols,
        .units = study->units,
        .unit_ptr = study->unit_ptr,
        .col_ind = s->pattern.col_ind,
        .order = k->is_reordered ? study->order : NULL,
        .segment = k->segment,
        .panel_rows = k->panel_rows,
        .stage_slots = r->options.stage_slots,
        .number_bytes = (uint32_t)spmm_dtype_size(r->options.dtype),
        .register_tile = 1,
        .n = 1,
        .multiprocessors = r->device.multiprocessors,
        .threads = r->threads,
    };
    return spmmi_panel_stats(&in, stats);
}

/* The same for n columns: only these depend on it. */
static spmm_panel_stats_t panels_for(const struct subject *s, const struct kernel *k,
                                     const spmm_panel_stats_t *stats, int64_t n)
{
    const uint32_t tile =
        k->register_tile != 0 ? k->register_tile : spmmi_model_register_tile(n, s->request.options.dtype);
    spmm_panel_stats_t p = *stats;
    p.n = n;
    p.register_tile = tile;
    p.blocks = p.panels * (n / tile + (n % tile != 0));
    p.utilization =
        spmmi_utilisation((uint64_t)p.units, k->panel_rows, n, tile, s->request.device.multiprocessors);
    return p;
}

/* Counted once for all kernels of the matrix, and its types of one size. */
static spmm_status_t fragments_of(struct subject *s, spmm_reorder_t kind, const struct fragments **found,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_order *order = NULL;
    const struct spmmi_pattern *a = &s->pattern;
    const size_t bytes = spmm_dtype_size(s->request.options.dtype);
    int i = 0;
    s->orders.rows = a->rows;
    s->orders.cols = a->cols;
    s->orders.row_ptr = a->row_ptr;
    s->orders.col_ind = a->col_ind;
    s->orders.threads = s->request.threads;
    SPMM_TRY(spmmi_row_order_of(&s->orders, kind, &order, diag));
    while (i < s->fragment_count &&
           (s->fragments[i].order != order->order || s->fragments[i].number_bytes != bytes))
        i++;
    if (i == s->fragment_count) {
        s->fragments[i].order = order->order;
        s->fragments[i].number_bytes = bytes;
        s->fragment_count++;
        SPMM_TRY(spmmi_fragment_study_open(a, order->order, s->request.options.dtype, 0, s->request.threads,
                                           &s->fragments[i].study));
    }
    *found = &s->fragments[i];
cleanup:
    return status;
}

/* Other types have other kernels. */
static bool has_compute(const struct subject *s, const struct kernel *k)
{
    const spmm_dtype_t dtype = s->request.options.dtype;
    const bool is_tf32 = k->compute == SPMM_COMPUTE_TF32 || k->compute == SPMM_COMPUTE_3XTF32;
    return is_tf32 ? dtype == SPMM_F32 : (int)k->compute == (int)dtype;
}

static spmm_status_t print_fragments(struct subject *s, const struct kernel *k, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct fragments *f = NULL;
    const enum spmmi_fragment_unit unit = spmmi_fragment_unit_of(k->family, k->panel_rows);
    if (!has_compute(s, k))
        goto cleanup;
    SPMM_TRY(fragments_of(s, k->order, &f, diag));
    const struct spmmi_fragment_figures *figures = &f->study.figures[unit];
    const uint32_t granule = spmmi_fragment_granule(figures, s->request.device.multiprocessors);
    const struct spmmi_fragment_items items = spmmi_fragment_items(&f->study, unit, granule);
    const struct spmmi_model_fragments fragments = {.figures = figures,
                                                    .items = items.items,
                                                    .partials = items.partials,
                                                    .granule = granule,
                                                    .is_reordered = f->order != NULL};
    for (int i = 0; i < column_count; i++)
        for (uint32_t layout = SPMM_LAYOUT_ROW_MAJOR; layout <= SPMM_LAYOUT_COL_MAJOR; layout *= 2)
            if ((layouts & layout) != 0)
                print_line(s, k, NULL, NULL, &fragments, columns[i], layout);
cleanup:
    return status;
}

static spmm_status_t print_kernel(struct subject *s, const struct kernel *k, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const bool is_tiled = k->family == SPMM_FAMILY_TILED;
    struct spmmi_tiled_study *study = NULL;
    spmm_panel_stats_t stats;
    if (spmmi_is_fragments(k->family))
        return print_fragments(s, k, diag);
    if (is_tiled) {
        if (s->studies.count == SPMMI_STUDY_MAX)
            spmmi_studies_free(&s->studies);
        SPMM_TRY(spmmi_study_of(&s->studies, &s->pattern, k->segment, &study, diag));
        if (k->is_reordered)
            SPMM_TRY(spmmi_study_order(study, &s->pattern, &s->request, diag));
        SPMM_TRY(measure_panels(s, k, study, &stats));
    }
    for (int i = 0; i < column_count; i++) {
        const spmm_panel_stats_t panels =
            is_tiled ? panels_for(s, k, &stats, columns[i]) : (spmm_panel_stats_t){0};
        for (uint32_t layout = SPMM_LAYOUT_ROW_MAJOR; layout <= SPMM_LAYOUT_COL_MAJOR; layout *= 2)
            if ((layouts & layout) != 0)
                print_line(s, k, is_tiled ? &panels : NULL, study, NULL, columns[i], layout);
    }
cleanup:
    return status;
}

/* ---- Jobs ---- */

static spmm_status_t print_type(struct subject *s, spmm_dtype_t dtype, const struct kernel *kernels,
                                int count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.dtype = dtype;
    options.device = device;
    SPMM_TRY(spmmi_inspect_options(&options, &s->request, diag));
    for (int i = 0; i < count; i++)
        SPMM_TRY(print_kernel(s, &kernels[i], diag));
cleanup:
    spmmi_studies_free(&s->studies);
    return status;
}

static spmm_status_t study_matrix(struct subject *s, const spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_csr_t a;
    spmm_stats_t stats;
    SPMM_TRY(spmm_matrix_csr(matrix, &a));
    const int64_t nnz = ((const int64_t *)a.row_ptr)[a.rows];
    SPMM_TRY(spmmi_stats_compute(a.rows, a.cols, a.row_ptr, a.col_ind, NULL, SPMM_F32, &stats));
    s->pattern = (struct spmmi_pattern){.op = SPMM_OP_N,
                                        .rows = a.rows,
                                        .cols = a.cols,
                                        .nnz = nnz,
                                        .longest = stats.row_max,
                                        .row_ptr = a.row_ptr,
                                        .col_ind = a.col_ind,
                                        .mean = stats.row_mean,
                                        .stddev = stats.row_stddev};
    SPMM_TRY(spmmi_model_study(a.rows, a.cols, a.row_ptr, a.col_ind, &s->model, diag));
cleanup:
    return status;
}

/* A line of jobs, which is cut up. */
static spmm_status_t print_job(char *line)
{
    static struct kernel kernels[KERNELS_MAX];
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_matrix_t *matrix = NULL;
    struct subject s = {.name = strtok(line, "\t\n")};
    const char *const source = strtok(NULL, "\t\n");
    int count = 0;
    SPMM_REQUIRE(source != NULL, SPMM_ERR_ARGUMENT, &diag, "expected NAME, FILE and kernels");
    for (const char *k = strtok(NULL, "\t\n"); k != NULL; k = strtok(NULL, "\t\n")) {
        SPMM_REQUIRE(count < KERNELS_MAX, SPMM_ERR_TOO_LARGE, &diag, "more than %d kernels", KERNELS_MAX);
        SPMM_REQUIRE(read_kernel(k, &kernels[count++]), SPMM_ERR_ARGUMENT, &diag, "no kernel: %.60s", k);
    }
    SPMM_TRY(strncmp(source, "gen:", 4) == 0 ? spmm_matrix_generate(source, &matrix, &diag)
                                             : spmm_matrix_load(source, NULL, &matrix, &diag));
    SPMM_TRY(study_matrix(&s, matrix, &diag));
    for (int type = SPMM_F32; type <= SPMM_BF16; type++)
        if ((dtypes >> type & 1) != 0)
            SPMM_TRY(print_type(&s, (spmm_dtype_t)type, kernels, count, &diag));
cleanup:
    if (status != SPMM_OK)
        fprintf(stderr, "model_features: %s: %s %s\n", s.name, spmm_status_text(status), diag.text);
    for (int i = 0; i < s.fragment_count; i++)
        spmmi_fragment_study_close(&s.fragments[i].study);
    spmmi_row_orders_free(&s.orders);
    spmm_matrix_destroy(matrix);
    return status;
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_BYTES];
    int failures = 0;
    if (argc != 5) {
        fprintf(stderr, "usage: model_features DEVICE LIST-OF-N LIST-OF-LAYOUTS LIST-OF-TYPES < JOBS\n"
                        "       JOBS: NAME FILE KERNEL... with tabs between them\n");
        return 2;
    }
    device = argv[1];
    for (char *n = strtok(argv[2], ","); n != NULL && column_count < LIST_MAX; n = strtok(NULL, ","))
        columns[column_count++] = strtoll(n, NULL, 10);
    for (char *l = strtok(argv[3], ","); l != NULL; l = strtok(NULL, ","))
        layouts |= strcmp(l, "row") == 0 ? SPMM_LAYOUT_ROW_MAJOR : SPMM_LAYOUT_COL_MAJOR;
    for (char *t = strtok(argv[4], ","); t != NULL; t = strtok(NULL, ","))
        for (int type = SPMM_F32; type <= SPMM_BF16; type++)
            if (strcmp(t, spmm_dtype_name((spmm_dtype_t)type)) == 0)
                dtypes |= 1u << type;
    print_header();
    while (fgets(line, sizeof line, stdin) != NULL)
        failures += print_job(line) != SPMM_OK;
    return failures > 0;
}
