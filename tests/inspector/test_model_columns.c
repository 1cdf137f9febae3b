/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of column-major operands: none where bcsr takes them as they are, a copy of B where its columns are not
 * aligned, a conversion of B where panel stores C as it is, conversions of both elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "kernels/dense/dense_shape.h"
#include "model_fixture.h"

#define N 32
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
                                            .compute =
                                                dtype == SPMM_F32 ? SPMM_COMPUTE_3XTF32 : SPMM_COMPUTE_F64};
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
    const struct spmmi_prediction row = predict(&whole, 1024, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const struct spmmi_prediction col = predict(&whole, 1024, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    for (int i = 0; i < SPMMI_TERMS; i++)
        assert_near(col.term[i], row.term[i]);
    assert_true(col.launches == 0);
}

/* And C is stored by parts of sectors. */
static void other_columns_cost_a_copy_of_b(void **state)
{
    (void)state;
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_prediction col = predict(&whole, 1025, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_near(col.term[SPMMI_TERM_CONVERT], (2 * 1025 + 1024) * N * 4 / d.copy_rate + 3 * STEP_SECONDS(d));
    assert_true(col.launches == 0);
}

/* The copy of 200,001 rows stays near with 128 columns. */
static void wide_copies_take_several_passes(void **state)
{
    (void)state;
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_prediction col =
        predict_of(SPMM_FAMILY_BCSR, &whole, 1024, 200001, 512, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_near(col.term[SPMMI_TERM_CONVERT],
                (2 * 200001 + 1024) * 512.0 * 4 / d.copy_rate + 4 * 3 * STEP_SECONDS(d));
    assert_true(col.launches == 3);
}

/* Where bcsr takes columns as they are, panel converts B alone; parts of sectors of C cost as much as a conversion. */
static void panel_stores_columns(void **state)
{
    (void)state;
    struct spmmi_tcblock_counts counts = groups_of_64;
    struct spmmi_model_tcblocks f = whole;
    const struct spmmi_device_profile d = profile_of("h100");
    counts.family = SPMM_FAMILY_PANEL;
    f.counts = &counts;
    for (int more = 0; more < 2; more++) {
        const double rows = 1024 + more;
        f.is_reordered = 0;
        const struct spmmi_prediction stored =
            predict_of(SPMM_FAMILY_PANEL, &f, rows, 1024, N, SPMM_LAYOUTS_COL_MAJOR, SPMM_F64);
        f.is_reordered = 1;
        const struct spmmi_prediction converted =
            predict_of(SPMM_FAMILY_PANEL, &f, rows, 1024, N, SPMM_LAYOUTS_COL_MAJOR, SPMM_F64);
        assert_near(converted.term[SPMMI_TERM_CONVERT] - stored.term[SPMMI_TERM_CONVERT],
                    (more > 0 ? 0 : 2 * rows * N * 8 / d.copy_rate) + 8 * STEP_SECONDS(d));
    }
}

static struct spmmi_prediction predict_dense(double rows, uint32_t layout)
{
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_model_matrix m = {
        .rows = rows, .cols = 1024, .nnz = 100000, .rows_used = rows, .cols_used = 1024, .longest = 200};
    const struct spmmi_model_candidate c = {
        .family = SPMMI_DENSE, .schedule = SPMMI_DENSE_GEMM, .compute = SPMM_COMPUTE_F16};
    return spmmi_predict(&d, &m, &c, N, layout, SPMM_F16);
}

/* The library stores columns of 16 bits slowly that begin at no multiple of 8 bytes. */
static void odd_columns_are_slow_in_dense(void **state)
{
    (void)state;
    for (int more = 0; more <= 4; more++) {
        const struct spmmi_prediction row = predict_dense(1024 + more, SPMM_LAYOUTS_ROW_MAJOR);
        const struct spmmi_prediction col = predict_dense(1024 + more, SPMM_LAYOUTS_COL_MAJOR);
        for (int i = 0; i < SPMMI_TERM_CONVERT; i++)
            assert_near(col.term[i], (more % 4 == 0 ? 1 : 3) * row.term[i]);
    }
}

/* Row groups that are cut, long rows beside them, permuted rows, values of 8 bytes. */
static void others_are_converted(void **state)
{
    (void)state;
    const struct spmmi_device_profile d = profile_of("h100");
    for (int i = 0; i < 4; i++) {
        struct spmmi_model_tcblocks f = whole;
        f.partials = i == 0;
        f.has_long_rows = i == 1;
        f.is_reordered = i == 2;
        const struct spmmi_prediction col =
            predict(&f, 1024, SPMM_LAYOUTS_COL_MAJOR, i == 3 ? SPMM_F64 : SPMM_F32);
        assert_true(col.term[SPMMI_TERM_CONVERT] > 16 * STEP_SECONDS(d));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_columns_cost_what_rows_do), cmocka_unit_test(other_columns_cost_a_copy_of_b),
        cmocka_unit_test(wide_copies_take_several_passes),   cmocka_unit_test(panel_stores_columns),
        cmocka_unit_test(odd_columns_are_slow_in_dense),     cmocka_unit_test(others_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
