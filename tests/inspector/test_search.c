/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the search: ranges of n, refusals and their reasons, ties, measurements and their cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "inspect_support.h"
#include "inspector/inspect_options.h"
#include "inspector/matrix/matrix.h"
#include "inspector/search/search.h"

static const int64_t n_64[] = {64}, n_1[] = {1}, n_31[] = {31}, n_32[] = {32}, n_128[] = {128},
                     n_65536[] = {65536}, n_65535[] = {65535};

/* ---- Ranges ---- */

static void numbers_of_columns_fall_into_a_range(void **state)
{
    (void)state;
    static const int64_t n[] = {1, 64, SPMMI_N_MAX};
    struct spmmi_range r[SPMMI_RANGE_MAX];
    const int count = spmmi_ranges(n, 3, SPMMI_RANGES_WIDE, r);
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        int covered = 0;
        for (int k = 0; k < count; k++)
            covered += n[i] >= r[k].n_min && n[i] <= r[k].n_max;
        assert_int_equal(covered, 1);
    }
}

/* On a CPU ranges 1, 2..8, 9..16 and so on are judged by n = 1, 8, 16, 32, 64, 128 and 256; on a GPU n = 2 has a
 * range of its own. If wide n is split, 512 and 4096 follow. */
static void ranges_are_judged_by_a_typical_number_of_columns(void **state)
{
    static const struct {
        int64_t n[SPMMI_RANGE_MAX];
        int count;
    } typical[] = {[SPMMI_RANGES_CPU] = {{1, 8, 16, 32, 64, 128, 256}, 7},
                   [SPMMI_RANGES_GPU] = {{1, 2, 8, 16, 32, 64, 128, 256}, 8},
                   [SPMMI_RANGES_WIDE] = {{1, 2, 8, 16, 32, 64, 128, 256, 512, 4096}, 10}};
    static const int64_t named[] = {40, 3, 20};
    (void)state;
    struct spmmi_range r[SPMMI_RANGE_MAX];
    for (int set = SPMMI_RANGES_CPU; set <= SPMMI_RANGES_WIDE; set++) {
        const int count = spmmi_ranges(NULL, 0, (enum spmmi_range_set)set, r);
        assert_int_equal(count, typical[set].count);
        assert_int_equal(r[0].n_min, 1);
        assert_int_equal(r[count - 1].n_max, SPMMI_N_MAX);
        for (int i = 0; i < count; i++) {
            assert_int_equal(r[i].n, typical[set].n[i]);
            assert_true(r[i].n_min <= r[i].n && r[i].n <= r[i].n_max &&
                        (i == 0 || r[i].n_min == r[i - 1].n_max + 1));
        }
    }
    assert_int_equal(spmmi_ranges(named, 3, SPMMI_RANGES_GPU, r), 2);
    assert_int_equal(r[0].n, 3);
    assert_int_equal(r[1].n, 40);
}

static int all_decisions(struct spmmi_decision d[SPMMI_DECISION_MAX])
{
    struct spmmi_range r[SPMMI_RANGE_MAX];
    const int count = spmmi_ranges(NULL, 0, SPMMI_RANGES_GPU, r);
    memset(d, 0, SPMMI_DECISION_MAX * sizeof *d);
    for (int i = 0; i < count; i++) {
        d[i].range = r[i];
        d[i].first_n = r[i].n;
        d[i].winner = (struct spmmi_candidate){.family = SPMM_FAMILY_ROWS,
                                               .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                               .item_size = 8,
                                               .seconds = (double)r[i].n};
    }
    return count;
}

static void merged_ranges_keep_what_is_said_of_64_columns(void **state)
{
    (void)state;
    struct spmmi_decision d[SPMMI_DECISION_MAX];
    assert_int_equal(spmmi_decisions_merge(d, all_decisions(d)), 1);
    assert_int_equal(d[0].range.n, 64);
    assert_int_equal(d[0].range.n_min, 1);
    assert_int_equal(d[0].range.n_max, SPMMI_N_MAX);
    assert_int_equal(d[0].first_n, 1);
    assert_true(d[0].winner.seconds == 64);
}

