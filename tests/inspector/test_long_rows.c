/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the long-row split: which rows are split off, when it is chosen, and the resulting plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "inspector/search/search.h"
#include "kernels/long_rows/long_rows_plan.h"
#include "kernels/tcblock/tcblock_analysis_plan.h"
#include "inspector/inspect_options.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"
#include "tests/support/plan_seal.h"
#include "tests/support/products.h"

static const int64_t n_32[] = {32};
#define SOME \
    .n = n_32, .n_count = 1, .device = "h200", .layouts = SPMM_LAYOUTS_ROW_MAJOR, .reorder = SPMM_REORDER_NONE

/* A band of half width w, in which every spacing-th row, starting at row `first`, is a hub instead: a row
 * with an entry in every step-th column. */
struct hubs {
    int64_t rows, w, first, spacing, step;
};

static spmm_matrix_t *matrix_of(const struct hubs *h)
{
    const int64_t room = h->rows * (2 * h->w + 2) + (h->rows / h->spacing + 1) * (h->rows / h->step + 1);
    int64_t *row_ptr = calloc((size_t)h->rows + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)room, sizeof *col_ind);
    float *values = calloc((size_t)room, sizeof *values);
    spmm_matrix_t *m = NULL;
    int64_t nnz = 0;
    assert_true(row_ptr != NULL && col_ind != NULL && values != NULL);
    for (int64_t i = 0; i < h->rows; i++) {
        const int is_hub = i % h->spacing == h->first;
        const int64_t first = is_hub || i < h->w ? 0 : i - h->w;
        const int64_t last = is_hub || i + h->w >= h->rows ? h->rows - 1 : i + h->w;
        for (int64_t j = first; j <= last; j += is_hub ? h->step : 1, nnz++) {
            col_ind[nnz] = (int32_t)j;
            values[nnz] = (float)test_real((uint64_t)i, (uint64_t)j);
        }
        row_ptr[i + 1] = nnz;
    }
    const spmm_csr_t csr = {h->rows, h->rows, nnz, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F32, values};
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    free(values);
    free(col_ind);
    free(row_ptr);
    return m;
}

static const struct hubs ten = {8000, 32, 777, 800, 1};

