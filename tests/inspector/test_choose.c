/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of choice, on both sides of each threshold, with figures counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/family.h"
#include "kernels/rows/rows_plan.h"

#define ROW SPMM_SCHEDULE_ROW_SPLIT
#define NONZERO SPMM_SCHEDULE_NONZERO_SPLIT

struct choice_case {
    const char *name;
    int64_t n, nnz, longest;
    spmm_schedule_t forced;
    spmm_schedule_t winner;
    double threshold;
};

/* Bearable: max(free, 2.5e-6 * nnz * columns), with columns 4, 24, 32, 64, 128, 256 and free 16, 40, 40, 40, 50, 50. */
static const struct choice_case cases[] = {
    {"small_matrices_bear_40_nonzeros", 8, 1000, 40, 0, ROW, 40},
    {"small_matrices_do_not_bear_41", 8, 1000, 41, 0, NONZERO, 40},
    {"one_column_bears_16", 1, 1000, 16, 0, ROW, 16},
    {"one_column_does_not_bear_17", 1, 1000, 17, 0, NONZERO, 16},
    {"small_wide_products_bear_50", 97, 1000, 50, 0, ROW, 50},
    {"small_wide_products_do_not_bear_51", SPMMI_N_MAX, 1000, 51, 0, NONZERO, 50},
    {"a_million_nonzeros_bear_80_at_n_32", 32, 1000000, 80, 0, ROW, 80},
    {"a_million_nonzeros_do_not_bear_81_at_n_32", 32, 1000000, 81, 0, NONZERO, 80},
    {"wide_products_bear_longer_rows", 128, 1000000, 320, 0, ROW, 320},
    {"wide_products_do_not_bear_any_row", 128, 1000000, 321, 0, NONZERO, 320},
    {"n_12_counts_as_24", 12, 2000000, 120, 0, ROW, 120},
    {"n_13_counts_as_32", 13, 2000000, 160, 0, ROW, 160},
    {"n_96_counts_as_64", 96, 1000000, 161, 0, NONZERO, 160},
    {"n_192_counts_as_128", 192, 1000000, 640, 0, NONZERO, 320},
    {"n_193_counts_as_256", 193, 1000000, 640, 0, ROW, 640},
    {"no_nonzeros_take_row_split", 8, 0, 0, 0, ROW, 40},
    {"row_split_can_be_forced", 8, 3000, 1000, ROW, ROW, 0},
    {"nonzero_split_can_be_forced", 8, 6900, 10, NONZERO, NONZERO, 0},
};

static void chooses_by_the_rule(void **state)
{
    const struct choice_case *c = *state;
    const struct spmmi_choice_input input = {
        .nnz = c->nnz, .longest = c->longest, .n = &c->n, .n_count = 1, .forced = c->forced};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    assert_int_equal(spmmi_choose(&input, d), 1);
    assert_int_equal(d[0].n, c->n);
    assert_int_equal(d[0].family, SPMM_FAMILY_ROWS);
    assert_int_equal(d[0].candidate_count, SPMMI_CANDIDATE_ROWS);
    assert_int_equal(d[0].granule, spmmi_choose_granule(c->winner));
    assert_int_equal(d[0].schedule, c->winner);
    assert_true(d[0].n_min <= c->n && c->n <= d[0].n_max);
    int winners = 0;
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        const struct spmmi_trace *t = &d[0].candidates[i];
        assert_int_equal(t->family, SPMM_FAMILY_ROWS);
        assert_int_equal(t->schedule, i == 0 ? ROW : NONZERO);
        assert_int_equal(t->chosen, t->schedule == c->winner);
        assert_int_equal(t->reason, c->forced != 0 ? SPMMI_REASON_FORCED : SPMMI_REASON_IMBALANCE);
        assert_true(t->figure == (c->forced != 0 ? 0 : (double)c->longest));
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
    const struct spmmi_choice_input input = {.nnz = 100, .longest = 10, .n = n, .n_count = 3};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    const int count = spmmi_choose(&input, d);
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        int covered = 0;
        for (int k = 0; k < count; k++)
            covered += n[i] >= d[k].n_min && n[i] <= d[k].n_max;
        assert_int_equal(covered, 1);
    }
}

static int choose_and_merge(const struct spmmi_choice_input *input, struct spmmi_decision *d)
{
    return spmmi_decisions_merge(d, spmmi_choose(input, d));
}

