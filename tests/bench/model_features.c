/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the predictions of the models for kernels on matrices, as a line of CSV for each kernel, type,
 * layout and n: the terms of the cost model before their factors, the key of the profile that has the
 * factors, and the prediction. For the tiled family, it also prints the metrics of the variant and the
 * bounds of paper 000. tools/dev/fit_model and tools/dev/tiled_table read the output.
 *
 * usage: model_features DEVICE LIST-OF-N LIST-OF-LAYOUTS LIST-OF-TYPES < JOBS
 *   DEVICE  name or profile of a device
 *   JOBS    one matrix per line: NAME, FILE or generator string, and kernels, separated by tabs. A kernel is
 *           rows/SCHEDULE (with several columns, groups of lanes share rows in rows/row-split/shared, but not in
 *           rows/row-split), dense/gemm[/COMPUTE],
 *           tiled/whole/pROWS or tiled/segmented-LENGTH/pROWS, optionally followed by /radix (or /reordered,
 *           the same) and /rTILE, or
 *           window/SCHEDULE[/ORDER]/COMPUTE, panel/SCHEDULE/pROWS[/ORDER]/COMPUTE or
 *           bcsr/dense/pROWS[/ORDER]/COMPUTE with a permutation of the rows: minhash, rcm, radix or jaccard;
 *           reordered means minhash */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "inspector/search/planner.h"
#include "kernels/dense/dense_shape.h"
#include "kernels/tcblock/tcblock_cost.h"
#include "kernels/tiled/tiled_chart_plan.h"
#include "kernels/tiled/tiled_cost.h"
#include "kernels/tiled/tiled_plan.h"
#include "kernels/tiled/tiled_analysis_plan.h"
#include "kernels/tcblock/tcblock_analysis_plan.h"
#include "inspector/cost/roofline.h"
#include "inspector/analysis/row_block_metrics.h"
#include "inspector/reorder/row_permutation.h"
#include "tests/support/tcblocks.h"

#define LIST_MAX 32
#define KERNELS_MAX 512
#define LINE_MAX_BYTES 65536
#define NUMBER_SIZES 3

static int64_t columns[LIST_MAX];
static int column_count;
static uint32_t layouts; /* mask of layouts */
static unsigned dtypes;  /* mask of 1 << spmm_dtype_t */
static const char *device;

static const char *const term_names[SPMMI_TERMS] = {"dram",  "l2",    "l1",      "alu",
                                                    "issue", "waves", "longest", "convert"};

/* A kernel as its name describes it. */
struct kernel {
    const char *name;
    spmm_family_t family;
    spmm_schedule_t schedule;
    unsigned segment, block_rows, register_tile;
    bool is_reordered;
    bool is_shared;             /* row split: whether groups of lanes share rows */
    spmm_reorder_t permutation; /* window, panel and bcsr only */
    spmm_compute_t compute;     /* window, panel, bcsr and dense only */
};

/* Exact metrics of tensor-core blocks for one permutation. Blocks of bcsr depend on the size of values. */
struct tcblocks {
    const uint32_t *permutation;
    size_t value_bytes;
    struct spmmi_tcblock_analysis analysis;
};

/* One matrix with one value type. */
struct subject {
    const char *name;
    struct spmmi_request request;
    struct spmmi_pattern pattern;
    struct spmmi_model_matrix model;
    struct spmmi_tiled_analyses analyses;
    struct spmmi_row_permutations permutations;
    struct tcblocks tcblocks[NUMBER_SIZES * SPMMI_PERMUTATION_KINDS];
    int tcblock_count;
};

static bool read_suffixes(const char *text, struct kernel *k)
{
    static const char *const permutations[] = {"/radix", "/reordered"};
    for (int i = 0; i < 2 && !k->is_reordered; i++) {
        if (strncmp(text, permutations[i], strlen(permutations[i])) != 0)
            continue;
        k->is_reordered = true;
        text += strlen(permutations[i]);
    }
    int used = 0;
    if (sscanf(text, "/r%u%n", &k->register_tile, &used) == 1)
        text += used;
    return *text == '\0';
}

/* Reads the permutation in front of the first slash of `text`, such as "minhash/tf32", and returns the
 * rest. "reordered" means minhash. */