static void assert_checked(const spmm_plan_t *plan)
{
    spmm_diag_t diag = {0};
    if (spmmi_plan_check(plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
}

/* ---- What is split off, and what it gives ---- */

struct split_case {
    const char *name;
    struct hubs hubs;
    spmm_inspect_options_t options;
    spmm_family_t family; /* family of the winner; rows: nothing is split off */
    uint64_t long_rows;
};

static const struct split_case cases[] = {
    {"dense_rows_are_split_off_row_windows",
     {8000, 32, 777, 800, 1},
     OPTIONS(SOME, .force_kernel = "window/dense"),
     SPMM_FAMILY_WINDOW,
     10},
    {"dense_rows_are_split_off_packed_row_windows_of_f64",
     {8000, 32, 777, 800, 1},
     OPTIONS(SOME, .force_kernel = "window/packed", .a_type = SPMM_F64),
     SPMM_FAMILY_WINDOW,
     10},
    {"dense_rows_are_split_off_row_blocks",
     {8000, 32, 777, 800, 1},
     OPTIONS(SOME, .force_kernel = "panel", .compute = SPMM_COMPUTE_TF32),
     SPMM_FAMILY_PANEL,
     10},
    {"a_free_choice_takes_bcsr_for_it", {20000, 32, 777, 2000, 1}, OPTIONS(SOME), SPMM_FAMILY_BCSR, 10},
    {"a_free_choice_without_it_keeps_rows",
     {20000, 32, 777, 2000, 1},
     OPTIONS(SOME, TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
     SPMM_FAMILY_ROWS,
     0},
    {"blocks_that_are_sparse_for_long_rows_only_are_no_reason_against",
     {20000, 24, 100, 200, 1},
     OPTIONS(SOME, .compute = SPMM_COMPUTE_TF32),
     SPMM_FAMILY_WINDOW,
     100},
    {"keep_leaves_all_rows_together",
     {8000, 32, 777, 800, 1},
     OPTIONS(SOME, .force_kernel = "window/dense", TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
     SPMM_FAMILY_WINDOW,
     0},
    {"rows_of_16_times_the_median_are_not_split_off",
     {1040, 32, 55, 104, 1},
     OPTIONS(SOME, .force_kernel = "window/dense"),
     SPMM_FAMILY_WINDOW,
     0},
    {"without_a_cost_model_no_rows_are_split_off",
     {8000, 32, 777, 800, 1},
     OPTIONS(.n = n_32, .n_count = 1, .device = "cpu", .force_kernel = "window/dense"),
     SPMM_FAMILY_WINDOW,
     0},
    {"long_rows_of_16_bits",
     {8000, 32, 777, 800, 1},
     OPTIONS(SOME, .force_kernel = "window/dense", .a_type = SPMM_F16),
     SPMM_FAMILY_WINDOW,
     10},
    {"a_permuted_output_has_all_rows",
     {8000, 32, 777, 800, 1},
     OPTIONS(.n = n_32, .n_count = 1, .device = "h200", .layouts = SPMM_LAYOUTS_ROW_MAJOR,
             .force_kernel = "window/dense", .permute_output = 1, .reorder = SPMM_REORDER_RCM),
     SPMM_FAMILY_WINDOW,
     0},
};

static const struct spmmi_trace *entry_of(const spmm_plan_t *plan, enum spmmi_reason reason)
{
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        if (plan->trace[i].reason == reason)
            return &plan->trace[i];
    }
    return NULL;
}

static void the_plan_has_the_parts(void **state)
{
    const struct split_case *c = *state;
    spmm_matrix_t *m = matrix_of(&c->hubs);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    const struct spmmi_part *part = &plan->parts[0], *long_rows = spmmi_long_rows_of(plan, 0);
    assert_checked(plan);
    assert_int_equal(part->family, c->family);
    assert_int_equal(plan->variants[0].part_count, c->long_rows > 0 ? 2 : 1);
    assert_int_equal(long_rows != NULL, c->long_rows > 0);
    for (uint64_t i = 0; i < c->long_rows; i++)
        assert_int_equal(long_rows->items[i], (int64_t)i * c->hubs.spacing + c->hubs.first);
    if (c->long_rows > 0) {
        const struct spmmi_trace *rows = entry_of(plan, SPMMI_REASON_LONG_ROWS);
        const struct spmmi_trace *blocks = entry_of(plan, SPMMI_REASON_LONG_ROWS_BLOCKS);
        assert_int_equal(part->item_count + c->long_rows, plan->rows);
        assert_true(rows != NULL && rows->chosen && rows->value == (double)c->long_rows);
        assert_true(rows->threshold == (double)c->long_rows * (double)c->hubs.rows);
        assert_true(blocks != NULL && blocks->chosen && blocks->value < blocks->threshold);
        assert_true(rows->predicted_us == blocks->predicted_us && rows->predicted_us > 0);
    } else {
        assert_null(entry_of(plan, SPMMI_REASON_LONG_ROWS));
    }
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Most rows have 65 nonzeros; a longer one has 1040 (16 times the median) or 1041. */
static void a_row_of_more_than_sixteen_medians_may_be_split_off(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        const struct hubs h = {16640 + 16 * more, 32, 55, 1664 + more, 16};
        const spmm_inspect_options_t options = OPTIONS(SOME, .force_kernel = "window/dense");
        spmm_matrix_t *m = matrix_of(&h);
        spmm_plan_t *plan = inspect_plan(m, &options);
        const struct spmmi_trace *rows = entry_of(plan, SPMMI_REASON_LONG_ROWS);
        assert_int_equal(m->row_ptr[56] - m->row_ptr[55], 1040 + more);
        assert_int_equal(rows != NULL, more);
        assert_true(rows == NULL || rows->value == 10);
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(m);
    }
}

/* With the long-row split the predicted time must be lower than for the winner without it. */
static void the_prediction_is_that_of_two_parts_and_lower(void **state)
{
    (void)state;
    spmm_inspect_options_t options = OPTIONS(SOME, .force_kernel = "window/dense");
    spmm_matrix_t *m = matrix_of(&ten);
    spmm_plan_t *with = inspect_plan(m, &options);
    const spmm_tcblock_options_t keep = {.struct_size = sizeof keep, .long_rows = SPMM_LONG_ROWS_KEEP};
    options.tcblock = &keep;
    spmm_plan_t *without = inspect_plan(m, &options);
    const struct spmmi_trace *forced = entry_of(without, SPMMI_REASON_FORCED);
    double us = 0;
    for (; forced < without->trace + without->trace_count; forced++)
        us = forced->chosen ? forced->predicted_us : us;
    assert_true(us > 0);
    assert_true(entry_of(with, SPMMI_REASON_LONG_ROWS)->predicted_us <= us / 1.03);
    spmm_plan_destroy(without);
    spmm_plan_destroy(with);
    spmm_matrix_destroy(m);
}

static void the_others_keep_their_order(void **state)
{
    (void)state;
    static const uint32_t items[] = {5, 1, 0, 2, 4, 3}, others[] = {1, 0, 4, 3};
    uint32_t rows[] = {2, 5};
    const struct spmmi_long_rows_split split = {.rows = rows, .count = 2};
    struct spmmi_part part = {.op = SPMM_OP_T, .family = SPMM_FAMILY_PANEL, .item_count = 6}, long_rows;
    part.items = spmmi_alloc(6, sizeof *part.items);
    assert_non_null(part.items);
    memcpy(part.items, items, sizeof items);
    assert_int_equal(spmmi_long_rows_split_part(&split, &part, &long_rows, NULL), SPMM_OK);
    assert_int_equal(part.item_count, 4);
    assert_memory_equal(part.items, others, sizeof others);
    assert_int_equal(long_rows.item_count, 2);
    assert_memory_equal(long_rows.items, rows, sizeof rows);
    assert_int_equal(long_rows.op, SPMM_OP_T);
    assert_int_equal(long_rows.flags, SPMMI_PART_LONG_ROWS);
    spmmi_free(long_rows.items);
    spmmi_free(part.items);
}

/* ---- Metrics ---- */

static struct spmmi_pattern pattern_of(const spmm_matrix_t *m)
{
    struct spmmi_pattern a = {
        .op = SPMM_OP_N, .rows = m->rows, .cols = m->cols, .nnz = m->nnz, .row_ptr = m->row_ptr};
    a.col_ind = m->col_ind;
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_ptr[i + 1] - m->row_ptr[i];
        a.longest = length > a.longest ? length : a.longest;
    }
    return a;
}

/* Checks that the metrics of the rows that stay are exact: equal to the metrics of a matrix without the long
 * rows. */
static void what_is_left_has_the_metrics_of_a_matrix_without_the_rows(void **state)
{
    (void)state;
    spmm_matrix_t *m = matrix_of(&ten);
    struct spmmi_request r;
    spmm_inspect_options_t options = OPTIONS(SOME, .force_kernel = "window/dense");
    assert_int_equal(spmmi_inspect_options(&options, &r, NULL), SPMM_OK);
    const struct spmmi_pattern a = pattern_of(m);
    struct spmmi_op *op = spmmi_alloc_zero(1, sizeof *op);
    struct spmmi_decision decision;
    assert_non_null(op);
    assert_int_equal(spmmi_op_open(&r, &a, op, NULL), SPMM_OK);
    struct spmmi_search search = spmmi_op_search(op, &r, SPMM_LAYOUTS_ROW_MAJOR, 32);
    assert_int_equal(spmmi_search_decide(&search, NULL, NULL, &decision, NULL), SPMM_OK);
    const struct spmmi_long_rows_split *split = decision.winner.long_rows;
    assert_non_null(split);
    const struct spmmi_tcblock_analysis *left = split->left;
    /* Builds this matrix: the other rows, one after the other. */
    int64_t *row_ptr = calloc((size_t)m->rows + 1, sizeof *row_ptr), rows = 0;
    int32_t *col_ind = calloc((size_t)m->nnz, sizeof *col_ind);
    assert_true(row_ptr != NULL && col_ind != NULL);
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_ptr[i + 1] - m->row_ptr[i];
        if (length > 1000)
            continue;
        memcpy(col_ind + row_ptr[rows], m->col_ind + m->row_ptr[i], (size_t)length * sizeof *col_ind);
        row_ptr[rows + 1] = row_ptr[rows] + length;
        rows++;
    }
    struct spmmi_pattern others = a;
    others.rows = rows;
    others.nnz = row_ptr[rows];
    others.longest = 65;
    others.row_ptr = row_ptr;
    others.col_ind = col_ind;
    struct spmmi_tcblock_analysis analysis;
    assert_int_equal(spmmi_tcblock_analysis_open(&others, NULL, SPMM_F32, 0, 1, &analysis), SPMM_OK);
    for (int u = 0; u < SPMMI_TCBLOCK_UNITS; u++)
        assert_memory_equal(&analysis.counts[u], &left->counts[u], sizeof analysis.counts[u]);
    assert_true(split->of_long_rows.nnz == (double)(m->nnz - others.nnz));
    assert_true(split->of_long_rows.rows == 10 && split->of_long_rows.longest == (double)m->cols);
    spmmi_tcblock_analysis_close(&analysis);
    free(col_ind);
    free(row_ptr);
    spmmi_op_close(op);
    spmmi_free(op);
    spmm_matrix_destroy(m);
}

/* ---- Plans ---- */

static void plans_are_the_same_at_any_number_of_threads_and_from_a_file(void **state)
{
    (void)state;
    spmm_inspect_options_t options =
        OPTIONS(SOME, .force_kernel = "window", .ops = SPMM_OPS_N | SPMM_OPS_T, .threads = 1);
    spmm_matrix_t *m = matrix_of(&ten);
    spmm_plan_t *one = inspect_plan(m, &options), *loaded = NULL;
    options.threads = 7;
    spmm_plan_t *seven = inspect_plan(m, &options);
    assert_true(test_plans_equal(one, seven));
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spmm_plan_write(one, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &loaded, NULL), SPMM_OK);
    assert_true(test_plans_equal(one, loaded));
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(seven);
    spmm_plan_destroy(one);
    spmm_matrix_destroy(m);
}

