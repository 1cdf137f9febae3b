/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor-core kernels in plans: the part of a named kernel, and when the default choice takes one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "format/permutation.h"
#include "format/plan.h"
#include "inspector/inspect_options.h"
#include "inspector/search/search.h"
#include "inspector/cost/device_profile_texts.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"
#include "tests/support/tcblocks.h"
#include "tests/support/scorecard.h"

static const int64_t n_8[] = {8}, n_64[] = {64}, n_128[] = {128}, n_1_64[] = {1, 64};

static void assert_checked(const spmm_plan_t *plan)
{
    spmm_diag_t diag = {0};
    if (spmmi_plan_check(plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
}

/* ---- Named kernels ---- */

struct forced_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t block_rows, item_size, flags; /* item size 0: depends on the permutation */
    spmm_compute_t compute;
};

/* gen:band:40000:3 has 5,000 windows of 14 columns, 2 steps each. 10,000 steps over 32 * 132 items are 3 per
 * item, less than the minimum. A row block of 128 rows has 134 columns, 2 steps. */
static const struct forced_case forced_cases[] = {
    {"windows_are_packed_where_blocks_are_not_full", "gen:band:40000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window/packed", .reorder = SPMM_REORDER_NONE),
     SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 16, 0, SPMM_COMPUTE_3XTF32},
    {"windows_can_be_dense", "gen:band:40000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window/dense", .compute = SPMM_COMPUTE_TF32,
             .reorder = SPMM_REORDER_NONE),
     SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 16, 0, SPMM_COMPUTE_TF32},
    {"the_height_of_row_blocks_is_an_option", "gen:band:40000:3",
     OPTIONS(.n = n_64, .n_count = 1, .a_type = SPMM_F64, .force_kernel = "panel/packed",
             .reorder = SPMM_REORDER_NONE, TCBLOCK(.block_rows = 128)),
     SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 128, 8, 0, SPMM_COMPUTE_F64},
    /* 4 times 16 row blocks of 8 steps over 528 items are 1 step per item. */
    {"types_of_16_bits_have_their_own_compute_type", "gen:dense:1024:1024",
     OPTIONS(.n = n_64, .n_count = 1, .a_type = SPMM_BF16, .force_kernel = "panel/dense",
             .reorder = SPMM_REORDER_NONE, TCBLOCK(.block_rows = 64)),
     SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, 8, 0, SPMM_COMPUTE_BF16},
    /* 8 windows of 12,500 steps over 4,224 items are 23.7 steps per item. */
    {"long_rows_make_items_larger", "gen:dense:64:100000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window/dense", .reorder = SPMM_REORDER_NONE),
     SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 24, 0, SPMM_COMPUTE_3XTF32},
    /* A row block has 782 steps: 4 times 782 over 528 items are 6 per item. */
    {"few_long_row_blocks_are_cut", "gen:dense:64:100000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "panel/dense", .reorder = SPMM_REORDER_NONE,
             TCBLOCK(.block_rows = 64)),
     SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, 8, 0, SPMM_COMPUTE_3XTF32},
    {"row_windows_can_have_a_permutation", "gen:femshuf:9:9:9",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window/packed", .reorder = SPMM_REORDER_MINHASH),
     SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 0, SPMMI_PART_REORDERED, SPMM_COMPUTE_3XTF32},
    {"output_can_be_permuted", "gen:femshuf:9:9:9",
     OPTIONS(.force_kernel = "panel/packed", .reorder = SPMM_REORDER_RCM, .permute_output = 1,
             TCBLOCK(.block_rows = 64)),
     SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 0, SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT,
     SPMM_COMPUTE_3XTF32},
    {"a_permutation_that_changes_nothing_is_none", "gen:dense:64:100",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window/packed", .reorder = SPMM_REORDER_RADIX),
     SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 16, 0, SPMM_COMPUTE_3XTF32},
    {"without_nonzeros_row_blocks_have_64_rows", "gen:empty:300:20",
     OPTIONS(.n = n_128, .n_count = 1, .force_kernel = "panel"), SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64,
     8, 0, SPMM_COMPUTE_3XTF32},
    {"row_blocks_of_256_rows_are_taken_only_on_request", "gen:empty:300:20",
     OPTIONS(.n = n_8, .n_count = 1, .force_kernel = "panel", TCBLOCK(.block_rows = 256)), SPMM_FAMILY_PANEL,
     SPMM_SCHEDULE_PACKED, 256, 8, 0, SPMM_COMPUTE_3XTF32},
    {"a_matrix_without_rows_has_a_part", "gen:empty:0:7",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "window"), SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8,
     16, 0, SPMM_COMPUTE_3XTF32},
    /* No constants for bcsr: groups are tall if each of two multiprocessors has two of them. */
    {"many_block_row_groups_without_a_model_have_128_rows", "gen:band:512:3",
     OPTIONS(.n = n_64, .n_count = 1, .device = "cpu", .force_kernel = "bcsr"), SPMM_FAMILY_BCSR,
     SPMM_SCHEDULE_DENSE, 128, 32, 0, SPMM_COMPUTE_3XTF32},
    {"few_block_row_groups_without_a_model_have_64_rows", "gen:band:384:3",
     OPTIONS(.n = n_64, .n_count = 1, .device = "cpu", .force_kernel = "bcsr"), SPMM_FAMILY_BCSR,
     SPMM_SCHEDULE_DENSE, 64, 32, 0, SPMM_COMPUTE_3XTF32},
    /* Measured, chosen and other height: 28 and 29 us for bands, 18 and 24 us for scattered 16 x 16
     * blocks. */
    {"block_row_groups_have_128_rows_where_rows_share_columns", "gen:band:16384:128",
     OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, .force_kernel = "bcsr",
             .compute = SPMM_COMPUTE_TF32, .reorder = SPMM_REORDER_NONE),
     SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 0, 0, SPMM_COMPUTE_TF32},
    {"warpgroups_of_3xtf32_have_64_rows", "gen:band:16384:128",
     OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, .force_kernel = "bcsr"),
     SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 0, 0, SPMM_COMPUTE_3XTF32},
    {"block_row_groups_have_64_rows_where_rows_share_few_columns", "gen:block:16384:16:8",
     OPTIONS(.n = n_64, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, .force_kernel = "bcsr",
             .reorder = SPMM_REORDER_NONE),
     SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 0, 0, SPMM_COMPUTE_3XTF32},
    {"the_height_of_block_row_groups_is_an_option", "gen:band:3000:3",
     OPTIONS(.n = n_64, .n_count = 1, .a_type = SPMM_F16, .force_kernel = "bcsr",
             .reorder = SPMM_REORDER_NONE, TCBLOCK(.block_rows = 128)),
     SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 16, 0, SPMM_COMPUTE_F16},
    /* A group has 625 steps: 4 times 625 over 528 items are 5 per item, but an item has at least 32. */
    {"few_long_block_row_groups_are_cut", "gen:dense:32:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "bcsr", .reorder = SPMM_REORDER_NONE), SPMM_FAMILY_BCSR,
     SPMM_SCHEDULE_DENSE, 64, 32, 0, SPMM_COMPUTE_3XTF32},
    {"block_row_groups_can_have_a_permutation", "gen:femshuf:9:9:9",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "bcsr", .reorder = SPMM_REORDER_MINHASH),
     SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 0, SPMMI_PART_REORDERED, SPMM_COMPUTE_3XTF32},
    {"a_cpu_follows_rules", "gen:dense:128:128",
     OPTIONS(.n = n_64, .n_count = 1, .device = "cpu", .force_kernel = "panel"), SPMM_FAMILY_PANEL,
     SPMM_SCHEDULE_DENSE, 64, 8, 0, SPMM_COMPUTE_3XTF32},
};

