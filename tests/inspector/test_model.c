/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the equations of paper 000 with numbers worked out by hand, metrics of small matrices counted by
 * hand, and laws that every prediction must obey. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include <spmm/inspector.h>

#include "kernels/tiled/tiled_chart_plan.h"
#include "inspector/cost/roofline.h"
#include "inspector/search/planner.h"
#include "kernels/tiled/tiled_cost.h"
#include "inspector/analysis/row_block_metrics.h"

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fabs(expected)))
        fail_msg("expected %.9g, found %.9g", expected, found);
}

static void open_profile(const char *name, struct spmmi_device_profile *profile)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    if (spmmi_device_profile_open(name, profile, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
}

/* ---- The paper ---- */

/* An example with mu = 10, mu* = 5, rho = 8, Z = 1.25, C = 4, L = 2, R = 16 and type f32. */
static const struct spmmi_roofline example = {.b_t = 4,
                                              .b_is = 2,
                                              .b_i = 4,
                                              .delta = 8,
                                              .r = 16,
                                              .rho = 8,
                                              .z = 1.25,
                                              .mu = 10,
                                              .mu_star = 5,
                                              .c = 4,
                                              .l = 2};

static void equation_2_counts_the_bytes_of_a_row(void **state)
{
    (void)state;
    struct spmmi_roofline s = example;
    assert_near(spmmi_roofline_naive(&s), 20.0 / (10 * 8 + 10 * 4 + 4 + 8)); /* 20 / 132 */
    s.b_t = 8;
    assert_near(spmmi_roofline_naive(&s), 20.0 / (10 * 12 + 10 * 8 + 8 + 8)); /* 20 / 216 */
}

static void equation_2_stays_between_the_paper_s_bounds(void **state)
{
    (void)state;
    for (double mu = 1; mu < 1e9; mu *= 3) {
        struct spmmi_roofline s = example;
        s.mu = mu;
        assert_true(spmmi_roofline_naive(&s) >= 0.08); /* mu = 1: 2 / 24 */
        assert_true(spmmi_roofline_naive(&s) < 0.17);  /* mu to infinity: 2 / 12 */
    }
}

static void equation_4_is_penalty_over_reward(void **state)
{
    (void)state;
    assert_near(spmmi_roofline_gamma(&example, SPMMI_ROOFLINE_COLD_MISS), 2);
    assert_near(spmmi_roofline_gamma(&example, SPMMI_ROOFLINE_ALL_MISS), 4);
    assert_near(spmmi_roofline_gamma(&example, SPMMI_ROOFLINE_ALGORITHMIC), 1);
}

static void equation_3_adds_four_kinds_of_bytes(void **state)
{
    (void)state;
    /* (4 + 2) 1.25 / 16 = 0.46875; 4 / (8 * 10) = 0.05; 8 / (16 * 10) = 0.05; then 4 Gamma / 8 is added. */
    assert_near(spmmi_roofline_tiled(&example, SPMMI_ROOFLINE_COLD_MISS), 2 / (0.56875 + 1.0));
    assert_near(spmmi_roofline_tiled(&example, SPMMI_ROOFLINE_ALGORITHMIC), 2 / (0.56875 + 0.5));
    assert_near(spmmi_roofline_tiled(&example, SPMMI_ROOFLINE_ALL_MISS), 2 / (0.56875 + 2.0));
}

static void equation_6_adds_the_partial_sums(void **state)
{
    (void)state;
    /* 0.46875 + 4 C / 8 = 2.46875; 4 / (8 * 5) = 0.1; (4 + 8) / (16 * 5) = 0.15; 4 / 10 = 0.4. The sum is
     * 3.11875. */
    assert_near(spmmi_roofline_segmented(&example, SPMMI_ROOFLINE_ALL_MISS), 2 / 3.11875);
    assert_near(spmmi_roofline_segmented(&example, SPMMI_ROOFLINE_COLD_MISS), 2 / 2.11875);
}

static void equation_5_counts_blocks_over_multiprocessors(void **state)
{
    (void)state;
    /* 1,000 rows are 4 row blocks of 256 rows, and 32 columns are 2 tiles of 16: 8 thread blocks on 108
     * multiprocessors. */
    assert_near(spmmi_utilisation(1000, 256, 32, 16, 108), 8.0 / 108);
}

static void symbols_come_from_the_metrics_of_row_blocks(void **state)
{
    (void)state;
    const spmm_matrix_stats_t stats = {.row_mean = 10};
    const spmm_row_block_metrics_t row_blocks = {
        .block_rows = 256, .rho = 8, .padding = 1.25, .unit_mean = 5, .line_cost = 4, .l2_reuse = 2};
    const struct spmmi_roofline s =
        spmmi_roofline_of(&stats, &row_blocks, SPMM_F32, SPMMI_ROOFLINE_REGISTER_TILE);
    assert_near(spmmi_roofline_tiled(&s, SPMMI_ROOFLINE_COLD_MISS),
                spmmi_roofline_tiled(&example, SPMMI_ROOFLINE_COLD_MISS));
    assert_near(spmmi_roofline_segmented(&s, SPMMI_ROOFLINE_ALL_MISS),
                spmmi_roofline_segmented(&example, SPMMI_ROOFLINE_ALL_MISS));
    const struct spmmi_roofline plain = spmmi_roofline_of(&stats, NULL, SPMM_F64, 4);
    assert_near(plain.b_t, 8);
    assert_near(plain.rho, 1);
}

static void a_matrix_without_nonzeros_has_intensity_0(void **state)
{
    (void)state;
    const spmm_matrix_stats_t stats = {.row_mean = 0};
    const struct spmmi_roofline s = spmmi_roofline_of(&stats, NULL, SPMM_F32, 16);
    assert_true(spmmi_roofline_naive(&s) == 0);
    assert_true(spmmi_roofline_tiled(&s, SPMMI_ROOFLINE_ALL_MISS) == 0);
    assert_true(spmmi_roofline_segmented(&s, SPMMI_ROOFLINE_ALL_MISS) == 0);
}

static void the_roofline_of_an_a100_is_the_paper_s(void **state)
{
    (void)state;
    struct spmmi_device_profile a100;
    open_profile("a100", &a100);
    assert_near(spmmi_roofline_throughput(&a100, 0.1), 155.5e9);
    assert_near(spmmi_roofline_throughput(&a100, 100), 19.5e12);
    assert_near(a100.peak_flops / a100.peak_bandwidth, 19500.0 / 1555); /* critical intensity: 12.54 */
    assert_near(spmmi_roofline_seconds(&a100, 0.1, 1e6, 64), 2e6 * 64 / 155.5e9);
    assert_true(spmmi_roofline_seconds(&a100, 0, 0, 64) == 0);
}

/* ---- Metrics of a matrix ---- */

/* The columns of the nonzeros, row by row: 0 1 | 0 | (none) | 0 1 2. */
static void locality_of_a_small_matrix_is_as_counted(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 2, 3, 3, 6};
    const int32_t col_ind[] = {0, 1, 0, 0, 1, 2};
    struct spmmi_model_matrix m;
    assert_int_equal(spmmi_model_analysis(4, 5, row_ptr, col_ind, &m, NULL), SPMM_OK);
    assert_near(m.cols_used, 3);
    assert_near(m.rows_used, 3);
    assert_near(m.longest, 3);
    assert_near(m.by_rows.near[0], 1.0 / 6); /* the third use of column 0 follows at once */
    assert_near(m.by_rows.near[1], 2.0 / 6); /* the second use is two after the first */
    assert_near(m.by_rows.near[2], 3.0 / 6); /* column 1 is used again three nonzeros later */
    assert_near(m.by_rows.working_set[0], 1);
    assert_near(m.by_rows.working_set[1], 9.0 / 5); /* the windows of two nonzeros hold 2 2 1 2 2 columns */
    assert_near(m.by_rows.working_set[2], 7.0 / 3); /* the windows of four nonzeros hold 2 2 3 columns */
    assert_near(m.by_rows.working_set[3], 3);
    assert_near(m.items, 1); /* six nonzeros do not fill an item of size eight */
    assert_near(m.item_longest, 2);
}