static const char *read_permutation(const char *text, spmm_reorder_t *permutation)
{
    const size_t length = strcspn(text, "/");
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    *permutation = strncmp(text, "reordered/", 10) == 0 ? SPMM_REORDER_MINHASH : SPMM_REORDER_NONE;
    for (int i = 0; spmm_reorder_at(i, &info) == SPMM_OK; i++)
        if (info.is_made && strlen(info.name) == length && memcmp(info.name, text, length) == 0)
            *permutation = info.kind;
    return *permutation == SPMM_REORDER_NONE ? text : text + length + 1;
}

/* Returns the compute type of this name, or 0 if there is none. */
static spmm_compute_t compute_of(const char *text)
{
    for (int c = SPMM_COMPUTE_F64; c <= SPMM_COMPUTE_3XTF32; c++)
        if (strcmp(text, spmm_compute_name((spmm_compute_t)c)) == 0)
            return (spmm_compute_t)c;
    return (spmm_compute_t)0;
}

/* Reads the part of a name after the family: "packed/3xtf32", "dense/p128/minhash/tf32". */
static bool read_tcblocks(const char *text, struct kernel *k)
{
    int used = 0;
    k->schedule = strncmp(text, "dense/", 6) == 0 ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
    text += k->schedule == SPMM_SCHEDULE_DENSE ? 6 : strncmp(text, "packed/", 7) == 0 ? 7 : strlen(text);
    k->block_rows = SPMMI_WINDOW_ROWS;
    if (k->family != SPMM_FAMILY_WINDOW) {
        if (sscanf(text, "p%u/%n", &k->block_rows, &used) != 1 || used == 0)
            return false;
        text += used;
    }
    if (spmmi_tcblock_rows(spmmi_tcblock_unit_of(k->family, k->block_rows)) != k->block_rows ||
        (k->family == SPMM_FAMILY_BCSR && k->schedule != SPMM_SCHEDULE_DENSE))
        return false;
    text = read_permutation(text, &k->permutation);
    k->compute = compute_of(text);
    return k->compute != 0;
}

/* Reads the part of a name after "dense/gemm": nothing, or "/3xtf32". */
static bool read_dense(const char *text, struct kernel *k)
{
    k->family = SPMMI_DENSE;
    k->schedule = SPMMI_DENSE_GEMM;
    if (*text == '/')
        k->compute = compute_of(text + 1);
    return *text == '\0' || k->compute != 0;
}

static bool read_rows(const char *text, struct kernel *k)
{
    k->is_shared = strcmp(text, "row-split/shared") == 0;
    for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_NONZERO_SPLIT && k->schedule == 0; s++)
        if (k->is_shared || strcmp(text, spmm_schedule_name((spmm_schedule_t)s)) == 0)
            k->schedule = (spmm_schedule_t)s;
    return k->schedule != 0;
}

static bool read_kernel(const char *name, struct kernel *k)
{
    int used = 0;
    *k = (struct kernel){.name = name, .family = SPMM_FAMILY_ROWS};
    if (strncmp(name, "rows/", 5) == 0)
        return read_rows(name + 5, k);
    if (strncmp(name, "dense/gemm", 10) == 0)
        return read_dense(name + 10, k);
    for (int f = SPMM_FAMILY_WINDOW; f <= SPMM_FAMILY_BCSR; f++) {
        const char *const family = spmm_family_name((spmm_family_t)f);
        k->family = (spmm_family_t)f;
        if (strncmp(name, family, strlen(family)) == 0 && name[strlen(family)] == '/')
            return read_tcblocks(name + strlen(family) + 1, k);
    }
    k->family = SPMM_FAMILY_TILED;
    k->schedule = SPMM_SCHEDULE_WHOLE;
    if (sscanf(name, "tiled/whole/p%u%n", &k->block_rows, &used) == 1)
        return read_suffixes(name + used, k);
    k->schedule = SPMM_SCHEDULE_SEGMENTED;
    if (sscanf(name, "tiled/segmented-%u/p%u%n", &k->segment, &k->block_rows, &used) == 2)
        return k->segment > 0 && read_suffixes(name + used, k);
    return false;
}

/* ---- Output ---- */

static void print_header(void)
{
    printf("matrix,rows,cols,nnz,mu,sigma,cv,n,layout,dtype,kernel,constants,norm,launch_us,scatter_us,"
           "launches");
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%s", term_names[i]);
    printf(",l1_share,l2_share,predicted_us,paper_us,U,rho,Gamma,Z,paper_algorithmic_gflops,paper_allmiss_"
           "gflops,"
           "paper_cold_gflops\n");
}