static void assert_is_permutation(const struct spmmi_part *part)
{
    unsigned char *seen = spmmi_alloc_zero(part->item_count, 1);
    bool is_natural = true;
    for (uint64_t i = 0; i < part->item_count; i++) {
        assert_true(part->items[i] < part->item_count && !seen[part->items[i]]);
        seen[part->items[i]] = 1;
        is_natural = is_natural && part->items[i] == i;
    }
    assert_int_equal(is_natural, (part->flags & SPMMI_PART_REORDERED) == 0);
    spmmi_free(seen);
}

static void a_named_kernel_has_its_part(void **state)
{
    const struct forced_case *c = *state;
    spmm_matrix_t *m = inspect_generate(c->spec);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    assert_checked(plan);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->part_count, 1);
    assert_int_equal(plan->variants[0].compute, c->compute);
    const struct spmmi_part *part = &plan->parts[0];
    assert_int_equal(part->family, c->family);
    assert_int_equal(part->schedule, c->schedule);
    assert_int_equal(part->block_rows, c->block_rows);
    assert_true(part->item_size >= 4 && (c->item_size == 0 || part->item_size == c->item_size));
    assert_int_equal(part->stage_slots, 0);
    assert_int_equal(part->flags, c->flags);
    assert_int_equal(part->item_count, plan->rows);
    assert_is_permutation(part);
    int winners = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (!t->chosen || t->reason == SPMMI_REASON_BLOCKS)
            continue;
        assert_int_equal(t->family, c->family);
        assert_int_equal(t->schedule, c->schedule);
        assert_true(t->reason == SPMMI_REASON_FORCED || t->reason == SPMMI_REASON_PREDICTED);
        winners++;
    }
    assert_int_equal(winners, 1);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* If the schedule and height are not named, the smallest prediction of the family decides. */
