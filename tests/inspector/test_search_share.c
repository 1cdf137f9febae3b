/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which decisions share a part (search_share.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "inspect_support.h"
#include "inspector/search/search_share.h"

#define DECISIONS 3
#define CANDIDATES 4

/* The time of each candidate for each decision; 0: it may not run. Candidate 0 is of rows, 1 and 2 are of
 * tiled with two heights, 3 is of panel. */
struct scene {
    struct spmmi_request request;
    struct spmmi_candidate lists[DECISIONS][CANDIDATES];
    struct spmmi_decision decisions[DECISIONS];
    struct spmmi_considered considered[DECISIONS];
};

static struct spmmi_candidate candidate_of(int k, double seconds)
{
    static const spmm_family_t families[CANDIDATES] = {SPMM_FAMILY_ROWS, SPMM_FAMILY_TILED, SPMM_FAMILY_TILED,
                                                       SPMM_FAMILY_PANEL};
    static const spmm_schedule_t schedules[CANDIDATES] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_WHOLE,
                                                          SPMM_SCHEDULE_WHOLE, SPMM_SCHEDULE_DENSE};
    struct spmmi_candidate c = {.family = families[k],
                                .schedule = schedules[k],
                                .unit_rows = k == 0 ? 0 : 32u << k,
                                .seconds = seconds,
                                .weighed = seconds};
    if (seconds == 0)
        c.refused = SPMMI_REASON_DENSITY;
    return c;
}

static struct scene scene_make(const double seconds[DECISIONS][CANDIDATES])
{
    struct scene s;
    memset(&s, 0, sizeof s);
    s.request.options.a_type = SPMM_F32;
    for (int i = 0; i < DECISIONS; i++)
        for (int k = 0; k < CANDIDATES; k++)
            s.lists[i][k] = candidate_of(k, seconds[i][k]);
    return s;
}

static void share(struct scene *s)
{
    for (int i = 0; i < DECISIONS; i++) {
        const struct spmmi_search search = {.request = &s->request, .list = s->lists[i], .count = CANDIDATES};
        s->decisions[i].winner = *spmmi_search_choose(&search);
        assert_int_equal(spmmi_considered_keep(&search, &s->decisions[i], &s->considered[i], NULL), SPMM_OK);
    }
    spmmi_decisions_share(s->considered, DECISIONS);
    spmmi_considered_free(s->considered, DECISIONS);
}

/* Checks the heights of the winners after sharing; 0 means rows. */
static void expect(const double seconds[DECISIONS][CANDIDATES], const uint32_t heights[DECISIONS])
{
    struct scene s = scene_make(seconds);
    share(&s);
    for (int i = 0; i < DECISIONS; i++)
        assert_int_equal(s.decisions[i].winner.unit_rows, heights[i]);
}

static void a_part_is_given_up_where_another_is_nearly_as_fast(void **state)
{
    (void)state;
    expect((const double[][CANDIDATES]){{9, 1, 1.2, 0}, {9, 1.04, 1, 0}, {9, 1, 1.2, 0}},
           (const uint32_t[]){64, 64, 64});
    expect((const double[][CANDIDATES]){{9, 1, 1.2, 0}, {9, 1.06, 1, 0}, {9, 1, 1.2, 0}},
           (const uint32_t[]){64, 128, 64}); /* height 64 is too slow */
    expect((const double[][CANDIDATES]){{9, 1, 1.2, 0}, {9, 0, 1, 0}, {9, 1, 1.2, 0}},
           (const uint32_t[]){64, 128, 64}); /* height 64 may not run */
    expect((const double[][CANDIDATES]){{9, 1, 0, 1.01}, {9, 0, 1, 1.01}, {9, 0, 1, 1.01}},
           (const uint32_t[]){64, 128, 128}); /* only parts that another decision needs anyway */
}

/* The smallest loss goes first. The loss of a decision that moved still counts from its fastest candidate. */
static void no_decision_loses_more_than_that(void **state)
{
    (void)state;
    expect((const double[][CANDIDATES]){{9, 1, 1.03, 1.06}, {9, 2, 1, 1.04}, {9, 2, 2, 1}},
           (const uint32_t[]){128, 128, 256});
}