static struct spmmi_roofline roofline_of(const struct subject *s, const spmm_row_block_metrics_t *row_blocks,
                                         uint32_t tile)
{
    const spmm_matrix_stats_t stats = {.row_mean = s->pattern.mean};
    return spmmi_roofline_of(&stats, row_blocks, s->request.options.a_type, (double)tile);
}

static double bound_of(const struct kernel *k, const struct spmmi_roofline *roofline,
                       enum spmmi_roofline_bound bound)
{
    if (k->family == SPMM_FAMILY_ROWS)
        return spmmi_roofline_naive(roofline);
    return k->schedule == SPMM_SCHEDULE_WHOLE ? spmmi_roofline_tiled(roofline, bound)
                                              : spmmi_roofline_segmented(roofline, bound);
}

/* Prints the line of a kernel. row_blocks: metrics for this n (see row_blocks_for); row_blocks and
 * analysis are NULL for families other than tiled. */
static void print_line(const struct subject *s, const struct kernel *k,
                       const spmm_row_block_metrics_t *row_blocks,
                       const struct spmmi_tiled_analysis *analysis,
                       const struct spmmi_model_tcblocks *tcblocks, int64_t n, uint32_t layout)
{
    const struct spmmi_device_profile *profile = &s->request.device;
    const struct spmmi_pattern *a = &s->pattern;
    const spmm_dtype_t dtype = s->request.options.a_type;
    const uint32_t tile = row_blocks != NULL ? (uint32_t)row_blocks->register_tile : 1;
    const struct spmmi_tiled_metrics metrics = {.row_blocks = row_blocks,
                                                .register_tile = tile,
                                                .cut_rows =
                                                    analysis != NULL ? (double)analysis->cut_rows : 0};
    const struct spmmi_model_candidate candidate = {
        .family = k->family, .schedule = k->schedule, .compute = k->compute, .metrics = tcblocks};
    struct spmmi_model_candidate priced = candidate;
    if (row_blocks != NULL)
        priced.metrics = &metrics;
    const struct spmmi_prediction p = spmmi_predict(profile, &s->model, &priced, n, layout, dtype);
    if (k->family == SPMM_FAMILY_ROWS && p.is_shared != k->is_shared)
        return; /* the kernel that would run is not the one in the name */
    const double scatter =
        analysis != NULL && k->is_reordered && layout == SPMM_LAYOUTS_COL_MAJOR
            ? spmmi_scatter_seconds(&s->request, a->rows, analysis->sector_amplification, n)
            : 0;
    /* Time by Eq. 2, 3 or 6 if each access to B loads a line from DRAM. The equations do not cover tensor
     * cores. */
    const struct spmmi_roofline roofline = roofline_of(s, row_blocks, tile);
    const double paper_s =
        tcblocks != NULL ? 0
                         : spmmi_roofline_seconds(profile, bound_of(k, &roofline, SPMMI_ROOFLINE_ALL_MISS),
                                                  (double)a->nnz, (double)n);

    const enum spmmi_model_type type = spmmi_model_type_of(k->family, k->compute, dtype);
    const double norm = p.own != NULL ? p.own->norm : profile->model[p.kernel][type].norm;
    printf(
        "%s,%lld,%lld,%lld,%.6g,%.6g,%.6g,%lld,%s,%s,%s,%s.%s,%g,%.6g,%.6g,%g", s->name, (long long)a->rows,
        (long long)a->cols, (long long)a->nnz, a->mean, a->stddev, a->mean > 0 ? a->stddev / a->mean : 0,
        (long long)n, layout == SPMM_LAYOUTS_ROW_MAJOR ? "row" : "col", spmm_dtype_name(dtype), k->name,
        p.own != NULL ? "own" : spmmi_profile_name(p.kernel), spmmi_profile_type_name((int)type),
        norm > 0 ? norm : SPMMI_MODEL_NORM, 1e6 * (profile->launch_s - p.early_s), 1e6 * scatter, p.launches);
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%.6g", 1e6 * p.term[i]);
    printf(",%.4f,%.4f,%.6g,%.6g", p.l1_share, p.l2_share, 1e6 * (p.seconds + scatter), 1e6 * paper_s);
    if (row_blocks == NULL) {
        printf(",,,,,,,\n");
        return;
    }
    printf(",%.6g,%.6g,%.6g,%.6g", row_blocks->utilization, row_blocks->rho, row_blocks->line_gamma,
           row_blocks->padding);
    for (int b = SPMMI_ROOFLINE_ALGORITHMIC; b <= SPMMI_ROOFLINE_COLD_MISS; b++)
        printf(",%.6g", 1e-9 * spmmi_roofline_throughput(
                                   profile, bound_of(k, &roofline, (enum spmmi_roofline_bound)b)));
    printf("\n");
}