static void what_is_not_named_is_predicted(void **state)
{
    (void)state;
    static const char *const kernels[] = {"window", "panel"};
    static const spmm_reorder_t tried[] = {SPMMI_REORDER_GROWING, SPMM_REORDER_MINHASH, SPMM_REORDER_RCM,
                                           SPMM_REORDER_RADIX};
    spmm_matrix_t *m = inspect_generate("gen:femshuf:14:14:14");
    for (int k = 0; k < 2; k++) {
        const spmm_inspect_options_t options =
            OPTIONS(.n = n_64, .n_count = 1, .force_kernel = kernels[k], .layouts = SPMM_LAYOUTS_ROW_MAJOR);
        spmm_plan_t *plan = inspect_plan(m, &options);
        double minimum = 1e9, chosen = 0;
        int permutations = 0, taken = 0;
        assert_checked(plan);
        for (uint32_t i = 0; i < plan->trace_count; i++) {
            const struct spmmi_trace *t = &plan->trace[i];
            if (t->family == SPMM_FAMILY_ROWS)
                continue;
            assert_true(t->family == plan->parts[0].family && t->predicted_us > 0);
            minimum = t->predicted_us < minimum ? t->predicted_us : minimum;
            if (t->reason == SPMMI_REASON_BLOCKS) {
                assert_true(t->value > 0 && t->threshold > 0 && permutations < 4);
                assert_int_equal(t->permutation, tried[permutations++]);
                taken += t->chosen != 0;
            } else if (t->chosen) {
                chosen = t->predicted_us;
            }
        }
        assert_true(chosen == minimum);
        assert_int_equal(permutations, 4);
        assert_int_equal(taken, (plan->parts[0].flags & SPMMI_PART_REORDERED) != 0);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

/* ---- Free choice ---- */

#define SLOW 1000.0
/* Factor of bcsr in written profiles: too slow to be chosen, except in tests of block-row groups. */
static double group_factor = SLOW;
/* Risks in these profiles, independent of the shipped profiles. */
static const char risks[] = "risk.window = 1.1765\nrisk.panel = 1.1765\nrisk.bcsr = 1.1765\n";

static void write_constants(FILE *file, const char *key, double start_us, double factor)
{
    fprintf(file, "model.%s = %g 1", key, start_us);
    for (int i = 0; i < 8; i++)
        fprintf(file, " %g", factor);
    fprintf(file, "\n");
}

/* Writes profile h200 with new constants for tensor-core kernels: start_us, launch' 1, equal factors. */
static void write_profile(char path[static 32], double start_us, double factor)
{
    static const char *const keys[] = {"window.tf32", "window.3xtf32", "window.f16", "window.f64",
                                       "panel.tf32",  "panel.3xtf32",  "panel.f16",  "panel.f64",
                                       "bcsr.tf32",   "bcsr.3xtf32",   "bcsr.f16",   "bcsr.f64"};
    const struct spmmi_profile_text *t = spmmi_profile_texts;
    while (strcmp(t->name, "h200") != 0)
        t++;
    (void)snprintf(path, 32, "/tmp/spmm_profile_XXXXXX");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    const char *line = (const char *)t->bytes, *const end = line + t->size;
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next == NULL ? end : next + 1;
        const bool is_model = strncmp(line, "model.", 6) == 0 && strchr("wpb", line[6]) != NULL;
        const bool has_key = is_model || strncmp(line, "risk.", 5) == 0;
        if (!has_key)
            assert_int_equal(fwrite(line, 1, (size_t)(next - line), file), next - line);
        line = next;
    }
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        write_constants(file, keys[k], start_us, keys[k][0] == 'b' ? group_factor : factor);
    assert_true(fputs(risks, file) >= 0 && fclose(file) == 0);
}

static spmm_plan_t *plan_with(const char *spec, double start_us, double factor,
                              spmm_inspect_options_t options)
{
    char path[32];
    write_profile(path, start_us, factor);
    spmm_matrix_t *m = inspect_generate(spec);
    options.device = path;
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(unlink(path), 0);
    spmm_matrix_destroy(m);
    assert_checked(plan);
    return plan;
}

static const struct spmmi_trace *trace_of(const spmm_plan_t *plan, uint32_t variant, spmm_family_t family,
                                          spmm_schedule_t schedule)
{
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (t->variant == variant && t->family == family && t->schedule == schedule &&
            t->reason != SPMMI_REASON_BLOCKS)
            return t;
    }
    return NULL;
}

