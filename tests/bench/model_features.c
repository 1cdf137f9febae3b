/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the refined model says of matrices, a line of CSV for each kernel, type, layout and n: the terms before
 * their factors, and the prediction. tools/dev/fit_model reads it.
 *
 * usage: model_features DEVICE LIST-OF-N TILED MATRIX...
 *   DEVICE  a name or a profile; TILED  "-", or PANEL_ROWS:STAGE_SLOTS:SEGMENT (0: whole rows)             */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/alloc.h"
#include "inspector/model_paper.h"
#include "inspector/model_refined.h"
#include "inspector/panel_stats.h"
#include "inspector/units.h"

#define N_MAX 32
#define THREADS 2
static int64_t columns[N_MAX];
static int column_count;
static unsigned panel_rows, stage_slots, segment;

static const char *const term_names[SPMMI_TERMS] = {"dram",  "l2",    "l1",      "alu",
                                                    "issue", "waves", "longest", "convert"};

/* "cant" of "folder/cant.mtx.zst"; a generator string as it is: the names of results.csv. */
static void print_name(const char *argument)
{
    const char *base = strrchr(argument, '/');
    const int is_generated = strncmp(argument, "gen:", 4) == 0;
    base = base == NULL || is_generated ? argument : base + 1;
    const char *end = is_generated ? NULL : strstr(base, strstr(base, ".smtx") != NULL ? ".smtx" : ".mtx");
    printf("%.*s", end == NULL ? (int)strlen(base) : (int)(end - base), base);
}

/* What the paper says: Eq. 2 for rows; Eq. 3 or 6 for tiled, each access to B a line from DRAM. */
static double paper_us(const struct spmmi_device_profile *profile, const struct spmmi_model_matrix *m,
                       const struct spmmi_model_candidate *c, int64_t n, spmm_dtype_t dtype)
{
    const spmm_stats_t stats = {.row_mean = m->nnz / m->rows};
    const uint32_t tile = spmmi_model_register_tile(n, dtype);
    const struct spmmi_paper s = spmmi_paper_of(&stats, c->panels, dtype, (double)tile);
    const double intensity = c->family == SPMM_FAMILY_ROWS ? spmmi_paper_naive(&s)
                             : c->schedule == SPMM_SCHEDULE_WHOLE
                                 ? spmmi_paper_tiled(&s, SPMMI_PAPER_ALL_MISS)
                                 : spmmi_paper_segmented(&s, SPMMI_PAPER_ALL_MISS);
    return 1e6 * spmmi_paper_seconds(profile, intensity, m->nnz, (double)n);
}

static void print_line(const char *argument, const struct spmmi_device_profile *profile,
                       const struct spmmi_model_matrix *m, const struct spmmi_model_candidate *c, int64_t n,
                       uint32_t layout, spmm_dtype_t dtype)
{
    const struct spmmi_prediction p = spmmi_model_predict(profile, m, c, n, layout, dtype);
    print_name(argument);
    printf(",%lld,%s,%s,%s/%s,%.6g,%g", (long long)n, layout == SPMM_LAYOUT_ROW_MAJOR ? "row" : "col",
           spmm_dtype_name(dtype), spmm_family_name(c->family), spmm_schedule_name(c->schedule),
           1e6 * profile->launch_s, p.launches);
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%.6g", 1e6 * p.term[i]);
    printf(",%.4f,%.4f,%.6g,%.6g\n", p.l1_share, p.l2_share, 1e6 * p.seconds,
           paper_us(profile, m, c, n, dtype));
}

static spmm_status_t panel_figures(const spmm_csr_t *a, const struct spmmi_device_profile *profile,
                                   spmm_dtype_t dtype, int64_t n, spmm_panel_stats_t *stats)
{
    const int64_t *row_ptr = a->row_ptr;
    const uint64_t units = spmmi_units_count(a->rows, row_ptr, segment);
    int64_t *unit_ptr = spmmi_alloc(units + 1, sizeof *unit_ptr);
    if (unit_ptr == NULL)
        return SPMM_ERR_MEMORY;
    spmmi_units_cut(a->rows, row_ptr, segment, unit_ptr, NULL);
    const struct spmmi_panel_input in = {
        .cols = a->cols,
        .units = units,
        .unit_ptr = unit_ptr,
        .col_ind = a->col_ind,
        .segment = segment,
        .panel_rows = panel_rows,
        .stage_slots = stage_slots,
        .number_bytes = (uint32_t)spmm_dtype_size(dtype),
        .register_tile = spmmi_model_register_tile(n, dtype),
        .n = n,
        .multiprocessors = profile->multiprocessors,
        .threads = THREADS,
    };
    const spmm_status_t status = spmmi_panel_stats(&in, stats);
    spmmi_free(unit_ptr);
    return status;
}

