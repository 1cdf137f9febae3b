/* SPDX-License-Identifier: Apache-2.0 */
/* The prediction for a column-major product of the rows family matches its launch: blocks keep C, or one more
 * kernel converts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inspector/search/planner.h"
#include "kernels/rows/rows_launch_cuda.h"

#define ROWS 3000
#define MEAN 4
#define LONGEST 6

static struct spmmi_rows_launch launch_of(uint32_t target, uint32_t multiprocessors, uint32_t ranks,
                                          int64_t n, spmm_dtype_t dtype)
{
    static const struct spmmi_grid_blocks none[SPMMI_ROWS_GRIDS];
    const struct spmmi_device device = {.target = target, .multiprocessors = multiprocessors};
    const spmm_dense_t dense = {(void *)(uintptr_t)256, ROWS, n, ROWS, SPMM_COL_MAJOR, dtype};
    const struct spmmi_rows_problem problem = {.rows = ROWS,
                                               .cols = ROWS,
                                               .nnz = MEAN * ROWS,
                                               .ranks = ranks,
                                               .item_count = ranks,
                                               .item_size = SPMMI_MODEL_ITEM_SIZE,
                                               .longest = LONGEST,
                                               .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                               .dtype = dtype,
                                               .b = &dense,
                                               .c = &dense,
                                               .blocks = none};
    struct spmmi_rows_launch launch;
    spmmi_rows_launch_plan(&problem, &device, &launch);
    return launch;
}

static void predictions_keep_what_launches_keep(void **state)
{
    static const struct {
        uint32_t target, ranks;
        int64_t n;
        spmm_dtype_t dtype;
        uint32_t share;
        int is_kept;
    } cases[] = {{90, ROWS, 128, SPMM_F32, 1, 1},     {90, ROWS, 64, SPMM_F32, 2, 0},
                 {90, ROWS - 1, 128, SPMM_F32, 1, 0}, {90, ROWS, 128, SPMM_F64, 1, 1},
                 {80, ROWS, 128, SPMM_F32, 1, 0},     {100, ROWS, 128, SPMM_F32, 1, 1},
                 {90, ROWS, 128, SPMM_F16, 2, 0}};
    struct spmmi_device_profile profile;
    spmm_diag_t diag = {.status = SPMM_OK};
    (void)state;
    assert_int_equal(spmmi_device_profile_open("h100", &profile, &diag), SPMM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_model_matrix m = {.rows = ROWS,
                                             .cols = ROWS,
                                             .nnz = MEAN * ROWS,
                                             .rows_used = cases[i].ranks,
                                             .cols_used = ROWS,
                                             .longest = LONGEST};
        const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS,
                                                .schedule = SPMM_SCHEDULE_ROW_SPLIT};
        profile.target = cases[i].target;
        const struct spmmi_prediction p =
            spmmi_predict(&profile, &m, &c, cases[i].n, SPMM_LAYOUTS_COL_MAJOR, cases[i].dtype);
        const struct spmmi_rows_launch launch = launch_of(cases[i].target, (uint32_t)profile.multiprocessors,
                                                          cases[i].ranks, cases[i].n, cases[i].dtype);
        assert_int_equal(launch.shape.share, cases[i].share);
        assert_int_equal(launch.keeps_c, cases[i].is_kept);
        assert_int_equal(launch.converts_c, !launch.keeps_c);
        assert_true(p.launches == 1 + launch.converts_c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(predictions_keep_what_launches_keep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
