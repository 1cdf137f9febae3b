/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes derived from other sizes: threads, frames, items of sections, units of rows. Statistics without
 * enough memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/types.h"
#include "format/file/frames.h"
#include "format/matrix/units.h"
#include "format/plan.h"

static int warnings;

static void count_warnings(void *context, spmm_log_level_t level, const char *text)
{
    (void)context, (void)text;
    warnings += level == SPMM_LOG_WARNING;
}

static void files_take_at_most_256_threads(void **state)
{
    (void)state;
    const uint64_t large = UINT64_C(1) << 40;
    spmm_log_set(count_warnings, NULL, SPMM_LOG_WARNING);
    assert_int_equal(spmmi_threads(256, large), 256);
    assert_int_equal(warnings, 0);
    assert_int_equal(spmmi_threads(257, large), 256);
    assert_int_equal(warnings, 1);
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    assert_int_equal(spmmi_threads(257, large), 256);
    assert_int_equal(spmmi_threads(256, 3 * SPMMI_FRAME_RAW), 2);
    assert_int_equal(spmmi_threads(256, SPMMI_FRAME_RAW), 1);
}

static void stored_bytes_of_whole_frames(void **state)
{
    (void)state;
    const uint64_t one = spmmi_stored_bound(SPMMI_FRAME_RAW);
    assert_int_equal(spmmi_stored_bound(0), 0);
    assert_int_equal(spmmi_stored_bound(2 * SPMMI_FRAME_RAW), 2 * one);
    assert_in_range(spmmi_stored_bound(SPMMI_FRAME_RAW + 1), one + 1, 2 * one - 1);
}

/* The matrix has more nonzeros than a part may have items. */
static void items_have_a_limit(void **state)
{
    (void)state;
    const struct spmmi_header header = {
        .rows = 1 << 20, .cols = 1 << 20, .nnz = UINT64_C(1) << 33, .features_incompat = UINT64_MAX};
    assert_int_equal(spmmi_section_raw_range(SPMMI_SECTION_ITEMS, &header).max, 4 * (uint64_t)SPMMI_UNIT_MAX);
}

/* With more than 2^31 - 1 nonzeros, row pointers take 8 bytes each. */
static void row_pointers_are_as_wide_as_they_must_be(void **state)
{
    (void)state;
    for (int64_t nnz = INT32_MAX; nnz <= INT64_C(1) << 31; nnz++) {
        const struct spmm_plan plan = {.rows = 9, .cols = SPMMI_DIM_MAX, .nnz = nnz, .dtype = SPMM_F32};
        spmm_plan_info_t info = {.struct_size = sizeof info};
        assert_int_equal(spmm_plan_info(&plan, &info), SPMM_OK);
        assert_int_equal(info.csr_bytes, 10 * (nnz == INT32_MAX ? 4 : 8) + 4 * nnz);
    }
}

static void no_transform(void **state)
{
    (void)state;
    const struct spmmi_run run = {4, 0, 1, NULL, 0};
    uint32_t element = 7, scratch = 0;
    uint8_t content[4] = {0};
    assert_int_equal(spmmi_transform_pack(SPMMI_TRANSFORM_COUNT, &run, &element, &scratch, content), 0);
    assert_int_equal(spmmi_transform_pack((enum spmmi_transform)1000, &run, &element, &scratch, content), 0);
}

static void units_without_their_rows(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 5, 5, 6};
    int64_t unit_ptr[6];
    uint32_t unit_row[5];
    assert_int_equal(spmmi_units_count(3, row_ptr, 2), 5);
    spmmi_units_cut(3, row_ptr, 2, unit_ptr, NULL);
    assert_memory_equal(unit_ptr, ((int64_t[]){0, 2, 4, 5, 5, 6}), sizeof unit_ptr);
    spmmi_units_cut(3, row_ptr, 2, unit_ptr, unit_row);
    assert_memory_equal(unit_row, ((uint32_t[]){0, 0, 0, 1, 2}), sizeof unit_row);
}

/* Few columns are counted. Few nonzeros in many columns are sorted. Both need memory. */
static void statistics_without_memory(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 1}, widths[] = {1, INT32_MAX};
    const int32_t column = 0;
    for (int i = 0; i < 2; i++) {
        spmm_matrix_stats_t stats;
        spmmi_alloc_fail_at(0, 0);
        assert_int_equal(spmmi_stats_compute(1, widths[i], row_ptr, &column, NULL, SPMM_F32, &stats),
                         SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(spmmi_stats_compute(1, widths[i], row_ptr, &column, NULL, SPMM_F32, &stats),
                         SPMM_OK);
        assert_int_equal(stats.cols_empty, widths[i] - 1);
    }
}

static void types_with_their_sums(void **state)
{
    (void)state;
    const struct spmmi_types f32 = {SPMM_F32, SPMM_F32, SPMM_F32, SPMM_F32},
                             f64 = {SPMM_F64, SPMM_F64, SPMM_F64, 0};
    assert_memory_equal(spmmi_types_find(f32), &f32, sizeof f32);
    assert_int_equal(spmmi_types_find(f64)->sum, SPMM_F64);
    assert_null(spmmi_types_find((struct spmmi_types){SPMM_F32, SPMM_F32, SPMM_F32, SPMM_F16}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_take_at_most_256_threads),
                                       cmocka_unit_test(stored_bytes_of_whole_frames),
                                       cmocka_unit_test(items_have_a_limit),
                                       cmocka_unit_test(row_pointers_are_as_wide_as_they_must_be),
                                       cmocka_unit_test(no_transform),
                                       cmocka_unit_test(units_without_their_rows),
                                       cmocka_unit_test(statistics_without_memory),
                                       cmocka_unit_test(types_with_their_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