/* Rows of 1, 30, 2, 6 and 9 nonzeros form the items {1, 30}, {2, 6} and {9} of 8, 2 and 3 steps. */
static void items_are_grouped_by_powers_of_two(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 1, 31, 33, 39, 48};
    int32_t col_ind[48];
    for (int i = 0; i < 48; i++)
        col_ind[i] = i;
    struct spmmi_model_matrix m;
    assert_int_equal(spmmi_model_analysis(5, 48, row_ptr, col_ind, &m, NULL), SPMM_OK);
    assert_near(m.items, 3);
    assert_near(m.item_longest, 8);
    assert_near(m.item_steps[0], 13);
    assert_near(m.item_steps[1], 8 + 3);
    assert_near(m.item_steps[2], 8);
    assert_near(m.item_steps[8], 8);
}

static void analysis(const char *generator, struct spmmi_model_matrix *m, spmm_matrix_t **matrix,
                     spmm_csr_t *a)
{
    assert_int_equal(spmm_matrix_generate(generator, matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(*matrix, a), SPMM_OK);
    assert_int_equal(spmmi_model_analysis(a->rows, a->cols, a->row_ptr, a->col_ind, m, NULL), SPMM_OK);
}

static double mean_working_set(const spmm_csr_t *a, int64_t window)
{
    const int32_t *col = a->col_ind;
    int64_t total = 0;
    for (int64_t begin = 0; begin + window <= a->nnz; begin++) {
        for (int64_t p = begin; p < begin + window; p++) {
            int64_t q = begin;
            while (col[q] != col[p])
                q++;
            total += q == p; /* counts the first use of a column */
        }
    }
    return (double)total / (double)(a->nnz - window + 1);
}

static void working_sets_equal_those_of_all_windows(void **state)
{
    (void)state;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    analysis("gen:powerlaw:60:50:5", &m, &matrix, &a);
    for (int b = 0; ((int64_t)1 << b) <= a.nnz; b++)
        assert_near(m.by_rows.working_set[b], mean_working_set(&a, (int64_t)1 << b));
    spmm_matrix_destroy(matrix);
}

static void a_larger_cache_hits_no_less(void **state)
{
    (void)state;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    analysis("gen:rmat:10:8", &m, &matrix, &a);
    double before = 0;
    for (double columns = 0.5; columns < 4 * m.cols; columns *= 1.3) {
        const struct spmmi_model_hit hit = spmmi_model_hits(&m, &m.by_rows, columns, 0);
        assert_true(hit.share >= before - 1e-12 && hit.share <= 1);
        before = hit.share;
    }
    assert_near(before, 1 - m.cols_used / m.nnz); /* all but the first use of each column */
    spmm_matrix_destroy(matrix);
}

/* If columns are drawn independently at random, the hit share is Che's: sum p_c (1 - exp(-p_c T)), where
 * sum (1 - exp(-p_c T)) = columns in the cache. Here all p_c are equal, so share = columns / cols. */
static void independent_columns_give_che_s_share(void **state)
{
    (void)state;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    analysis("gen:rand:4000:16", &m, &matrix, &a);
    for (double part = 0.25; part < 0.8; part += 0.25) {
        const double share = spmmi_model_hits(&m, &m.by_rows, part * m.cols, 0).share;
        assert_true(fabs(share - part) < 0.05);
    }
    spmm_matrix_destroy(matrix);
}

/* Thread blocks that start far from each other lose the reuse between neighbouring rows of a grid. With
 * random columns they lose nothing. */
static void blocks_side_by_side_lose_the_reuse_of_neighbours(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double least, most; /* bounds of share side by side / share by rows */
    } cases[] = {{"gen:poisson2:300:200", 0.4, 0.8}, {"gen:rand:40000:6", 0.95, 1.05}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmmi_model_matrix m;
        spmm_matrix_t *matrix = NULL;
        spmm_csr_t a;
        analysis(cases[i].spec, &m, &matrix, &a);
        const double by_rows = spmmi_model_hits(&m, &m.by_rows, 0.2 * m.cols, 0).share;
        const double side_by_side = spmmi_model_hits(&m, &m.side_by_side, 0.2 * m.cols, 0).share;
        print_message("%s: %.3f by rows, %.3f side by side\n", cases[i].spec, by_rows, side_by_side);
        assert_true(side_by_side >= cases[i].least * by_rows && side_by_side <= cases[i].most * by_rows);
        spmm_matrix_destroy(matrix);
    }
}