/* Each single difference keeps the third of eight ranges from being merged with its neighbours. */
static void ranges_with_different_kernels_are_not_merged(void **state)
{
    (void)state;
    static const uint32_t permutation[] = {0};
    for (int difference = 0; difference < 8; difference++) {
        struct spmmi_decision d[SPMMI_DECISION_MAX];
        const int count = all_decisions(d);
        struct spmmi_candidate *c = &d[2].winner;
        c->family = difference == 0 ? SPMM_FAMILY_TILED : c->family;
        c->schedule = difference == 1 ? SPMM_SCHEDULE_NONZERO_SPLIT : c->schedule;
        c->item_size += difference == 2;
        c->unit_rows += difference == 3;
        c->stage_slots += difference == 4;
        c->flags += difference == 5;
        c->permutation = difference == 6 ? permutation : NULL;
        c->compute = difference == 7 ? SPMM_COMPUTE_TF32 : c->compute;
        assert_int_equal(spmmi_decisions_merge(d, count), 3);
        assert_int_equal(d[0].range.n_max, 2);
        assert_int_equal(d[1].range.n_min, 3);
        assert_int_equal(d[1].range.n_max, 8);
        assert_int_equal(d[2].range.n_min, 9);
    }
}

/* ---- What the trace says ---- */

static const struct spmmi_trace *entry_of(const spmm_plan_t *plan, uint32_t variant, spmm_family_t family,
                                          enum spmmi_reason reason)
{
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (t->variant == variant && t->family == family && (reason == 0 || t->reason == reason))
            return t;
    }
    return NULL;
}

struct refusal_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    spmm_family_t family;
    enum spmmi_reason reason;
    double value, threshold;
};

#define GPU .device = "h200", .layouts = SPMM_LAYOUTS_ROW_MAJOR
#define GPU_COLUMNS .device = "h200", .layouts = SPMM_LAYOUTS_COL_MAJOR
static const struct refusal_case refusals[] = {
    {"few_nonzeros", "gen:diag:1000", OPTIONS(GPU, .n = n_64, .n_count = 1), SPMM_FAMILY_TILED,
     SPMMI_REASON_SMALL, 1000, 20000},
    {"few_nonzeros_for_wide_b", "gen:dense:40:49", OPTIONS(GPU, .n = n_65536, .n_count = 1),
     SPMM_FAMILY_PANEL, SPMMI_REASON_SMALL, 1960, 2000},
    {"few_nonzeros_for_a_column_less", "gen:dense:60:35", OPTIONS(GPU, .n = n_65535, .n_count = 1),
     SPMM_FAMILY_PANEL, SPMMI_REASON_SMALL, 2100, 20000},
    {"few_nonzeros_for_wide_b_of_f64", "gen:dense:60:35",
     OPTIONS(GPU, .a_type = SPMM_F64, .n = n_65536, .n_count = 1), SPMM_FAMILY_PANEL, SPMMI_REASON_SMALL,
     2100, 20000},
    {"few_nonzeros_for_wide_columns", "gen:dense:60:35", OPTIONS(GPU_COLUMNS, .n = n_65536, .n_count = 1),
     SPMM_FAMILY_PANEL, SPMMI_REASON_SMALL, 2100, 20000},
    {"few_nonzeros_for_32_columns", "gen:dense:40:37", OPTIONS(GPU_COLUMNS, .n = n_32, .n_count = 1),
     SPMM_FAMILY_TILED, SPMMI_REASON_SMALL, 1480, 1500},
    {"few_nonzeros_for_31_columns", "gen:dense:60:35", OPTIONS(GPU_COLUMNS, .n = n_31, .n_count = 1),
     SPMM_FAMILY_TILED, SPMMI_REASON_SMALL, 2100, 20000},
    {"few_nonzeros_for_many_columns_of_f16", "gen:dense:60:35",
     OPTIONS(GPU_COLUMNS, .a_type = SPMM_F16, .n = n_128, .n_count = 1), SPMM_FAMILY_TILED,
     SPMMI_REASON_SMALL, 2100, 20000},
    {"one_column", "gen:band:4000:60", OPTIONS(GPU, .n = n_1, .n_count = 1), SPMM_FAMILY_TILED,
     SPMMI_REASON_COLUMNS, 1, 2},
    {"types_without_a_kernel", "gen:band:4000:60",
     OPTIONS(GPU, .b_type = SPMM_F16, .c_type = SPMM_F16, .n = n_64, .n_count = 1), SPMM_FAMILY_TILED,
     SPMMI_REASON_TYPE, 0, 0},
    {"tensor_cores_that_may_not_run", "gen:band:4000:60",
     OPTIONS(GPU, .compute = SPMM_COMPUTE_F32, .n = n_64, .n_count = 1), SPMM_FAMILY_PANEL, SPMMI_REASON_TYPE,
     0, 0},
    {"devices_without_a_model", "gen:band:4000:60", OPTIONS(.device = "cpu", .n = n_64, .n_count = 1),
     SPMM_FAMILY_BCSR, SPMMI_REASON_UNPRICED, 0, 0},
};

