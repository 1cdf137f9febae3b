/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of column-major operands of bcsr: none where the kernel takes them as they are, a copy of B where its
 * columns are not aligned, conversions elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

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

static struct spmmi_prediction predict(const struct spmmi_model_tcblocks *f, double cols, uint32_t layout,
                                       spmm_dtype_t dtype)
{
    const struct spmmi_device_profile d = profile_of("h100");
    const struct spmmi_model_matrix m = {
        .rows = 1024, .cols = cols, .nnz = 10000, .rows_used = 1024, .cols_used = 500, .longest = 20};
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_BCSR,
                                            .schedule = SPMM_SCHEDULE_DENSE,
                                            .metrics = f,
                                            .compute =
                                                dtype == SPMM_F32 ? SPMM_COMPUTE_3XTF32 : SPMM_COMPUTE_F64};
    return spmmi_predict(&d, &m, &c, N, layout, dtype);
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
        cmocka_unit_test(aligned_columns_cost_what_rows_do),
        cmocka_unit_test(other_columns_cost_a_copy_of_b),
        cmocka_unit_test(others_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
