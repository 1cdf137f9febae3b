/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the decision chart on both sides of each threshold, the utilisation and the heights of row blocks
 * against values counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/matrix/units.h"
#include "kernels/tiled/tiled_chart_plan.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct spmmi_balance_rule roofline = {SPMMI_BALANCE_U_MIN, SPMMI_BALANCE_CV_MAX, 1, 1};

struct chart_case {
    const char *name;
    struct spmmi_balance_rule rule;
    struct spmmi_balance_input input;
    struct spmmi_balance expected;
};

#define PAPER                                              \
    {                                                      \
        SPMMI_BALANCE_U_MIN, SPMMI_BALANCE_CV_MAX, 1.0, 1u \
    }
#define SEGMENTS(length, why, value, threshold)                        \
    {                                                                  \
        SPMM_SCHEDULE_SEGMENTED, (length), (why), (value), (threshold) \
    }
#define WHOLE(value, threshold)                                         \
    {                                                                   \
        SPMM_SCHEDULE_WHOLE, 0, SPMMI_REASON_EVEN, (value), (threshold) \
    }

static const struct chart_case cases[] = {
    {"few_blocks_give_segments_of_u_mu",
     PAPER,
     {100, 0, 0.5},
     SEGMENTS(50, SPMMI_REASON_UNDERUSED, 0.5, 0.65)},
    {"few_blocks_come_before_uneven_rows",
     PAPER,
     {100, 900, 0.25},
     SEGMENTS(25, SPMMI_REASON_UNDERUSED, 0.25, 0.65)},
    {"u_at_the_threshold_is_enough", PAPER, {100, 0, 0.65}, WHOLE(0, 1)},
    {"u_below_the_threshold_is_not",
     PAPER,
     {100, 0, 0.6499},
     SEGMENTS(65, SPMMI_REASON_UNDERUSED, 0.6499, 0.65)},
    {"uneven_rows_give_segments_of_mu", PAPER, {8, 12, 3}, SEGMENTS(8, SPMMI_REASON_UNEVEN, 1.5, 1)},
    {"sigma_of_mu_is_even", PAPER, {8, 8, 3}, WHOLE(1, 1)},
    {"even_rows_stay_whole", PAPER, {8, 2, 3}, WHOLE(0.25, 1)},
    {"segments_are_rounded_to_the_nearest",
     PAPER,
     {10.75, 20, 3},
     SEGMENTS(11, SPMMI_REASON_UNEVEN, 20 / 10.75, 1)},
    {"segments_hold_one_nonzero_at_least",
     PAPER,
     {2, 0, 0.03125},
     SEGMENTS(1, SPMMI_REASON_UNDERUSED, 0.03125, 0.65)},
    {"no_nonzeros_stay_whole", PAPER, {0, 0, 0}, WHOLE(0, 1)},
    {"u_min_is_a_parameter", {0.25, 1, 1, 1}, {100, 0, 0.5}, WHOLE(0, 1)},
    {"cv_max_is_a_parameter", {0.65, 0.125, 1, 1}, {8, 2, 3}, SEGMENTS(8, SPMMI_REASON_UNEVEN, 0.25, 0.125)},
    {"the_length_can_be_scaled", {0.65, 1, 4, 1}, {8, 16, 3}, SEGMENTS(32, SPMMI_REASON_UNEVEN, 2, 1)},
    {"the_length_can_have_a_floor", {0.65, 1, 1, 64}, {8, 16, 3}, SEGMENTS(64, SPMMI_REASON_UNEVEN, 2, 1)},
    {"the_length_has_the_formats_ceiling",
     {0.65, 1, 1e12, 1},
     {8, 16, 3},
     SEGMENTS(SPMMI_ROW_SEGMENT_MAX, SPMMI_REASON_UNEVEN, 2, 1)},
};

static void follows_the_chart(void **state)
{
    const struct chart_case *c = *state;
    const struct spmmi_balance b = spmmi_balance_choose(&c->rule, &c->input);
    assert_int_equal(b.schedule, c->expected.schedule);
    assert_int_equal(b.segment, c->expected.segment);
    assert_int_equal(b.reason, c->expected.reason);
    assert_true(b.value == c->expected.value);
    assert_true(b.threshold == c->expected.threshold);
}