/* Parts of rows are kept, because all of them share one array of nonzeros. */
static void parts_of_the_first_family_stay(void **state)
{
    (void)state;
    expect((const double[][CANDIDATES]){{1, 1.015, 2, 2}, {2, 1, 2, 2}, {2, 1, 2, 2}},
           (const uint32_t[]){0, 64, 64});
}

static void parts_of_other_families_run_instead(void **state)
{
    (void)state;
    expect((const double[][CANDIDATES]){{9, 1, 2, 2}, {9, 2, 1, 1.04}, {9, 2, 2, 1}},
           (const uint32_t[]){64, 256, 256});
    expect((const double[][CANDIDATES]){{9, 1, 2, 2}, {9, 2, 1, 1.06}, {9, 2, 2, 1}},
           (const uint32_t[]){64, 128, 256}); /* panel is too slow */
}

/* Parts of rows do not replace other parts: their predictions are too low compared with other families. */
static void parts_of_the_first_family_do_not_run_instead(void **state)
{
    (void)state;
    expect((const double[][CANDIDATES]){{1, 2, 2, 2}, {1.01, 1, 2, 2}, {2, 2, 1, 2}},
           (const uint32_t[]){0, 64, 128});
    expect((const double[][CANDIDATES]){{1, 2, 2, 2}, {1.01, 1, 1.03, 2}, {2, 2, 1, 2}},
           (const uint32_t[]){0, 128, 128});
}

static void measured_decisions_stay(void **state)
{
    const double seconds[][CANDIDATES] = {{9, 1, 1.2, 0}, {9, 1.04, 1, 0}, {9, 1, 1.2, 0}};
    struct scene s = scene_make(seconds);
    (void)state;
    s.lists[1][1].measured_us = 4.1;
    s.lists[1][2].measured_us = 4;
    share(&s);
    assert_int_equal(s.decisions[1].winner.unit_rows, 128);
}

/* The trace must tell that the winner is slower than another kernel, and up to which time it may be
 * chosen. */
static void the_trace_says_why_the_slower_one_runs(void **state)
{
    const double seconds[][CANDIDATES] = {{9, 1, 2, 0}, {1.02, 1.04, 1, 0}, {9, 1, 2, 0}};
    struct scene s = scene_make(seconds);
    (void)state;
    share(&s);
    const struct spmmi_decision *const d = &s.decisions[1];
    int chosen = 0;
    for (int k = 0; k < d->record_count; k++)
        if (d->records[k].chosen) {
            chosen++;
            assert_int_equal(d->records[k].family, SPMM_FAMILY_TILED);
            assert_true(d->records[k].value > 1.03);
            assert_int_equal(d->records[k].reason, SPMMI_REASON_MARGIN);
            assert_true(d->records[k].threshold > d->records[k].value);
        }
    assert_int_equal(chosen, 1);
}

/* Runs a whole inspection. Another height of bcsr would make column-major products of 128 columns 3 %
 * faster. */
static void plans_have_fewer_parts(void **state)
{
    (void)state;
    const spmm_inspect_options_t options = OPTIONS(.device = "h200");
    spmm_matrix_t *m = inspect_generate("gen:band:16384:64");
    spmm_plan_t *plan = inspect_plan(m, &options);
    uint32_t parts = 0;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    for (uint32_t i = 0; i < plan->part_count; i++)
        parts += plan->parts[i].family == SPMM_FAMILY_BCSR;
    assert_int_equal(parts, 1);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_given_up_where_another_is_nearly_as_fast),
        cmocka_unit_test(no_decision_loses_more_than_that),
        cmocka_unit_test(parts_of_the_first_family_stay),
        cmocka_unit_test(parts_of_other_families_run_instead),
        cmocka_unit_test(parts_of_the_first_family_do_not_run_instead),
        cmocka_unit_test(measured_decisions_stay),
        cmocka_unit_test(the_trace_says_why_the_slower_one_runs),
        cmocka_unit_test(plans_have_fewer_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