static int considered_tcblocks(const struct spmmi_request *r, const spmm_matrix_t *m)
{
    const struct spmmi_pattern a = {.rows = m->rows,
                                    .cols = m->cols,
                                    .nnz = m->nnz,
                                    .longest = 121,
                                    .row_ptr = m->row_ptr,
                                    .col_ind = m->col_ind,
                                    .mean = 120,
                                    .stddev = 1};
    struct spmmi_op *op = spmmi_alloc_zero(1, sizeof *op);
    struct spmmi_decision decision;
    int considered = 0;
    assert_non_null(op);
    assert_int_equal(spmmi_op_open(r, &a, op, NULL), SPMM_OK);
    struct spmmi_search s = spmmi_op_search(op, r, SPMM_LAYOUTS_ROW_MAJOR, 128);
    assert_int_equal(spmmi_search_decide(&s, NULL, NULL, &decision, NULL), SPMM_OK);
    for (int i = 0; i < s.count; i++)
        considered += test_is_tcblocks(s.list[i].family) && s.list[i].seconds > 0;
    spmmi_op_close(op);
    spmmi_free(op);
    return considered;
}
static void nothing_is_considered_without_constants(void **state)
{
    (void)state;
    const spmm_inspect_options_t options = OPTIONS(.n = n_128, .n_count = 1);
    struct spmmi_request r;
    spmm_matrix_t *m = inspect_generate("gen:band:4000:60");
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_OK);
    for (int is_fitted = 0; is_fitted < 3; is_fitted++) {
        memset(r.device.is_fitted, is_fitted > 0, sizeof r.device.is_fitted);
        for (int k = 0; k < SPMMI_PROFILE_KERNELS;
             k++) /* constants are per family, or per schedule of rows */
            if (strcmp(spmmi_profile_name(k), "dense") == 0 || strcmp(spmmi_profile_name(k), "packed") == 0)
                memset(r.device.is_fitted[k], 0, sizeof r.device.is_fitted[k]);
        if (is_fitted == 2) { /* only row blocks, too low ones */
            memset(r.device.is_fitted[spmmi_profile_index("window", 6)], 0, sizeof r.device.is_fitted[0]);
            memset(r.device.is_fitted[spmmi_profile_index("bcsr", 4)], 0, sizeof r.device.is_fitted[0]);
            r.tcblock.block_rows = 32;
        }
        for (int k = 0; is_fitted == 0 && k < SPMMI_PROFILE_KERNELS; k++) /* rows always has constants */
            memset(r.device.is_fitted[k], strstr(spmmi_profile_name(k), "split") != NULL,
                   sizeof r.device.is_fitted[k]);
        assert_int_equal(considered_tcblocks(&r, m) > 0, is_fitted == 1);
    }
    spmm_matrix_destroy(m);
}