/* Longest row 100 and 500,000 nonzeros: row split bears 16, 40, 40, 80, 160, 320. */
static void neighbours_that_agree_are_one_and_tell_the_closest_call(void **state)
{
    (void)state;
    struct spmmi_choice_input input = {.nnz = 500000, .longest = 100};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    assert_int_equal(choose_and_merge(&input, d), 2);
    assert_int_equal(d[0].n_min, 1);
    assert_int_equal(d[0].n_max, 96);
    assert_int_equal(d[0].schedule, NONZERO);
    assert_int_equal(d[1].n_min, 97);
    assert_int_equal(d[1].n_max, SPMMI_N_MAX);
    assert_int_equal(d[1].schedule, ROW);
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        assert_true(d[0].candidates[i].threshold == 80);
        assert_true(d[1].candidates[i].threshold == 160);
    }
    input.longest = 16; /* row split everywhere, by a hair where n = 1 */
    assert_int_equal(choose_and_merge(&input, d), 1);
    assert_int_equal(d[0].n_max, SPMMI_N_MAX);
    assert_int_equal(d[0].schedule, ROW);
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++)
        assert_true(d[0].candidates[i].threshold == 16);
}

/* Ranges 1, 2..12, 13..48 and so on, judged by 1, 8, 32, 64, 128 and 256 columns. */
static void ranges_are_judged_by_a_typical_number_of_columns(void **state)
{
    static const int64_t typical[] = {1, 8, 32, 64, 128, 256}, named[] = {40, 3, 20};
    (void)state;
    struct spmmi_choice_input input = {.nnz = 100, .longest = 10};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    assert_int_equal(spmmi_choose(&input, d), 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(d[i].n, typical[i]);
    input.n = named;
    input.n_count = 3;
    assert_int_equal(spmmi_choose(&input, d), 2);
    assert_int_equal(d[0].n, 3);
    assert_int_equal(d[1].n, 40);
}

static void merged_ranges_keep_the_predictions_for_64_columns(void **state)
{
    (void)state;
    const struct spmmi_choice_input input = {.nnz = 100, .longest = 10};
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    const int count = spmmi_choose(&input, d);
    for (int i = 0; i < count; i++)
        d[i].candidates[0].predicted_us = (double)d[i].n;
    assert_int_equal(spmmi_decisions_merge(d, count), 1);
    assert_int_equal(d[0].n, 64);
    assert_true(d[0].candidates[0].predicted_us == 64);
}

/* Six ranges; each difference alone keeps the third apart from both its neighbours. */
static void ranges_that_run_something_else_stay_apart(void **state)
{
    (void)state;
    for (int difference = 0; difference < 6; difference++) {
        const struct spmmi_choice_input input = {.nnz = 100, .longest = 10};
        struct spmmi_decision d[SPMMI_DECISION_MAX];
        const int count = spmmi_choose(&input, d);
        d[2].family = difference == 0 ? SPMM_FAMILY_TILED : d[2].family;
        d[2].schedule = difference == 1 ? SPMM_SCHEDULE_NONZERO_SPLIT : d[2].schedule;
        d[2].granule += difference == 2;
        d[2].panel_rows += difference == 3;
        d[2].stage_slots += difference == 4;
        d[2].flags += difference == 5;
        assert_int_equal(spmmi_decisions_merge(d, count), 3);
        assert_int_equal(d[0].n_max, 12);
        assert_int_equal(d[1].n_min, 13);
        assert_int_equal(d[1].n_max, 48);
        assert_int_equal(d[2].n_min, 49);
        assert_int_equal(d[2].n_max, SPMMI_N_MAX);
    }
}

static void granules_are_ones_the_format_allows(void **state)
{
    (void)state;
    for (int s = ROW; s <= NONZERO; s++) {
        const struct spmmi_schedule *const row = spmmi_schedule_of(SPMM_FAMILY_ROWS, (spmm_schedule_t)s);
        const uint32_t granule = spmmi_choose_granule((spmm_schedule_t)s);
        assert_true(spmmi_is_power_within(granule, row->granule_min, row->granule_max));
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(numbers_of_columns_fall_into_a_range),
        cmocka_unit_test(neighbours_that_agree_are_one_and_tell_the_closest_call),
        cmocka_unit_test(ranges_are_judged_by_a_typical_number_of_columns),
        cmocka_unit_test(merged_ranges_keep_the_predictions_for_64_columns),
        cmocka_unit_test(ranges_that_run_something_else_stay_apart),
        cmocka_unit_test(granules_are_ones_the_format_allows),
    };
    struct CMUnitTest tests[COUNT(cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[count++] =
            (struct CMUnitTest){cases[i].name, chooses_by_the_rule, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