/* ---- Metrics of a variant ---- */

static spmm_status_t measure_row_blocks(const struct subject *s, const struct kernel *k,
                                        const struct spmmi_tiled_analysis *analysis,
                                        spmm_row_block_metrics_t *stats)
{
    const struct spmmi_request *r = &s->request;
    const struct spmmi_row_block_input in = {
        .cols = s->pattern.cols,
        .units = analysis->units,
        .unit_ptr = analysis->unit_ptr,
        .col_ind = s->pattern.col_ind,
        .permutation = k->is_reordered ? analysis->permutation : NULL,
        .segment = k->segment,
        .block_rows = k->block_rows,
        .stage_slots = r->tiled.stage_slots,
        .value_bytes = (uint32_t)spmm_dtype_size(r->options.a_type),
        .register_tile = 1,
        .n = 1,
        .multiprocessors = r->device.multiprocessors,
        .threads = r->threads,
    };
    return spmmi_row_block_metrics(&in, stats);
}

/* Returns these metrics for n columns. Only the members that are set here depend on n. */
static spmm_row_block_metrics_t row_blocks_for(const struct subject *s, const struct kernel *k,
                                               const spmm_row_block_metrics_t *stats, int64_t n)
{
    const uint32_t tile =
        k->register_tile != 0
            ? k->register_tile
            : spmmi_model_register_tile(n, (uint64_t)stats->units, s->request.options.a_type,
                                        s->request.device.multiprocessors);
    spmm_row_block_metrics_t p = *stats;
    p.n = n;
    p.register_tile = tile;
    p.thread_blocks = p.row_blocks * (n / tile + (n % tile != 0));
    p.utilization =
        spmmi_utilisation((uint64_t)p.units, k->block_rows, n, tile, s->request.device.multiprocessors);
    return p;
}

/* Finds the metrics of a permutation. They are counted once for all kernels of the matrix and all value
 * types of the same size. */
static spmm_status_t tcblocks_of(struct subject *s, spmm_reorder_t kind, const struct tcblocks **found,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_permutation *permutation = NULL;
    const struct spmmi_pattern *a = &s->pattern;
    const size_t bytes = spmm_dtype_size(s->request.options.a_type);
    int i = 0;
    s->permutations.rows = a->rows;
    s->permutations.cols = a->cols;
    s->permutations.row_ptr = a->row_ptr;
    s->permutations.col_ind = a->col_ind;
    s->permutations.threads = s->request.threads;
    SPMM_TRY(spmmi_row_permutation_of(&s->permutations, kind, &permutation, diag));
    while (i < s->tcblock_count &&
           (s->tcblocks[i].permutation != permutation->permutation || s->tcblocks[i].value_bytes != bytes))
        i++;
    if (i == s->tcblock_count) {
        s->tcblocks[i].permutation = permutation->permutation;
        s->tcblocks[i].value_bytes = bytes;
        s->tcblock_count++;
        SPMM_TRY(spmmi_tcblock_analysis_open(a, permutation->permutation, s->request.options.a_type, 0,
                                             s->request.threads, &s->tcblocks[i].analysis));
    }
    *found = &s->tcblocks[i];
cleanup:
    return status;
}

/* Returns true if the type has kernels with the compute type of k. */
static bool has_compute(const struct subject *s, const struct kernel *k)
{
    const spmm_dtype_t dtype = s->request.options.a_type;
    if (k->compute == 0)
        return true;
    const bool is_tf32 = k->compute == SPMM_COMPUTE_TF32 || k->compute == SPMM_COMPUTE_3XTF32;
    return is_tf32 ? dtype == SPMM_F32 : (int)k->compute == (int)dtype;
}