static void the_smallest_prediction_wins(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_with(
        "gen:band:4000:60", 1, 0.5,
        (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    assert_int_equal(plan->variants[0].compute, SPMM_COMPUTE_3XTF32);
    const struct spmmi_part *part = &plan->parts[0];
    assert_true(test_is_tcblocks(part->family));
    const struct spmmi_trace *won = trace_of(plan, 0, part->family, part->schedule);
    assert_non_null(won);
    assert_true(won->chosen && won->reason == SPMMI_REASON_PREDICTED && won->value == won->predicted_us);
    for (int schedule = SPMM_SCHEDULE_ROW_SPLIT; schedule <= SPMM_SCHEDULE_NONZERO_SPLIT; schedule++)
        assert_true(won->value <
                    0.85 * trace_of(plan, 0, SPMM_FAMILY_ROWS, (spmm_schedule_t)schedule)->predicted_us);
    assert_int_equal(won->compute, SPMM_COMPUTE_3XTF32);
    int losers = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (t == won || t->variant != 0 || t->reason != SPMMI_REASON_PREDICTED)
            continue;
        assert_false(t->chosen);
        assert_true(t->value == t->predicted_us && t->value >= won->predicted_us);
        assert_true(t->threshold == won->predicted_us);
        losers++;
    }
    assert_true(losers >= 2 + 1 + 3); /* rows, tiled, other window and panel schedules */
    assert_false(plan->has_row_block_metrics);
    spmm_plan_destroy(plan);
}

static void a_slow_one_loses_and_says_so(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_with(
        "gen:band:4000:60", 500, 1,
        (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    assert_false(test_is_tcblocks(plan->parts[0].family));
    const struct spmmi_trace *lost = trace_of(plan, 0, SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE);
    assert_non_null(lost);
    assert_true(!lost->chosen && lost->reason == SPMMI_REASON_PREDICTED);
    assert_true(lost->value > 500 && lost->threshold > 0 && lost->threshold < 500);
    spmm_plan_destroy(plan);
}

static void rows_stay_where_the_gain_is_small(void **state)
{
    (void)state;
    /* Predictions are launch_us + start_us: 0.87 and 0.8 of rows. The risk asks for less than 0.85. */
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR);
    spmm_plan_t *plan = plan_with("gen:band:4000:60", 500, 1e-6, options);
    double rows_us = 1e9;
    for (uint32_t i = 0; i < plan->trace_count; i++)
        rows_us =
            plan->trace[i].chosen && plan->trace[i].variant == 0 ? plan->trace[i].predicted_us : rows_us;
    const double launch_us = trace_of(plan, 0, SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE)->predicted_us - 500;
    spmm_plan_destroy(plan);
    for (int i = 0; i < 2; i++) {
        plan = plan_with("gen:band:4000:60", (i == 0 ? 0.87 : 0.8) * rows_us - launch_us, 1e-6, options);
        assert_int_equal(test_is_tcblocks(plan->parts[0].family), i == 1);
        const struct spmmi_trace *t = trace_of(plan, 0, SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE);
        assert_true(i == 1 || (t->reason == SPMMI_REASON_MARGIN && t->value == t->predicted_us &&
                               t->value > t->threshold && t->value < rows_us));
        spmm_plan_destroy(plan);
    }
}

/* Returns the predicted time of panel with permuted rows and column-major operands. */
static double permuted_us(const spmm_matrix_t *m, int permute_output)
{
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .layouts = SPMM_LAYOUTS_COL_MAJOR, .force_kernel = "panel/dense",
                .reorder = SPMM_REORDER_RCM, .permute_output = permute_output, TCBLOCK(.block_rows = 64));
    spmm_plan_t *plan = inspect_plan(m, &options);
    const double us = trace_of(plan, 0, SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE)->predicted_us;
    assert_int_equal(plan->parts[0].flags & SPMMI_PART_REORDERED, SPMMI_PART_REORDERED);
    spmm_plan_destroy(plan);
    return us;
}

/* If C is permuted, neighbouring rows of a row group are stored as columns. Else C is converted. */
static void permuted_output_is_predicted_as_rows_in_order(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:9:9:9");
    assert_true(permuted_us(m, 1) > 0);
    assert_true(permuted_us(m, 1) < permuted_us(m, 0));
    spmm_matrix_destroy(m);
}

/* 512 rows are 8 row blocks of 64 for 132 multiprocessors. The cost model covers this; no rule does. */
static void few_row_blocks_are_predicted_as_others_are(void **state)
{
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, TILED(.block_rows = 64));
    (void)state;
    spmm_plan_t *plan = plan_with("gen:band:512:60", 1, 0.1, options);
    const struct spmmi_trace *t = trace_of(plan, 0, SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE);
    assert_true(t->predicted_us > 0);
    assert_true(t->reason == SPMMI_REASON_PREDICTED || t->reason == SPMMI_REASON_MARGIN);
    spmm_plan_destroy(plan);
}

