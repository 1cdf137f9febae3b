/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the predicted cost of column-major operands. bcsr takes operands as they are, but copies some B of
 * 16-bit values. panel converts B if it can store C as it is. In all other cases both are
 * converted. Also checks the number of passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "kernels/dense/dense_shape.h"
#include "kernels/panel/panel_shape.h"
#include "model_fixture.h"

#define N 32
#define WIDE 65536 /* n for the dense family: so large that the library multiplies */
#define STEP_SECONDS(d) (SPMMI_MODEL_STEP_CYCLES / (d).clock_hz)

static const struct spmmi_model_tcblocks whole = {.counts = &groups_of_64, .items = 16, .item_size = 32};

static struct spmmi_device_profile profile_of(const char *name)
{
    struct spmmi_device_profile profile;
    spmm_diag_t diag = {.status = SPMM_OK};
    if (spmmi_device_profile_open(name, &profile, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return profile;
}

static struct spmmi_prediction predict_of(spmm_family_t family, const struct spmmi_model_tcblocks *f,
                                          double rows, double cols, double n, uint32_t layout,
                                          spmm_dtype_t dtype)
{
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_model_matrix m = {
        .rows = rows, .cols = cols, .nnz = 10000, .rows_used = rows, .cols_used = 500, .longest = 20};
    const struct spmmi_model_candidate c = {.family = family,
                                            .schedule = SPMM_SCHEDULE_DENSE,
                                            .metrics = f,
                                            .compute = dtype == SPMM_F32   ? SPMM_COMPUTE_3XTF32
                                                       : dtype == SPMM_F16 ? SPMM_COMPUTE_F16
                                                                           : SPMM_COMPUTE_F64};
    return spmmi_predict(&d, &m, &c, (int64_t)n, layout, dtype);
}

static struct spmmi_prediction predict(const struct spmmi_model_tcblocks *f, double cols, uint32_t layout,
                                       spmm_dtype_t dtype)
{
    return predict_of(SPMM_FAMILY_BCSR, f, 1024, cols, N, layout, dtype);
}

static void aligned_columns_cost_what_rows_do(void **state)
{
    (void)state;
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64};
    for (int t = 0; t < 2; t++) {
        const struct spmmi_prediction row = predict(&whole, 1024, SPMM_LAYOUTS_ROW_MAJOR, dtypes[t]);
        const struct spmmi_prediction col = predict(&whole, 1024, SPMM_LAYOUTS_COL_MAJOR, dtypes[t]);
        for (int i = 0; i < SPMMI_TERMS; i++)
            assert_near(col.term[i], row.term[i]);
        assert_true(col.launches == 0);
    }
}

/* Odd columns of 16-bit values are copied, and even ones if groups read each row of B more than four times in
 * products of 64 columns or more. The groups read 1,600 rows. */
static void some_columns_cost_a_copy_of_b(void **state)
{
    static const struct {
        double cols, n;
        spmm_dtype_t dtype;
        int is_copied;
    } cases[] = {{1025, N, SPMM_F16, 1}, {1026, N, SPMM_F16, 0}, {398, 64, SPMM_F16, 1},
                 {398, 63, SPMM_F16, 0}, {402, 64, SPMM_F16, 0}, {400, 64, SPMM_F16, 0},
                 {1025, N, SPMM_F32, 0}, {1025, N, SPMM_F64, 0}};
    const struct spmmi_device_profile d = profile_of("h100");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_prediction col = predict_of(SPMM_FAMILY_BCSR, &whole, 1024, cases[i].cols,
                                                       cases[i].n, SPMM_LAYOUTS_COL_MAJOR, cases[i].dtype);
        const double copy = 2 * cases[i].cols * cases[i].n * 2 / d.copy_rate + 3 * STEP_SECONDS(d);
        assert_near(col.term[SPMMI_TERM_CONVERT], cases[i].is_copied ? copy : 0);
        assert_true(col.launches == 0);
    }
}