static spmm_status_t print_tcblocks(struct subject *s, const struct kernel *k, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct tcblocks *f = NULL;
    const enum spmmi_tcblock_unit unit = spmmi_tcblock_unit_of(k->family, k->block_rows);
    SPMM_TRY(tcblocks_of(s, k->permutation, &f, diag));
    const struct spmmi_tcblock_counts *counts = &f->analysis.counts[unit];
    const uint32_t item_size = spmmi_tcblock_item_size(counts, s->request.device.multiprocessors);
    const struct spmmi_tcblock_items items = spmmi_tcblock_items(&f->analysis, unit, item_size);
    const struct spmmi_model_tcblocks tcblocks = {.counts = counts,
                                                  .items = items.items,
                                                  .partials = items.partials,
                                                  .item_size = item_size,
                                                  .is_reordered = f->permutation != NULL};
    for (int i = 0; i < column_count; i++)
        for (uint32_t layout = SPMM_LAYOUTS_ROW_MAJOR; layout <= SPMM_LAYOUTS_COL_MAJOR; layout *= 2)
            if ((layouts & layout) != 0)
                print_line(s, k, NULL, NULL, &tcblocks, columns[i], layout);
cleanup:
    return status;
}

static spmm_status_t print_kernel(struct subject *s, const struct kernel *k, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const bool is_tiled = k->family == SPMM_FAMILY_TILED;
    struct spmmi_tiled_analysis *analysis = NULL;
    spmm_row_block_metrics_t stats;
    if (test_is_tcblocks(k->family))
        return print_tcblocks(s, k, diag);
    if (is_tiled) {
        if (s->analyses.count == SPMMI_ANALYSIS_MAX)
            spmmi_analyses_free(&s->analyses);
        SPMM_TRY(spmmi_analysis_of(&s->analyses, &s->pattern, k->segment, &analysis, diag));
        if (k->is_reordered)
            SPMM_TRY(spmmi_analysis_permutation(analysis, &s->pattern, &s->request, diag));
        SPMM_TRY(measure_row_blocks(s, k, analysis, &stats));
    }
    for (int i = 0; i < column_count; i++) {
        const spmm_row_block_metrics_t row_blocks =
            is_tiled ? row_blocks_for(s, k, &stats, columns[i]) : (spmm_row_block_metrics_t){0};
        for (uint32_t layout = SPMM_LAYOUTS_ROW_MAJOR; layout <= SPMM_LAYOUTS_COL_MAJOR; layout *= 2)
            if ((layouts & layout) != 0)
                print_line(s, k, is_tiled ? &row_blocks : NULL, analysis, NULL, columns[i], layout);
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
    options.a_type = dtype;
    options.device = device;
    SPMM_TRY(spmmi_inspect_options(&options, &s->request, diag));
    for (int i = 0; i < count; i++)
        if (has_compute(s, &kernels[i]))
            SPMM_TRY(print_kernel(s, &kernels[i], diag));
cleanup:
    spmmi_analyses_free(&s->analyses);
    return status;
}

static spmm_status_t analysis_matrix(struct subject *s, const spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_csr_t a;
    spmm_matrix_stats_t stats;
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
    SPMM_TRY(spmmi_model_analysis(a.rows, a.cols, a.row_ptr, a.col_ind, &s->model, diag));
cleanup:
    return status;
}

/* Prints the lines of one job. The text of the job is modified. */
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
    SPMM_TRY(analysis_matrix(&s, matrix, &diag));
    for (int type = SPMM_F32; type <= SPMM_BF16; type++)
        if ((dtypes >> type & 1) != 0)
            SPMM_TRY(print_type(&s, (spmm_dtype_t)type, kernels, count, &diag));
cleanup:
    if (status != SPMM_OK)
        fprintf(stderr, "model_features: %s: %s %s\n", s.name, spmm_status_text(status), diag.text);
    for (int i = 0; i < s.tcblock_count; i++)
        spmmi_tcblock_analysis_close(&s.tcblocks[i].analysis);
    spmmi_row_permutations_free(&s.permutations);
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
        layouts |= strcmp(l, "row") == 0 ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
    for (char *t = strtok(argv[4], ","); t != NULL; t = strtok(NULL, ","))
        for (int type = SPMM_F32; type <= SPMM_BF16; type++)
            if (strcmp(t, spmm_dtype_name((spmm_dtype_t)type)) == 0)
                dtypes |= 1u << type;
    print_header();
    while (fgets(line, sizeof line, stdin) != NULL)
        failures += print_job(line) != SPMM_OK;
    return failures > 0;
}