static spmm_status_t print_matrix(const char *argument, const struct spmmi_device_profile *profile)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct spmmi_model_matrix m;
    spmm_panel_stats_t stats;
    spmm_csr_t a;
    spmm_status_t status = strncmp(argument, "gen:", 4) == 0
                               ? spmm_matrix_generate(argument, &matrix, &diag)
                               : spmm_matrix_load(argument, NULL, &matrix, &diag);
    if (status == SPMM_OK)
        status = spmm_matrix_csr(matrix, &a);
    if (status == SPMM_OK)
        status = spmmi_model_study(a.rows, a.cols, a.row_ptr, a.col_ind, &m, &diag);
    for (int type = 0; type < 2 && status == SPMM_OK; type++) {
        const spmm_dtype_t dtype = type == 0 ? SPMM_F32 : SPMM_F64;
        for (int i = 0; i < column_count && status == SPMM_OK; i++) {
            if (panel_rows > 0)
                status = panel_figures(&a, profile, dtype, columns[i], &stats);
            for (uint32_t layout = SPMM_LAYOUT_ROW_MAJOR; layout <= SPMM_LAYOUT_COL_MAJOR; layout *= 2) {
                for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_NONZERO_SPLIT; s++) {
                    const struct spmmi_model_candidate rows = {SPMM_FAMILY_ROWS, (spmm_schedule_t)s, NULL, 0};
                    print_line(argument, profile, &m, &rows, columns[i], layout, dtype);
                }
                const struct spmmi_model_candidate tiled = {
                    SPMM_FAMILY_TILED, segment == 0 ? SPMM_SCHEDULE_WHOLE : SPMM_SCHEDULE_SEGMENTED, &stats,
                    0};
                if (panel_rows > 0 && status == SPMM_OK)
                    print_line(argument, profile, &m, &tiled, columns[i], layout, dtype);
            }
        }
    }
    if (status != SPMM_OK)
        fprintf(stderr, "model_features: %s: %s %s\n", argument, spmm_status_text(status), diag.text);
    spmm_matrix_destroy(matrix);
    return status;
}

int main(int argc, char **argv)
{
    struct spmmi_device_profile profile;
    spmm_diag_t diag = {.status = SPMM_OK};
    int failures = 0;
    if (argc < 5) {
        fprintf(stderr,
                "usage: model_features DEVICE LIST-OF-N -|PANEL_ROWS:STAGE_SLOTS:SEGMENT MATRIX...\n");
        return 2;
    }
    if (spmmi_device_profile_open(argv[1], &profile, &diag) != SPMM_OK) {
        fprintf(stderr, "model_features: %s\n", diag.text);
        return 2;
    }
    for (char *n = strtok(argv[2], ","); n != NULL && column_count < N_MAX; n = strtok(NULL, ","))
        columns[column_count++] = strtoll(n, NULL, 10);
    if (strcmp(argv[3], "-") != 0 && sscanf(argv[3], "%u:%u:%u", &panel_rows, &stage_slots, &segment) != 3) {
        fprintf(stderr, "model_features: expected PANEL_ROWS:STAGE_SLOTS:SEGMENT, found %s\n", argv[3]);
        return 2;
    }
    printf("matrix,n,layout,dtype,kernel,launch_us,launches");
    for (int i = 0; i < SPMMI_TERMS; i++)
        printf(",%s", term_names[i]);
    printf(",l1_share,l2_share,predicted_us,paper_us\n");
    for (int i = 4; i < argc; i++)
        failures += print_matrix(argv[i], &profile) != SPMM_OK;
    return failures > 0;
}