/* Copies by words of 4 bytes take more instructions than by words of 16 bytes. */
static void narrow_words_of_b_cost_instructions(void **state)
{
    (void)state;
    const struct spmmi_prediction wide = predict(&whole, 1024, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    const struct spmmi_prediction words = predict(&whole, 1025, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_true(words.term[SPMMI_TERM_ISSUE] > wide.term[SPMMI_TERM_ISSUE]);
}

/* Storing parts of sectors of C costs more, whether or not the columns of B are aligned. */
static void parts_of_sectors_of_c_cost_more(void **state)
{
    (void)state;
    const struct spmmi_device_profile d = profile_of("h100");
    for (int more = 0; more < 2; more++) {
        const struct spmmi_prediction col =
            predict_of(SPMM_FAMILY_BCSR, &whole, 1025, 1024 + more, N, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
        assert_near(col.term[SPMMI_TERM_CONVERT], 1025 * N * 4 / d.copy_rate);
    }
}

/* The copy of 200,001 rows stays in the L2 cache with 128 columns at a time. 384 columns of 43,681 rows would
 * fit without gaps, but columns of the copy start at multiples of 128 bytes. */
static void wide_copies_take_several_passes(void **state)
{
    (void)state;
    static const struct {
        double cols, n, passes;
    } cases[] = {{200001, 512, 4}, {43681, 384, 2}};
    const struct spmmi_device_profile d = profile_of("h100");
    for (int i = 0; i < 2; i++) {
        const double cols = cases[i].cols, n = cases[i].n, passes = cases[i].passes;
        const struct spmmi_prediction col =
            predict_of(SPMM_FAMILY_BCSR, &whole, 1024, cols, n, SPMM_LAYOUTS_COL_MAJOR, SPMM_F16);
        assert_near(col.term[SPMMI_TERM_CONVERT],
                    2 * cols * n * 2 / d.copy_rate + passes * 3 * STEP_SECONDS(d));
        assert_true(col.launches == passes - 1);
    }
}

/* Unless rows are permuted, panel stores column-major C itself and converts only B, in passes of more columns
 * than if it converts C too. */
static void panel_stores_columns(void **state)
{
    (void)state;
    static const struct {
        spmm_dtype_t dtype;
        double n, stored, converted; /* number of passes */
    } cases[] = {{SPMM_F16, N, 1, 1},   {SPMM_F32, N, 1, 1},   {SPMM_F64, N, 1, 1},
                 {SPMM_F16, 512, 1, 2}, {SPMM_F32, 512, 2, 4}, {SPMM_F64, 512, 4, 4}};
    struct spmmi_tcblock_counts counts = groups_of_64;
    struct spmmi_model_tcblocks f = whole;
    const struct spmmi_device_profile d = profile_of("h100");
    counts.family = SPMM_FAMILY_PANEL;
    f.counts = &counts;
    for (int i = 0; i < 12; i++) {
        const double rows = 40000 + i % 2, cols = 20000, n = cases[i / 2].n;
        const double column = n * (double)spmm_dtype_size(cases[i / 2].dtype) / d.copy_rate;
        const double stored = cases[i / 2].stored, converted = cases[i / 2].converted;
        f.is_reordered = 0;
        struct spmmi_prediction p =
            predict_of(SPMM_FAMILY_PANEL, &f, rows, cols, n, SPMM_LAYOUTS_COL_MAJOR, cases[i / 2].dtype);
        assert_near(p.term[SPMMI_TERM_CONVERT],
                    (2 * cols + (i % 2 > 0 ? rows : 0)) * column + stored * 8 * STEP_SECONDS(d));
        assert_true(p.launches == stored - 1);
        f.is_reordered = 1;
        p = predict_of(SPMM_FAMILY_PANEL, &f, rows, cols, n, SPMM_LAYOUTS_COL_MAJOR, cases[i / 2].dtype);
        assert_near(p.term[SPMMI_TERM_CONVERT],
                    2 * (cols + rows) * column + converted * 16 * STEP_SECONDS(d));
        assert_true(p.launches == converted - 1);
    }
}

static struct spmmi_prediction predict_gemm(double rows, double cols, int64_t n, uint32_t layout,
                                            spmm_dtype_t dtype, spmm_compute_t compute)
{
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_model_matrix m = {
        .rows = rows, .cols = cols, .nnz = 100000, .rows_used = rows, .cols_used = cols, .longest = 200};
    const struct spmmi_model_candidate c = {
        .family = SPMMI_DENSE, .schedule = SPMMI_DENSE_GEMM, .compute = compute};
    return spmmi_predict(&d, &m, &c, n, layout, dtype);
}

static struct spmmi_prediction predict_dense(double rows, uint32_t layout)
{
    return predict_gemm(rows, 1024, WIDE, layout, SPMM_F16, SPMM_COMPUTE_F16);
}

/* B is padded with zeros after row k, unless A has few rows. Columns of C that start at unaligned addresses
 * are copied, unless warpgroups store them. */
static void only_some_rows_of_b_are_padded(void **state)
{
    static const struct {
        double rows, cols;
        uint32_t layout;
        int copies, has_own;
    } cases[] = {{65, 1023, SPMM_LAYOUTS_ROW_MAJOR, 1, 0}, {64, 1023, SPMM_LAYOUTS_ROW_MAJOR, 0, 1},
                 {65, 1024, SPMM_LAYOUTS_ROW_MAJOR, 0, 0}, {64, 1024, SPMM_LAYOUTS_ROW_MAJOR, 0, 0},
                 {66, 1031, SPMM_LAYOUTS_COL_MAJOR, 2, 0}, {66, 1032, SPMM_LAYOUTS_COL_MAJOR, 1, 0},
                 {68, 1023, SPMM_LAYOUTS_COL_MAJOR, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_prediction p =
            predict_gemm(cases[i].rows, cases[i].cols, WIDE, cases[i].layout, SPMM_F16, SPMM_COMPUTE_F16);
        assert_int_equal(p.term[SPMMI_TERM_CONVERT] > 0, cases[i].copies > 0);
        assert_true(p.launches == 1 + cases[i].copies);
        assert_int_equal(p.own != NULL, cases[i].has_own);
    }
}

/* Products that the family's own kernels compute have constants of their own. No other kernel runs if B has
 * the layout that these kernels load. For warpgroups a kernel in front can give B this layout. */
static void products_of_own_kernels_are_predicted_apart(void **state)
{
    static const struct {
        int64_t n;
        spmm_dtype_t dtype;
        spmm_compute_t compute;
        uint32_t layout;
        double cols;
        int is_own;
    } cases[] = {{32, SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 1024, 1},
                 {32, SPMM_F32, SPMM_COMPUTE_F32, SPMM_LAYOUTS_ROW_MAJOR, 1024, 0},
                 {30, SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 1024, 0},
                 {30, SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_COL_MAJOR, 1024, 1},
                 {30, SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_COL_MAJOR, 1023, 0},
                 {8, SPMM_F64, SPMM_COMPUTE_F64, SPMM_LAYOUTS_ROW_MAJOR, 1024, 1},
                 {64, SPMM_F64, SPMM_COMPUTE_F64, SPMM_LAYOUTS_ROW_MAJOR, 1024, 0},
                 {256, SPMM_F16, SPMM_COMPUTE_F16, SPMM_LAYOUTS_ROW_MAJOR, 1023, 1},
                 {250, SPMM_F16, SPMM_COMPUTE_F16, SPMM_LAYOUTS_ROW_MAJOR, 1024, 0},
                 {256, SPMM_BF16, SPMM_COMPUTE_BF16, SPMM_LAYOUTS_COL_MAJOR, 1024, 1},
                 {256, SPMM_F16, SPMM_COMPUTE_F16, SPMM_LAYOUTS_COL_MAJOR, 1023, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_prediction p =
            predict_gemm(512, cases[i].cols, cases[i].n, cases[i].layout, cases[i].dtype, cases[i].compute);
        assert_int_equal(p.own != NULL, cases[i].is_own);
        const int has_form = cases[i].layout == SPMM_LAYOUTS_COL_MAJOR && cases[i].cols == 1023;
        if (cases[i].is_own) {
            assert_true(p.launches == has_form && p.seconds > 0);
            assert_int_equal(p.term[SPMMI_TERM_CONVERT] > 0, has_form);
        }
    }
}

/* If 16-bit columns of C do not start at multiples of 8 bytes, the product writes aligned columns, which are
 * then copied. */
static void odd_columns_are_copied_behind_dense(void **state)
{
    const struct spmmi_device_profile d = profile_of("h100");
    (void)state;
    for (int more = 0; more <= 4; more++) {
        const double rows = 1024 + more;
        const struct spmmi_prediction row = predict_dense(rows, SPMM_LAYOUTS_ROW_MAJOR);
        const struct spmmi_prediction col = predict_dense(rows, SPMM_LAYOUTS_COL_MAJOR);
        for (int i = 0; i < SPMMI_TERM_CONVERT; i++)
            assert_near(col.term[i], row.term[i]);
        assert_near(col.term[SPMMI_TERM_CONVERT], more % 4 == 0 ? 0 : 2 * rows * WIDE * 2 / d.copy_rate);
        assert_true(col.launches == row.launches + (more % 4 != 0));
    }
}

/* Operands are converted if row groups are cut, if long rows run in another kernel, or if rows are
 * permuted. */
static void others_are_converted(void **state)
{
    (void)state;
    const struct spmmi_device_profile d = profile_of("h100");
    for (int i = 0; i < 3; i++) {
        struct spmmi_model_tcblocks f = whole;
        f.partials = i == 0;
        f.has_long_rows = i == 1;
        f.is_reordered = i == 2;
        const struct spmmi_prediction col = predict(&f, 1024, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
        assert_true(col.term[SPMMI_TERM_CONVERT] > 16 * STEP_SECONDS(d));
    }
}

/* The steps of these row blocks are full. There are two row blocks per multiprocessor. */
static const struct spmmi_tcblock_counts full_row_blocks = {.family = SPMM_FAMILY_PANEL,
                                                            .unit_rows = 64,
                                                            .step_columns = 128,
                                                            .units = 20,
                                                            .nnz = 24 * 64 * 128,
                                                            .working_set = 1600,
                                                            .steps = 24,
                                                            .blocks = 24 * 128,
                                                            .longest = 1};

/* Two thread blocks with two stages each fit, so that all run at once and are launched with two stages. If
 * steps were any fuller, only one thread block would fit. Kernels that store column-major C have one
 * stage. */
static void full_steps_of_panel_are_predicted_as_launched(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * 3; i++) {
        const int is_packed = i % 2, is_reordered = i / 2 == 1, is_stored = i / 2 == 2;
        const struct spmmi_model_tcblocks f = {
            .counts = &full_row_blocks, .items = 20, .item_size = 16, .is_reordered = is_reordered};
        const struct spmmi_model_matrix m = {.rows = 1280,
                                             .cols = 512,
                                             .nnz = 24 * 64 * 128,
                                             .rows_used = 1280,
                                             .cols_used = 512,
                                             .longest = 154};
        const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_PANEL,
                                                .schedule =
                                                    is_packed ? SPMM_SCHEDULE_PACKED : SPMM_SCHEDULE_DENSE,
                                                .metrics = &f,
                                                .compute = SPMM_COMPUTE_TF32};
        const struct spmmi_panel_load load = {.value_bytes = 4,
                                              .windows = 8,
                                              .is_packed = (uint32_t)is_packed,
                                              .blocks = full_row_blocks.blocks,
                                              .steps = 24,
                                              .items = f.items,
                                              .multiprocessors = device.multiprocessors,
                                              .step_blocks = 128,
                                              .step_values = 64 * 128};
        assert_int_equal(spmmi_panel_launch(&load, N, 1, (uint32_t)device.shared_block_bytes).stages, 2);
        const uint32_t layout = i / 2 == 0 ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
        const struct spmmi_prediction p = spmmi_predict(&device, &m, &c, N, layout, SPMM_F32);
        /* One stage fills a multiprocessor, so thread blocks run alone, in two waves. */
        const double waits = (1 + 0.5) * (is_stored ? 1 + 0.5 / 2 : 1);
        assert_near(p.term[SPMMI_TERM_ALU], waits * 2.0 * 64 * full_row_blocks.blocks * N / 1e14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_columns_cost_what_rows_do),
        cmocka_unit_test(some_columns_cost_a_copy_of_b),
        cmocka_unit_test(narrow_words_of_b_cost_instructions),
        cmocka_unit_test(parts_of_sectors_of_c_cost_more),
        cmocka_unit_test(wide_copies_take_several_passes),
        cmocka_unit_test(panel_stores_columns),
        cmocka_unit_test(odd_columns_are_copied_behind_dense),
        cmocka_unit_test(only_some_rows_of_b_are_padded),
        cmocka_unit_test(products_of_own_kernels_are_predicted_apart),
        cmocka_unit_test(others_are_converted),
        cmocka_unit_test(full_steps_of_panel_are_predicted_as_launched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
