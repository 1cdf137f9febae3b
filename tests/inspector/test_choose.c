/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of choice, on both sides of each threshold, with figures counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "inspector/choose.h"

#define ROW SPMM_SCHEDULE_ROW_SPLIT
#define NONZERO SPMM_SCHEDULE_NONZERO_SPLIT

struct choice_case {
    const char *name;
    int64_t rows, nnz, longest;
    spmm_schedule_t forced;
    spmm_schedule_t winner;
    enum spmmi_reason reason;
    double figure, threshold;
};

static const struct choice_case cases[] = {
    {"mean_just_below_9_35_takes_nonzero_split", 100, 934, 10, 0, NONZERO, SPMMI_REASON_MEAN_ROW, 9.34, 9.35},
    {"mean_of_9_35_takes_row_split", 100, 935, 10, 0, ROW, SPMMI_REASON_MEAN_ROW, 9.35, 9.35},
    {"mean_above_9_35_takes_row_split", 100, 6900, 81, 0, ROW, SPMMI_REASON_MEAN_ROW, 69, 9.35},
    {"row_split_bears_a_row_of_256", 100, 1000, 256, 0, ROW, SPMMI_REASON_MEAN_ROW, 10, 9.35},
    {"row_split_does_not_bear_a_row_of_257", 100, 1000, 257, 0, NONZERO, SPMMI_REASON_IMBALANCE, 257, 256},
    {"row_split_bears_four_mean_rows", 100, 10000, 400, 0, ROW, SPMMI_REASON_MEAN_ROW, 100, 9.35},
    {"row_split_does_not_bear_more_than_four_mean_rows", 100, 10000, 401, 0, NONZERO, SPMMI_REASON_IMBALANCE,
     401, 400},
    {"short_rows_with_one_long_row_lose_by_their_mean", 1000, 3000, 1000, 0, NONZERO, SPMMI_REASON_MEAN_ROW,
     3, 9.35},
    {"no_rows_count_as_a_mean_of_zero", 0, 0, 0, 0, NONZERO, SPMMI_REASON_MEAN_ROW, 0, 9.35},
    {"no_nonzeros_count_as_a_mean_of_zero", 5, 0, 0, 0, NONZERO, SPMMI_REASON_MEAN_ROW, 0, 9.35},
    {"row_split_can_be_forced", 1000, 3000, 1000, ROW, ROW, SPMMI_REASON_FORCED, 0, 0},
    {"nonzero_split_can_be_forced", 100, 6900, 81, NONZERO, NONZERO, SPMMI_REASON_FORCED, 0, 0},
};

static void chooses_by_the_rule(void **state)
{
    const struct choice_case *c = *state;
    const struct spmmi_choice_input input = {
        .rows = c->rows, .nnz = c->nnz, .longest = c->longest, .forced = c->forced};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    assert_int_equal(spmmi_choose(&input, d), 1);
    assert_int_equal(d[0].schedule, c->winner);
    assert_int_equal(d[0].n_min, 1);
    assert_int_equal(d[0].n_max, SPMMI_N_MAX);
    int winners = 0;
    for (int i = 0; i < SPMMI_CANDIDATE_COUNT; i++) {
        const struct spmmi_trace *t = &d[0].candidates[i];
        assert_int_equal(t->family, SPMM_FAMILY_ROWS);
        assert_int_equal(t->schedule, i == 0 ? ROW : NONZERO);
        assert_int_equal(t->chosen, t->schedule == c->winner);
        assert_int_equal(t->reason, c->reason);
        assert_true(t->figure == c->figure);
        assert_true(t->threshold == c->threshold);
        assert_true(t->predicted_us == 0 && t->measured_us == 0);
        winners += (int)t->chosen;
    }
    assert_int_equal(winners, 1);
}

static void numbers_of_columns_fall_into_a_range(void **state)
{
    (void)state;
    static const int64_t n[] = {1, 64, SPMMI_N_MAX};
    const struct spmmi_choice_input input = {.rows = 10, .nnz = 100, .longest = 10, .n = n, .n_count = 3};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    const int count = spmmi_choose(&input, d);
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        int covered = 0;
        for (int k = 0; k < count; k++)
            covered += n[i] >= d[k].n_min && n[i] <= d[k].n_max;
        assert_int_equal(covered, 1);
    }
}

static void granules_are_ones_the_format_allows(void **state)
{
    (void)state;
    for (int s = ROW; s <= NONZERO; s++) {
        const uint32_t granule = spmmi_choose_granule((spmm_schedule_t)s);
        assert_in_range(granule, SPMMI_GRANULE_MIN, SPMMI_GRANULE_MAX);
        assert_int_equal(granule & (granule - 1), 0);
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 2];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[count++] =
            (struct CMUnitTest){cases[i].name, chooses_by_the_rule, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(numbers_of_columns_fall_into_a_range);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(granules_are_ones_the_format_allows);
    return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