static void what_is_refused_is_reported(void **state)
{
    const struct refusal_case *c = *state;
    spmm_matrix_t *m = inspect_generate(c->spec);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    const struct spmmi_trace *t = entry_of(plan, 0, c->family, c->reason);
    assert_non_null(t);
    assert_true(!t->chosen && t->value == c->value && t->threshold == c->threshold);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Half-empty tiles of eight columns are predicted like others, not ruled out: tensor-core blocks pay for n =
 * 4 (decision 0126). */
static void fewer_columns_than_a_tile_may_take_tensor_cores(void **state)
{
    static const int64_t n_4[] = {4};
    const spmm_inspect_options_t options = OPTIONS(.device = "h200", .a_type = SPMM_F64, .n = n_4,
                                                   .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR);
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:block:16384:16:8");
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->parts[plan->variants[0].part_first].family, SPMM_FAMILY_BCSR);
    assert_true(plan->variants[0].n_min <= 4 && plan->variants[0].n_max >= 4);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Products with so many columns take long enough for families that smaller products do not consider (decision
 * 0130). */
static void few_nonzeros_with_wide_b_may_take_tensor_cores(void **state)
{
    static const spmm_inspect_options_t options = OPTIONS(GPU, .n = n_65536, .n_count = 1);
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:dense:60:35");
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->parts[plan->variants[0].part_first].family, SPMM_FAMILY_PANEL);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* A plan for a GPU also has variants for the CPU, with predictions in the trace. */
static void a_cpu_has_variants_of_its_own(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:fem3:9:9:9");
    spmm_inspect_options_t options = OPTIONS(GPU, .n = n_64, .n_count = 1);
    spmm_plan_t *plan = inspect_plan(m, &options);
    int fits = 0;
    const int i = spmmi_variant_pick(plan, SPMM_OP_N, 1, 64, SPMM_LAYOUTS_ROW_MAJOR, &fits);
    assert_true(fits && i > 0 && plan->variants[i].target == 1);
    assert_int_equal(plan->parts[plan->variants[i].part_first].family, SPMM_FAMILY_ROWS);
    const struct spmmi_trace *t = entry_of(plan, (uint32_t)i, SPMM_FAMILY_ROWS, (enum spmmi_reason)0);
    assert_true(t != NULL && t->predicted_us > 0);
    assert_int_equal(spmmi_variant_pick(plan, SPMM_OP_N, 90, 64, SPMM_LAYOUTS_ROW_MAJOR, &fits), 0);
    spmm_plan_destroy(plan);
    options.permute_output = 1; /* every product of such a plan must write C in the same order */
    plan = inspect_plan(m, &options);
    assert_int_equal(plan->variant_count, 1);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* ---- Ties ---- */

/* If two families differ by less than half a percent, the first one of the list wins, otherwise the faster
 * one. */
static void the_simpler_family_wins_a_tie(void **state)
{
    (void)state;
    struct spmmi_candidate list[2] = {
        {.family = SPMM_FAMILY_TILED,
         .schedule = SPMM_SCHEDULE_WHOLE,
         .unit_rows = 32,
         .seconds = 1,
         .weighed = 1},
        {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT, .item_size = 8, .seconds = 1},
    };
    struct spmmi_search s = {.list = list, .count = 2};
    list[1].weighed = 1.004;
    assert_ptr_equal(spmmi_search_choose(&s), &list[1]);
    list[1].weighed = 1.006;
    assert_ptr_equal(spmmi_search_choose(&s), &list[0]);
    list[0].refused = SPMMI_REASON_DENSITY;
    assert_ptr_equal(spmmi_search_choose(&s), &list[1]);
    list[0].refused = (enum spmmi_reason)0;
    list[0].measured_us = 7; /* any measured candidate wins over predictions */
    assert_ptr_equal(spmmi_search_choose(&s), &list[0]);
}

/* ---- Measurements ---- */

struct stopwatch {
    int calls;
    double busy;           /* seconds that each measurement takes */
    spmm_family_t fastest; /* measured as 1 us, all others as 100 us */
    spmm_status_t status;
};

static spmm_status_t watch(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                           spmm_layout_t layout, double *us)
{
    struct stopwatch *w = context;
    int fits = 0;
    assert_int_equal(plan->variant_count, 1);
    assert_true(plan->part_count >= 1 && plan->parts[0].item_count > 0);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    assert_int_equal(spmmi_variant_pick(plan, op, 90, n, 1u << layout, &fits), 0);
    assert_true(fits);
    w->calls++;
    *us = plan->parts[0].family == w->fastest ? 1 : 100;
    for (const double end = omp_get_wtime() + w->busy; omp_get_wtime() < end;)
        continue;
    return w->status;
}

static spmm_plan_t *tuned(struct stopwatch *w, spmm_tuning_options_t tuning, double expected_calls)
{
    spmm_matrix_t *m = inspect_generate("gen:fem3:12:12:12");
    spmm_inspect_options_t options =
        OPTIONS(GPU, .n = n_128, .n_count = 1, .expected_calls = expected_calls, .tuning = &tuning);
    tuning.struct_size = sizeof tuning;
    tuning.measure = watch;
    tuning.measure_context = w;
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    spmm_matrix_destroy(m);
    return plan;
}

static int measured_entries(const spmm_plan_t *plan)
{
    int count = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++)
        count += plan->trace[i].measured_us > 0;
    return count;
}

static void the_smallest_measured_time_wins(void **state)
{
    (void)state;
    struct stopwatch w = {.fastest = SPMM_FAMILY_WINDOW};
    spmm_plan_t *plan = tuned(&w, (spmm_tuning_options_t){.candidates = 12}, 0);
    assert_in_range(w.calls, 6, 12);
    assert_int_equal(plan->parts[0].family, SPMM_FAMILY_WINDOW);
    const struct spmmi_trace *t = entry_of(plan, 0, SPMM_FAMILY_WINDOW, SPMMI_REASON_MEASURED);
    assert_true(t != NULL && t->measured_us == 1);
    assert_true(measured_entries(plan) > 1);
    spmm_plan_destroy(plan);
}

static void only_so_many_are_measured(void **state)
{
    (void)state;
    struct stopwatch w = {.fastest = SPMM_FAMILY_ROWS};
    spmm_plan_destroy(tuned(&w, (spmm_tuning_options_t){.candidates = 2}, 0));
    assert_int_equal(w.calls, 2);
    w.calls = 0;
    spmm_plan_destroy(tuned(&w, (spmm_tuning_options_t){.candidates = 2, .effort = SPMM_EFFORT_ESTIMATE}, 0));
    assert_int_equal(w.calls, 0);
    spmm_plan_destroy(tuned(&w, (spmm_tuning_options_t){.effort = SPMM_EFFORT_MEASURE}, 0));
    assert_int_equal(w.calls, 3);
    w.calls = 0;
    spmm_plan_t *plan = tuned(&w, (spmm_tuning_options_t){.effort = SPMM_EFFORT_EXHAUSTIVE}, 0);
    assert_true(w.calls > 8);
    assert_int_equal(plan->parts[0].family, SPMM_FAMILY_ROWS);
    spmm_plan_destroy(plan);
}

static void a_time_limit_ends_the_measuring(void **state)
{
    (void)state;
    struct stopwatch w = {.fastest = SPMM_FAMILY_ROWS, .busy = 0.6};
    spmm_plan_t *plan = tuned(&w, (spmm_tuning_options_t){.candidates = 50, .time_limit = 1}, 0);
    assert_in_range(w.calls, 1, 2);
    spmm_plan_destroy(plan);
}

/* A candidate that cannot be measured is excluded. If none can be measured, predictions decide. */
static void measurements_that_fail_are_reported(void **state)
{
    (void)state;
    struct stopwatch w = {.status = SPMM_ERR_UNSUPPORTED};
    spmm_plan_t *plan = tuned(&w, (spmm_tuning_options_t){.candidates = 1}, 0);
    int failed = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++)
        failed += plan->trace[i].reason == SPMMI_REASON_NOT_MEASURED &&
                  plan->trace[i].value == SPMM_ERR_UNSUPPORTED;
    assert_int_equal(w.calls, 1);
    assert_int_equal(failed, 1);
    assert_int_equal(measured_entries(plan), 0);
    spmm_plan_destroy(plan);
}