/* ---- Laws of the cost model ---- */

static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT};

static double seconds(const struct spmmi_device_profile *d, const struct spmmi_model_matrix *m, int schedule,
                      int64_t n, uint32_t layout, spmm_dtype_t dtype)
{
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = schedules[schedule]};
    return spmmi_predict(d, m, &c, n, layout, dtype).seconds;
}

static void more_work_takes_no_less_time(void **state)
{
    static const char *const devices[] = {"a100", "cpu", "h100", "h200"};
    static const int64_t columns[] = {8, 32, 64, 128, 256, 512, 2048};
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix small;
    struct spmmi_model_matrix large;
    spmm_matrix_t *matrix[2];
    spmm_csr_t a;
    analysis("gen:rand:20000:8", &small, &matrix[0], &a);
    analysis("gen:rand:20000:24", &large, &matrix[1], &a);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        open_profile(devices[i], &d);
        for (int s = 0; s < 2; s++) {
            double before = d.launch_s / 2; /* an early start hides at most half of the launch */
            for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
                const double t = seconds(&d, &small, s, columns[k], SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
                assert_true(isfinite(t) && t > before);
                before = t;
                assert_true(seconds(&d, &large, s, columns[k], SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32) > t);
                assert_true(seconds(&d, &small, s, columns[k], SPMM_LAYOUTS_COL_MAJOR, SPMM_F32) > t);
            }
        }
    }
    spmm_matrix_destroy(matrix[0]);
    spmm_matrix_destroy(matrix[1]);
}