static void utilisation_is_blocks_over_multiprocessors(void **state)
{
    (void)state;
    assert_true(spmmi_utilisation(0, 256, 64, 16, 4) == 0);
    assert_true(spmmi_utilisation(256, 256, 16, 16, 4) == 0.25);
    assert_true(spmmi_utilisation(257, 256, 16, 16, 4) == 0.5);
    assert_true(spmmi_utilisation(257, 256, 17, 16, 4) == 1);
    assert_true(spmmi_utilisation(1024, 32, 64, 16, 4) == 32);
}

/* 2 multiprocessors with 2 thread blocks each: at least 4 thread blocks are wanted. */
static void row_blocks_are_as_tall_as_they_may_be(void **state)
{
    static const struct {
        uint64_t units;
        int64_t n;
        uint32_t expected;
    } heights[] = {
        {1024, 1, 256}, {769, 1, 256}, {768, 1, 128}, {256, 1, 64},   {128, 1, 32},
        {0, 1, 32},     {5, 1, 32},    {256, 16, 64}, {256, 64, 256}, {129, 17, 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++)
        assert_int_equal(spmmi_balance_block_rows(heights[i].units, heights[i].n, 16, 2, 2),
                         heights[i].expected);
}

static void segments_of_the_chart_fill_the_device(void **state)
{
    static const struct {
        int64_t rows; /* number of rows, of 512 nonzeros each */
        int multiprocessors;
        double utilisation;
        uint32_t segment;
    } devices[] = {
        {32, 2, 1.0 / 2, 256}, {32, 4, 1.0 / 4, 128}, {64, 4, 1.0 / 2, 256},
        {64, 8, 1.0 / 4, 128}, {32, 8, 1.0 / 8, 64},
    };
    int64_t row_ptr[65];
    (void)state;
    for (int64_t i = 0; i <= 64; i++)
        row_ptr[i] = 512 * i;
    for (size_t i = 0; i < COUNT(devices); i++) {
        const int64_t rows = devices[i].rows;
        const int sms = devices[i].multiprocessors;
        const double before = spmmi_utilisation((uint64_t)rows, 32, 1, 1, sms);
        const struct spmmi_balance b = spmmi_balance_choose(
            &roofline, &(struct spmmi_balance_input){.mean = 512, .utilisation = before});
        const uint64_t units = spmmi_units_count(rows, row_ptr, b.segment);
        assert_true(before == devices[i].utilisation);
        assert_int_equal(b.segment, devices[i].segment);
        /* One thread block per multiprocessor: none is idle, and none has two. */
        assert_true(spmmi_utilisation(units, 32, 1, 1, sms) == 1);
    }
}

/* The rows have 5, 0, 1 and 4 nonzeros. */
static void units_are_numbered_as_the_format_says(void **state)
{
    static const int64_t row_ptr[] = {0, 5, 5, 6, 10};
    static const struct {
        uint32_t segment;
        uint64_t count;
        int64_t unit_ptr[12];
        uint32_t unit_row[11];
    } cuts[] = {
        {0, 4, {0, 5, 5, 6, 10}, {0, 1, 2, 3}},
        {2, 7, {0, 2, 4, 5, 5, 6, 8, 10}, {0, 0, 0, 1, 2, 3, 3}},
        {4, 5, {0, 4, 5, 5, 6, 10}, {0, 0, 1, 2, 3}},
        {1, 11, {0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10}, {0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3}},
        {9, 4, {0, 5, 5, 6, 10}, {0, 1, 2, 3}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        int64_t unit_ptr[12];
        uint32_t unit_row[11];
        assert_int_equal(spmmi_units_count(4, row_ptr, cuts[i].segment), cuts[i].count);
        spmmi_units_cut(4, row_ptr, cuts[i].segment, unit_ptr, unit_row);
        assert_memory_equal(unit_ptr, cuts[i].unit_ptr, (cuts[i].count + 1) * sizeof unit_ptr[0]);
        assert_memory_equal(unit_row, cuts[i].unit_row, cuts[i].count * sizeof unit_row[0]);
    }
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(utilisation_is_blocks_over_multiprocessors),
        cmocka_unit_test(row_blocks_are_as_tall_as_they_may_be),
        cmocka_unit_test(segments_of_the_chart_fill_the_device),
        cmocka_unit_test(units_are_numbered_as_the_format_says),
    };
    struct CMUnitTest tests[COUNT(cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[count++] =
            (struct CMUnitTest){cases[i].name, follows_the_chart, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