/* A product takes about 20 us. Ten of them do not repay measuring a second candidate for 60 ms. */
static void few_calls_do_not_repay_measuring(void **state)
{
    (void)state;
    struct stopwatch w = {.fastest = SPMM_FAMILY_ROWS, .busy = 0.06};
    spmm_plan_destroy(tuned(&w, (spmm_tuning_options_t){.candidates = 5}, 10));
    assert_int_equal(w.calls, 1);
    w.calls = 0;
    spmm_plan_destroy(tuned(&w, (spmm_tuning_options_t){.candidates = 3}, 1e9));
    assert_int_equal(w.calls, 3);
}

/* The rows of a mesh are shuffled. A permutation saves a few microseconds per product, but takes milliseconds
 * to find. */
static void few_calls_do_not_repay_a_permutation(void **state)
{
    static const double calls[] = {0, 3, 1e6};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:14:14:14");
    for (int i = 0; i < 3; i++) {
        const spmm_inspect_options_t options =
            OPTIONS(GPU, .n = n_128, .n_count = 1, .expected_calls = calls[i]);
        spmm_plan_t *plan = inspect_plan(m, &options);
        const bool is_ordered = (plan->parts[0].flags & SPMMI_PART_REORDERED) != 0;
        int told = 0;
        for (uint32_t k = 0; k < plan->trace_count; k++)
            if (plan->trace[k].variant == 0 && plan->trace[k].reason == SPMMI_REASON_BREAK_EVEN) {
                assert_true(plan->trace[k].threshold == calls[i]);
                assert_true((plan->trace[k].value <= calls[i]) == (i == 2));
                told++;
            }
        assert_int_equal(is_ordered, i != 1);
        assert_int_equal(told > 0, i != 0);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static void options_of_the_search_are_checked(void **state)
{
    (void)state;
    const spmm_inspect_options_t wrong[] = {
        OPTIONS(TUNING(.candidates = 3)),
        OPTIONS(TUNING(.effort = SPMM_EFFORT_MEASURE)),
        OPTIONS(TUNING(.effort = (spmm_effort_t)4)),
        OPTIONS(TUNING(.measure = watch, .candidates = -1)),
        OPTIONS(TUNING(.time_limit = -1)),
        OPTIONS(.expected_calls = -0.5),
    };
    struct spmmi_request r;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(spmmi_inspect_options(&wrong[i], &r, NULL), SPMM_ERR_ARGUMENT);
}

/* Callers compiled with other headers have shorter or longer nested structs. Members beyond struct_size must
 * not be read, and members beyond those known here must be zero. */
static void nested_options_have_sizes_of_their_own(void **state)
{
    struct {
        spmm_tuning_options_t known;
        uint64_t beyond;
    } tuning = {.known = {.measure = watch, .candidates = -1}};
    const spmm_tcblock_options_t tcblock = {.struct_size = offsetof(spmm_tcblock_options_t, long_rows),
                                            .block_rows = 64,
                                            .long_rows = (spmm_long_rows_t)7};
    const spmm_tiled_options_t uninitialised = {.struct_size = 0};
    spmm_inspect_options_t options = OPTIONS(.tuning = &tuning.known, .tcblock = &tcblock);
    struct spmmi_request r;
    (void)state;
    tuning.known.struct_size = offsetof(spmm_tuning_options_t, candidates);
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_OK);
    assert_int_equal(r.tuning.candidates, 0);
    assert_int_equal(r.tcblock.block_rows, 64);
    assert_int_equal(r.tcblock.long_rows, SPMM_LONG_ROWS_AUTO);
    assert_true(r.options.tuning == NULL && r.options.tcblock == NULL);
    tuning.known.candidates = 5;
    tuning.known.struct_size = sizeof tuning;
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_OK);
    assert_int_equal(r.tuning.candidates, 5);
    tuning.beyond = 1;
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_ERR_ARGUMENT);
    tuning.beyond = 0;
    options.tiled = &uninitialised;
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_ERR_ARGUMENT);
}