static void products_of_such_plans_are_right(void **state)
{
    (void)state;
    spmm_matrix_t *m = matrix_of(&ten);
    double *values = calloc((size_t)m->nnz, sizeof *values);
    assert_non_null(values);
    memcpy(values, m->values, (size_t)m->nnz * sizeof *values);
    struct test_matrix a = {"band and dense rows", m->rows, m->cols, m->nnz, m->row_ptr, NULL, values};
    a.col_ind = m->col_ind;
    for (int k = 0; k < 4; k++) {
        spmm_inspect_options_t options = OPTIONS(SOME, .ops = SPMM_OPS_N | SPMM_OPS_T);
        options.force_kernel = k % 2 == 0 ? "window" : "panel";
        options.a_type = k < 2 ? SPMM_F32 : SPMM_F64;
        spmm_plan_t *plan = inspect_plan(m, &options);
        assert_int_equal(plan->variants[0].part_count, 2);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
        for (int op = 0; op < 2; op++) {
            const struct test_product product = {.op = (spmm_op_t)op,
                                                 .n = 5,
                                                 .b_layout = (spmm_layout_t)(k / 2),
                                                 .c_layout = (spmm_layout_t)op,
                                                 .alpha = 1.5,
                                                 .beta = -0.5,
                                                 .values = TEST_VALUES_REAL};
            test_product_check(executor, &a, plan->dtype, &product);
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    free(values);
    spmm_matrix_destroy(m);
}

static void memory_that_runs_out_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    const struct hubs h = {3000, 8, 77, 300, 1};
    const spmm_inspect_options_t options = OPTIONS(SOME, .force_kernel = "window/dense", .threads = 1);
    spmm_matrix_t *m = matrix_of(&h);
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    for (int64_t k = 0; status == SPMM_ERR_MEMORY; k++) {
        spmm_plan_t *plan = NULL;
        spmmi_alloc_fail_at(k, 0);
        status = spmm_inspect(m, &options, &plan, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(plan == NULL || entry_of(plan, SPMMI_REASON_LONG_ROWS) != NULL);
        spmm_plan_destroy(plan);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_int_equal(status, SPMM_OK);
    spmm_matrix_destroy(m);
}

static void an_unknown_long_row_mode_is_refused(void **state)
{
    (void)state;
    struct spmmi_request r;
    spmm_inspect_options_t options = OPTIONS(TCBLOCK(.long_rows = (spmm_long_rows_t)2));
    spmm_diag_t diag = {0};
    assert_int_equal(spmmi_inspect_options(&options, &r, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "unknown long-row mode 2"));
}

#define CASE_COUNT (sizeof cases / sizeof cases[0])

int main(void)
{
    const struct CMUnitTest more[] = {
        cmocka_unit_test(a_row_of_more_than_sixteen_medians_may_be_split_off),
        cmocka_unit_test(the_prediction_is_that_of_two_parts_and_lower),
        cmocka_unit_test(the_others_keep_their_order),
        cmocka_unit_test(what_is_left_has_the_metrics_of_a_matrix_without_the_rows),
        cmocka_unit_test(plans_are_the_same_at_any_number_of_threads_and_from_a_file),
        cmocka_unit_test(products_of_such_plans_are_right),
        cmocka_unit_test(memory_that_runs_out_anywhere_leaves_nothing_behind),
        cmocka_unit_test(an_unknown_long_row_mode_is_refused),
    };
    struct CMUnitTest tests[CASE_COUNT + sizeof more / sizeof more[0]];
    for (size_t i = 0; i < CASE_COUNT; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, the_plan_has_the_parts, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    memcpy(tests + CASE_COUNT, more, sizeof more);
    return cmocka_run_group_tests_name("long rows", tests, NULL, NULL);
}