/* The matrix has dense blocks of 16 x 16 at aligned columns. */
static void groups_are_chosen_where_they_have_constants_and_are_fastest(void **state)
{
    static const struct {
        double factor;
        bool is_chosen;
    } cases[] = {{0.5, true}, {50, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        group_factor = cases[i].factor;
        spmm_plan_t *plan =
            plan_with("gen:block:20000:16:8", 1, 1,
                      (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .a_type = SPMM_F16,
                                                      .layouts = SPMM_LAYOUTS_ROW_MAJOR));
        group_factor = SLOW;
        const struct spmmi_trace *t = trace_of(plan, 0, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE);
        assert_non_null(t);
        assert_null(trace_of(plan, 0, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_PACKED));
        const struct spmmi_part *part = &plan->parts[0];
        assert_int_equal(part->family == SPMM_FAMILY_BCSR, cases[i].is_chosen);
        if (cases[i].is_chosen) {
            assert_true(t->chosen && t->reason == SPMMI_REASON_PREDICTED && t->value < t->threshold);
            assert_true(part->block_rows == 64 || part->block_rows == 128);
        } else {
            assert_true(!t->chosen && t->reason == SPMMI_REASON_PREDICTED && t->value > t->threshold);
        }
        spmm_plan_destroy(plan);
    }
}

static void compute_f32_leaves_tensor_cores_alone(void **state)
{
    (void)state;
    spmm_plan_t *plan =
        plan_with("gen:band:4000:60", 1, 0.1,
                  (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .compute = SPMM_COMPUTE_F32));
    for (uint32_t i = 0; i < plan->trace_count; i++)
        assert_true(!test_is_tcblocks(plan->trace[i].family) ||
                    (!plan->trace[i].chosen && plan->trace[i].predicted_us == 0));
    spmm_plan_destroy(plan);
    plan = plan_with("gen:band:4000:60", 1, 0.1,
                     (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .compute = SPMM_COMPUTE_TF32));
    assert_int_equal(plan->variants[0].compute, SPMM_COMPUTE_TF32);
    spmm_plan_destroy(plan);
}

/* n = 1 takes rows, f16 is also compared with tiled, and each layout is judged separately. */
static void other_types_layouts_and_one_column(void **state)
{
    (void)state;
    spmm_plan_t *plan =
        plan_with("gen:band:4000:60", 1, 0.1, (spmm_inspect_options_t)OPTIONS(.n = n_1_64, .n_count = 2));
    assert_true(plan->variant_count >= 2);
    assert_int_equal(plan->parts[plan->variants[0].part_first].family, SPMM_FAMILY_ROWS);
    assert_int_equal(plan->variants[0].compute, SPMM_COMPUTE_F32);
    assert_true(test_is_tcblocks(plan->parts[plan->variants[1].part_first].family));
    spmm_plan_destroy(plan);
    plan = plan_with("gen:band:4000:60", 1, 0.1,
                     (spmm_inspect_options_t)OPTIONS(.n = n_64, .n_count = 1, .a_type = SPMM_F16));
    assert_true(test_is_tcblocks(plan->parts[0].family));
    assert_int_equal(plan->variants[0].compute, SPMM_COMPUTE_F16);
    const struct spmmi_trace *tiled = trace_of(plan, 0, SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE);
    assert_true(tiled != NULL && !tiled->chosen);
    spmm_plan_destroy(plan);
}

/* Columns are random: each column of a window has one nonzero, and 8 of them make a block. No rule leaves
 * such blocks to rows, only their predicted cost. */
static void blocks_of_single_nonzeros_are_left_to_rows(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:rand:20000:8");
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, .device = "h200");
    spmm_plan_t *plan = inspect_plan(m, &options);
    int priced = 0;
    assert_false(test_is_tcblocks(plan->parts[0].family));
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (!test_is_tcblocks(t->family) || t->variant != 0 || t->permutation != 0)
            continue;
        assert_true(!t->chosen);
        assert_true(t->reason != SPMMI_REASON_PREDICTED || t->value > t->threshold);
        priced += t->reason == SPMMI_REASON_PREDICTED && t->predicted_us > 0;
    }
    assert_true(priced >= 3); /* window, panel and bcsr */
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* The number of blocks falls by more than a third if similar rows become neighbours. */
static void a_permutation_is_taken_where_it_pays(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_with(
        "gen:femshuf:14:14:14", 1, 1,
        (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    const struct spmmi_part *part = &plan->parts[0];
    assert_true(test_is_tcblocks(part->family));
    assert_int_equal(part->flags, SPMMI_PART_REORDERED);
    assert_is_permutation(part);
    int taken = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (t->reason != SPMMI_REASON_BLOCKS || !t->chosen)
            continue;
        assert_true(t->value < 0.8 * t->threshold);
        taken++;
    }
    spmm_plan_destroy(plan);
    assert_int_equal(taken, 1);
    plan = plan_with("gen:femshuf:14:14:14", 1, 1,
                     (spmm_inspect_options_t)OPTIONS(.n = n_128, .n_count = 1, .reorder = SPMM_REORDER_NONE,
                                                     .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    assert_int_equal(plan->parts[0].flags, 0);
    spmm_plan_destroy(plan);
}

static void memory_that_is_short_is_reported(void **state)
{
    (void)state;
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .threads = 1, .force_kernel = "panel");
    spmm_matrix_t *m = inspect_generate("gen:femshuf:3:3:3");
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    for (; status == SPMM_ERR_MEMORY; k++) {
        spmm_plan_t *plan = NULL;
        spmmi_alloc_fail_at(k, 1);
        status = spmm_inspect(m, &options, &plan, NULL);
        spmmi_alloc_fail_at(-1, 0);
        spmm_plan_destroy(plan);
        assert_true(spmmi_alloc_live() == live);
    }
    assert_true(status == SPMM_OK && k > 30);
    spmm_matrix_destroy(m);
}

int main(void)
{
    enum { FORCED = sizeof forced_cases / sizeof forced_cases[0] };
    struct CMUnitTest forced[FORCED];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_named_is_predicted),
        cmocka_unit_test(nothing_is_considered_without_constants),
        cmocka_unit_test(the_smallest_prediction_wins),
        cmocka_unit_test(a_slow_one_loses_and_says_so),
        cmocka_unit_test(rows_stay_where_the_gain_is_small),
        cmocka_unit_test(permuted_output_is_predicted_as_rows_in_order),
        cmocka_unit_test(few_row_blocks_are_predicted_as_others_are),
        cmocka_unit_test(groups_are_chosen_where_they_have_constants_and_are_fastest),
        cmocka_unit_test(compute_f32_leaves_tensor_cores_alone),
        cmocka_unit_test(other_types_layouts_and_one_column),
        cmocka_unit_test(blocks_of_single_nonzeros_are_left_to_rows),
        cmocka_unit_test(a_permutation_is_taken_where_it_pays),
        cmocka_unit_test(memory_that_is_short_is_reported),
    };
    for (size_t i = 0; i < FORCED; i++)
        forced[i] = (struct CMUnitTest){forced_cases[i].name, a_named_kernel_has_its_part, NULL, NULL,
                                        (void *)(uintptr_t)&forced_cases[i]};
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL) +
                                  cmocka_run_group_tests(forced, NULL, NULL));
}