static void types_that_are_not_said_follow_those_of_a(void **state)
{
    static const struct {
        spmm_inspect_options_t options;
        spmm_dtype_t type, sum;
    } cases[] = {
        {OPTIONS(.a_type = (spmm_dtype_t)0), SPMM_F32, SPMM_F32},
        {OPTIONS(.a_type = SPMM_F64), SPMM_F64, SPMM_F64},
        {OPTIONS(.a_type = SPMM_F16, .c_type = SPMM_F16), SPMM_F16, SPMM_F32},
        {OPTIONS(.a_type = SPMM_BF16, .b_type = SPMM_BF16, .sum_type = SPMM_F32), SPMM_BF16, SPMM_F32},
    };
    struct spmmi_request r;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(spmmi_inspect_options(&cases[i].options, &r, NULL), SPMM_OK);
        assert_int_equal(r.options.a_type, cases[i].type);
        assert_int_equal(r.options.b_type, cases[i].type);
        assert_int_equal(r.options.c_type, cases[i].type);
        assert_int_equal(r.options.sum_type, cases[i].sum);
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(numbers_of_columns_fall_into_a_range),
        cmocka_unit_test(ranges_are_judged_by_a_typical_number_of_columns),
        cmocka_unit_test(merged_ranges_keep_what_is_said_of_64_columns),
        cmocka_unit_test(ranges_with_different_kernels_are_not_merged),
        cmocka_unit_test(fewer_columns_than_a_tile_may_take_tensor_cores),
        cmocka_unit_test(few_nonzeros_with_wide_b_may_take_tensor_cores),
        cmocka_unit_test(a_cpu_has_variants_of_its_own),
        cmocka_unit_test(the_simpler_family_wins_a_tie),
        cmocka_unit_test(the_smallest_measured_time_wins),
        cmocka_unit_test(only_so_many_are_measured),
        cmocka_unit_test(a_time_limit_ends_the_measuring),
        cmocka_unit_test(measurements_that_fail_are_reported),
        cmocka_unit_test(few_calls_do_not_repay_measuring),
        cmocka_unit_test(few_calls_do_not_repay_a_permutation),
        cmocka_unit_test(options_of_the_search_are_checked),
        cmocka_unit_test(nested_options_have_sizes_of_their_own),
        cmocka_unit_test(types_that_are_not_said_follow_those_of_a),
    };
    struct CMUnitTest tests[COUNT(refusals) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(refusals); i++)
        tests[count++] = (struct CMUnitTest){refusals[i].name, what_is_refused_is_reported, NULL, NULL,
                                             (void *)(uintptr_t)&refusals[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