static void one_column_takes_the_same_in_both_layouts(void **state)
{
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    open_profile("h200", &d);
    analysis("gen:lap27:8", &m, &matrix, &a);
    for (int s = 0; s < 2; s++)
        assert_near(seconds(&d, &m, s, 1, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32),
                    seconds(&d, &m, s, 1, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32));
    spmm_matrix_destroy(matrix);
}

/* A diagonal of 1,000 rows, 32 columns of f32: A takes 6.125 bytes per entry, B and C 128 bytes per row, each
 * moved once. */
static void compulsory_traffic_is_as_counted(void **state)
{
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    open_profile("h200", &d);
    analysis("gen:diag:1000", &m, &matrix, &a);
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    const struct spmmi_prediction p = spmmi_predict(&d, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_DRAM], ((2.125 + 4) * 1000 + 128e3 + 128e3) / d.copy_rate);
    m.has_equal_values = 1;
    const struct spmmi_prediction ones = spmmi_predict(&d, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(ones.term[SPMMI_TERM_DRAM], (2.125 * 1000 + 128e3 + 128e3) / d.copy_rate);
    assert_true(p.launches == 0);
    m.cols = 65537; /* column indices need 32 bits */
    const struct spmmi_prediction many = spmmi_predict(&d, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(many.term[SPMMI_TERM_DRAM], (4e3 + 128e3 + 128e3) / d.copy_rate);
    spmm_matrix_destroy(matrix);
}

/* 500,000 rows of 30 nonzeros: four lanes share a row, so a warp has 8 rows and a thread block 64. */
static void lanes_share_a_row_of_one_column(void **state)
{
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m = {.rows = 5e5, .cols = 5e5, .nnz = 15e6, .rows_used = 5e5, .cols_used = 5e5};
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    open_profile("h200", &d);
    m.item_longest = 8;
    m.item_steps[3] = 3e5;
    m.item_steps[6] = 2e5;
    const struct spmmi_prediction p = spmmi_predict(&d, &m, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double step = SPMMI_MODEL_STEP_CYCLES / d.clock_hz;
    assert_near(p.term[SPMMI_TERM_ISSUE], 3e5 / 4 * 28 / (4.0 * d.multiprocessors * d.clock_hz));
    /* No nonzero reuses a nearby column: each step waits for DRAM, twice as long. */
    assert_near(p.term[SPMMI_TERM_WAVES], 2 * 2e5 / 4 * step / (d.multiprocessors * 5.0));
    assert_near(p.term[SPMMI_TERM_LONGEST], 2 * step);
}

/* Groups share a long row: 32 groups for 32 columns, 8 for 128, and 32 for 8 columns of column-major C.
 * Measured on an H100 with cold caches: row split takes 10.6, 20 and 17 times as long as nonzero split. */
static void one_long_row_makes_row_split_slow(void **state)
{
    static const struct {
        int64_t n;
        uint32_t layout;
        double times;
    } cases[] = {
        {32, SPMM_LAYOUTS_ROW_MAJOR, 5}, {128, SPMM_LAYOUTS_ROW_MAJOR, 10}, {8, SPMM_LAYOUTS_COL_MAJOR, 5}};
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    open_profile("h200", &d);
    analysis("gen:arrow:30000", &m, &matrix, &a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(seconds(&d, &m, 0, cases[i].n, cases[i].layout, SPMM_F32) >
                    cases[i].times * seconds(&d, &m, 1, cases[i].n, cases[i].layout, SPMM_F32));
    spmm_matrix_destroy(matrix);
}

static void terms_join_as_a_norm(void **state)
{
    (void)state;
    struct spmmi_model_constants c = {.start_us = 1, .launch_us = 2, .factor = {1, 1, 1, 1, 1, 1, 1, 3}};
    const double one[SPMMI_TERMS] = {[SPMMI_TERM_L2] = 5e-6, [SPMMI_TERM_CONVERT] = 1e-6};
    const double two[SPMMI_TERMS] = {[SPMMI_TERM_L2] = 5e-6, [SPMMI_TERM_DRAM] = 5e-6};
    assert_near(spmmi_model_combine(&c, one, 4e-6, 1), 4e-6 + 1e-6 + 2e-6 + 5e-6 + 3e-6);
    assert_near(spmmi_model_combine(&c, two, 4e-6, 0), 5e-6 + 5e-6 * pow(2, 0.25));
    c.norm = 2;
    assert_near(spmmi_model_combine(&c, two, 4e-6, 0), 5e-6 + 5e-6 * sqrt(2));
}

static void tiled_pays_for_bytes_padding_and_stages(void **state)
{
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    spmm_row_block_metrics_t stats = {0};
    open_profile("h200", &d);
    analysis("gen:fem3:8:8:40", &m, &matrix, &a);
    const struct spmmi_row_block_input in = {.cols = a.cols,
                                             .units = (uint64_t)a.rows,
                                             .unit_ptr = a.row_ptr,
                                             .col_ind = a.col_ind,
                                             .block_rows = 128,
                                             .stage_slots = 447,
                                             .value_bytes = 4,
                                             .register_tile = 16,
                                             .n = 64,
                                             .multiprocessors = 132,
                                             .threads = 1};
    assert_int_equal(spmmi_row_block_metrics(&in, &stats), SPMM_OK);
    const struct spmmi_tiled_metrics metrics = {.row_blocks = &stats, .register_tile = 16};
    const struct spmmi_model_candidate c = {
        .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_WHOLE, .metrics = &metrics};
    const uint32_t col = SPMM_LAYOUTS_COL_MAJOR;
    const double base = spmmi_predict(&d, &m, &c, 64, col, SPMM_F32).seconds;
    assert_true(isfinite(base) && base > d.launch_s);
    assert_true(spmmi_predict(&d, &m, &c, 256, col, SPMM_F32).seconds > base);
    const spmm_row_block_metrics_t kept = stats;
    stats.sectors *= 4;
    assert_true(spmmi_predict(&d, &m, &c, 64, col, SPMM_F32).seconds > base);
    stats = kept;
    stats.slices *= 2;
    assert_true(spmmi_predict(&d, &m, &c, 64, col, SPMM_F32).seconds > base);
    stats = kept;
    stats.stages_max *= 50;
    assert_true(spmmi_predict(&d, &m, &c, 64, col, SPMM_F32).seconds > base);
    spmm_matrix_destroy(matrix);
}

static void an_empty_matrix_takes_a_launch(void **state)
{
    (void)state;
    struct spmmi_device_profile d;
    struct spmmi_model_matrix m;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    open_profile("h200", &d);
    analysis("gen:empty:10:10", &m, &matrix, &a);
    for (int s = 0; s < 2; s++) {
        const double t = seconds(&d, &m, s, 8, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
        assert_true(isfinite(t) && t >= d.launch_s / 2 && t < 20e-6);
    }
    spmm_matrix_destroy(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equation_2_counts_the_bytes_of_a_row),
        cmocka_unit_test(equation_2_stays_between_the_paper_s_bounds),
        cmocka_unit_test(equation_4_is_penalty_over_reward),
        cmocka_unit_test(equation_3_adds_four_kinds_of_bytes),
        cmocka_unit_test(equation_6_adds_the_partial_sums),
        cmocka_unit_test(equation_5_counts_blocks_over_multiprocessors),
        cmocka_unit_test(symbols_come_from_the_metrics_of_row_blocks),
        cmocka_unit_test(a_matrix_without_nonzeros_has_intensity_0),
        cmocka_unit_test(the_roofline_of_an_a100_is_the_paper_s),
        cmocka_unit_test(locality_of_a_small_matrix_is_as_counted),
        cmocka_unit_test(items_are_grouped_by_powers_of_two),
        cmocka_unit_test(working_sets_equal_those_of_all_windows),
        cmocka_unit_test(a_larger_cache_hits_no_less),
        cmocka_unit_test(independent_columns_give_che_s_share),
        cmocka_unit_test(blocks_side_by_side_lose_the_reuse_of_neighbours),
        cmocka_unit_test(more_work_takes_no_less_time),
        cmocka_unit_test(one_column_takes_the_same_in_both_layouts),
        cmocka_unit_test(compulsory_traffic_is_as_counted),
        cmocka_unit_test(lanes_share_a_row_of_one_column),
        cmocka_unit_test(one_long_row_makes_row_split_slow),
        cmocka_unit_test(terms_join_as_a_norm),
        cmocka_unit_test(tiled_pays_for_bytes_padding_and_stages),
        cmocka_unit_test(an_empty_matrix_takes_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
