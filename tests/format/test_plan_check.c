/* SPDX-License-Identifier: Apache-2.0 */
/* spmmi_plan_check on plans in memory with one wrong member at a time: errors that no file can contain,
 * because a reader derives the member or refuses it earlier, and the last valid value of each range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/check/plan_check.h"
#include "tests/support/plan_seal.h"

/* Returns a plan of 100 rows with 0 to 8 nonzeros. */
static spmm_plan_t *plan_of(spmm_schedule_t schedule)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, schedule, 16, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    test_matrix_free(a);
    if (schedule == SPMM_SCHEDULE_SEGMENTED)
        test_plan_row_block_metrics(plan);
    test_plan_permutation_metrics(plan);
    return plan;
}

static void expect(spmm_plan_t *plan, spmm_status_t expected, const char *change)
{
    const spmm_status_t found = spmmi_plan_check(plan, NULL);
    if (found != expected)
        fail_msg("%s: found \"%s\", expected \"%s\"", change, spmm_status_text(found),
                 spmm_status_text(expected));
    if (plan->part_count > SPMMI_PART_MAX)
        plan->part_count = 1; /* destroy relies on it */
    spmm_plan_destroy(plan);
}

/* Expects this status for a plan `p` of a schedule with this change. */
#define EXPECT(schedule, change, expected)   \
    do {                                     \
        spmm_plan_t *p = plan_of(schedule);  \
        change;                              \
        expect(p, SPMM_##expected, #change); \
    } while (0)
#define ROWS(change, expected) EXPECT(SPMM_SCHEDULE_ROW_SPLIT, change, expected)
#define TILED(change, expected) EXPECT(SPMM_SCHEDULE_SEGMENTED, change, expected)
#define DROP(pointer) (spmmi_free(pointer), (pointer) = NULL)
#define PATTERN(change, expected) \
    ROWS((DROP(p->values), memset(p->values_digest, 0, sizeof p->values_digest), change), expected)

static void dimensions(void **state)
{
    (void)state;
    ROWS((p->rows = -1, p->cols = p->nnz = 0), ERR_PLAN_DIMS);
    ROWS(p->rows = SPMMI_DIM_MAX + 1, ERR_PLAN_DIMS);
    ROWS((p->cols = -1, p->rows = p->nnz = 0), ERR_PLAN_DIMS);
    ROWS(p->cols = SPMMI_DIM_MAX + 1, ERR_PLAN_DIMS);
    ROWS(p->nnz = -1, ERR_PLAN_DIMS);
    ROWS(p->nnz = p->rows * p->cols + 1, ERR_PLAN_DIMS);
    ROWS((p->rows = p->cols = SPMMI_DIM_MAX, p->nnz = SPMMI_NNZ_MAX + 1), ERR_PLAN_DIMS);
    ROWS(p->dtype = (spmm_dtype_t)0, ERR_PLAN_DIMS);
    ROWS(DROP(p->row_ptr), ERR_PLAN_ROW_PTR);
    ROWS(DROP(p->col_ind), ERR_PLAN_COL_IND);
    /* The largest values pass; a later check finds the error. */
    ROWS((p->rows = SPMMI_DIM_MAX, p->row_ptr[0] = 1), ERR_PLAN_ROW_PTR);
    ROWS((p->cols = SPMMI_DIM_MAX, p->row_ptr[0] = 1), ERR_PLAN_ROW_PTR);
    ROWS((p->rows = p->cols = SPMMI_DIM_MAX, p->nnz = SPMMI_NNZ_MAX, p->row_ptr[0] = 1), ERR_PLAN_ROW_PTR);
    ROWS((p->cols = 8, p->nnz = 8 * p->rows, p->row_ptr[0] = 1), ERR_PLAN_ROW_PTR);
}

/* Three rows of a matrix with 4 columns and 4 nonzeros. */
static void row_pointers(void **state)
{
    (void)state;
    static struct {
        int64_t row_ptr[4];
        spmm_status_t expected;
    } cases[] = {{{0, 2, 2, 4}, SPMM_OK},
                 {{0, 0, 0, 4}, SPMM_OK},
                 {{1, 2, 2, 4}, SPMM_ERR_PLAN_ROW_PTR},
                 {{0, 4, 2, 4}, SPMM_ERR_PLAN_ROW_PTR},
                 {{0, 2, 2, 3}, SPMM_ERR_PLAN_ROW_PTR},
                 {{0, 2, 2, 5}, SPMM_ERR_PLAN_ROW_PTR},
                 {{0, 5, 5, 4}, SPMM_ERR_PLAN_ROW_PTR}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmm_plan plan = {.rows = 3, .cols = 4, .nnz = 4, .row_ptr = cases[i].row_ptr};
        assert_int_equal(spmmi_check_row_ptr(1, &plan, NULL), cases[i].expected);
    }
    static int64_t long_row[] = {0, 5};
    struct spmm_plan plan = {.rows = 1, .cols = 4, .nnz = 5, .row_ptr = long_row};
    assert_int_equal(spmmi_check_row_ptr(1, &plan, NULL), SPMM_ERR_PLAN_ROW_PTR);
}

/* Two rows with one nonzero each, in a matrix with 3 columns. row: the row that is reported. */
static void columns_in_range(void **state)
{
    (void)state;
    static int64_t row_ptr[] = {0, 1, 2};
    static const struct {
        int32_t columns[2];
        uint64_t row;
    } cases[] = {{{0, 3}, 1}, {{0, -1}, 1}, {{3, 0}, 0}, {{-1, 2}, 0}, {{2, INT32_MAX}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int32_t columns[2] = {cases[i].columns[0], cases[i].columns[1]};
        struct spmm_plan plan = {
            .rows = 2, .cols = 3, .nnz = 2, .dtype = SPMM_F32, .row_ptr = row_ptr, .col_ind = columns};
        spmm_diag_t diag = {.status = SPMM_OK};
        assert_int_equal(spmmi_plan_check(&plan, &diag), SPMM_ERR_PLAN_COL_IND);
        assert_int_equal(diag.offset, cases[i].row);
    }
}

/* The columns and their distances from the last column together have every bit except the sign. Only the sign
 * bit means "outside". */
static void columns_of_all_bits(void **state)
{
    (void)state;
    static int64_t row_ptr[] = {0, 2, 4};
    static int32_t columns[] = {1, 2, 5, 5};
    const struct spmm_plan plan = {.rows = 2,
                                   .cols = SPMMI_DIM_MAX,
                                   .nnz = 4,
                                   .dtype = SPMM_F32,
                                   .row_ptr = row_ptr,
                                   .col_ind = columns};
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(spmmi_plan_check(&plan, &diag), SPMM_ERR_PLAN_COL_IND);
    assert_int_equal(diag.offset, 1);
}

static void rows_and_columns(void **state)
{
    (void)state;
    ROWS(p->row_ptr[0] = -1, ERR_PLAN_ROW_PTR);
    ROWS((p->row_ptr[50] = p->row_ptr[51] + 1), ERR_PLAN_ROW_PTR);
    ROWS(p->row_ptr[100]--, ERR_PLAN_ROW_PTR);
    ROWS(p->col_ind[0] = -1, ERR_PLAN_COL_IND);
    ROWS(p->col_ind[p->nnz - 1] = (int32_t)p->cols, ERR_PLAN_COL_IND);
    ROWS(p->pattern_digest[15] ^= 1, ERR_PLAN_DIGEST);
    ROWS(p->values_digest[15] ^= 1, ERR_PLAN_DIGEST);
    ROWS(p->stats.zeros++, ERR_PLAN_STATS);
    PATTERN(p->stats.zeros = p->nnz, OK);
    PATTERN(p->stats.zeros = p->nnz + 1, ERR_PLAN_STATS);
    PATTERN(p->stats.zeros = -1, ERR_PLAN_STATS);
}

static void counts(void **state)
{
    (void)state;
    ROWS(p->part_count = SPMMI_PART_MAX + 1, ERR_PLAN_PART);
    ROWS(p->variant_count = SPMMI_VARIANT_MAX + 1, ERR_PLAN_VARIANT);
    ROWS(DROP(p->trace), ERR_PLAN_TRACE);
    ROWS((DROP(p->trace), p->trace_count = 0), OK);
    ROWS(DROP(p->permutation_metrics), ERR_PLAN_PERMUTATION_METRICS);
    ROWS((DROP(p->permutation_metrics), p->permutation_metrics_count = 0), OK);
}

/* Checks a plan with the maximum number of parts, variants and so on, all equal to the first one.
 * more_traces, more_metrics: numbers above the maximum. */
static void as_many_as_there_may_be(uint32_t more_traces, uint32_t more_metrics, spmm_status_t expected)
{
    spmm_plan_t *p = plan_of(SPMM_SCHEDULE_ROW_SPLIT);
    struct spmmi_trace *trace = spmmi_alloc_zero(SPMMI_TRACE_MAX + 1, sizeof *trace);
    spmm_permutation_metrics_t *metrics =
        spmmi_alloc_zero(SPMMI_PERMUTATION_METRICS_MAX + 1, sizeof *metrics);
    assert_true(trace != NULL && metrics != NULL);
    for (uint32_t i = 0; i <= SPMMI_TRACE_MAX; i++)
        trace[i] = p->trace[0];
    for (uint32_t i = 0; i <= SPMMI_PERMUTATION_METRICS_MAX; i++)
        metrics[i] = p->permutation_metrics[0];
    DROP(p->trace);
    DROP(p->permutation_metrics);
    p->trace = trace;
    p->permutation_metrics = metrics;
    p->trace_count = SPMMI_TRACE_MAX + more_traces;
    p->permutation_metrics_count = SPMMI_PERMUTATION_METRICS_MAX + more_metrics;
    for (uint32_t i = 1; i < SPMMI_PART_MAX; i++) {
        p->parts[i] = p->parts[0];
        p->parts[i].items = spmmi_alloc(p->parts[0].item_count, sizeof *p->parts[i].items);
        assert_non_null(p->parts[i].items);
        memcpy(p->parts[i].items, p->parts[0].items, p->parts[0].item_count * sizeof *p->parts[i].items);
    }
    for (uint32_t i = 1; i < SPMMI_VARIANT_MAX; i++)
        p->variants[i] = p->variants[0];
    p->part_count = SPMMI_PART_MAX;
    p->variant_count = SPMMI_VARIANT_MAX;
    expect(p, expected, "as many as there may be");
}

static void the_most_and_one_more(void **state)
{
    (void)state;
    as_many_as_there_may_be(0, 0, SPMM_OK);
    as_many_as_there_may_be(1, 0, SPMM_ERR_PLAN_TRACE);
    as_many_as_there_may_be(0, 1, SPMM_ERR_PLAN_PERMUTATION_METRICS);
}

static void parts_and_variants(void **state)
{
    (void)state;
    ROWS(DROP(p->parts[0].items), ERR_PLAN_PART);
    ROWS(p->parts[0].op = (spmm_op_t)2, ERR_PLAN_PART);
    ROWS(p->variants[0].op = (spmm_op_t)2, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].op = SPMM_OP_T, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].target = SPMMI_TARGET_MAX, OK);
    ROWS(p->variants[0].target = SPMMI_TARGET_MAX + 1, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].n_min = 0, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].n_min = 1, OK);
    ROWS((p->variants[0].n_min = p->variants[0].n_max = 7), OK);
    ROWS((p->variants[0].n_min = 8, p->variants[0].n_max = 7), ERR_PLAN_VARIANT);
    ROWS(p->variants[0].n_max = SPMMI_N_MAX, OK);
    ROWS(p->variants[0].n_max = SPMMI_N_MAX + 1, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].part_first = p->part_count, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].layouts = 0, ERR_PLAN_VARIANT);
    ROWS(p->variants[0].layouts = 4, ERR_PLAN_VARIANT);
}

static void traces_and_texts(void **state)
{
    (void)state;
    ROWS(p->trace[0].variant = p->variant_count, ERR_PLAN_TRACE);
    ROWS(p->trace[0].chosen = 2, ERR_PLAN_TRACE);
    ROWS(p->trace[0].reason = 0, ERR_PLAN_TRACE);
    ROWS(p->trace[0].reason = SPMMI_REASON_COUNT_ - 1, OK);
    ROWS(p->trace[0].reason = SPMMI_REASON_COUNT_, ERR_PLAN_TRACE);
    ROWS(p->trace[0].predicted_us = 0, OK);
    ROWS(p->trace[0].predicted_us = -1, ERR_PLAN_TRACE);
    ROWS(p->trace[0].measured_us = INFINITY, ERR_PLAN_TRACE);
    ROWS(p->trace[0].value = NAN, ERR_PLAN_TRACE);
    ROWS(p->trace[0].threshold = INFINITY, ERR_PLAN_TRACE);
    ROWS(memset(p->source, 'x', sizeof p->source), ERR_PLAN_META);
    ROWS(memset(p->source, 'x', sizeof p->source - 1), OK);
    ROWS(memset(p->writer, 'x', sizeof p->writer), ERR_PLAN_WRITER);
    ROWS(memset(p->writer, 'x', sizeof p->writer - 1), OK);
}

static void metrics_of_row_blocks(void **state)
{
    (void)state;
    TILED((void)p, OK);
    TILED(p->row_block_metrics.rho = -1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.stages_max = -1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.stage_slots = 0, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.register_tile = 1, OK);
    TILED(p->row_block_metrics.register_tile = 1024, OK);
    TILED(p->row_block_metrics.register_tile = 1025, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.n = SPMMI_N_MAX, OK);
    TILED(p->row_block_metrics.n = SPMMI_N_MAX + 1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.multiprocessors = INT32_MAX, OK);
    TILED(p->row_block_metrics.multiprocessors = INT64_C(1) << 31, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.rho = (double)p->nnz + 1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.reuse[0] = (double)p->nnz + 1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.stages_max = p->row_block_metrics.stages, OK);
    TILED(p->row_block_metrics.stages_max = p->row_block_metrics.stages + 1, ERR_PLAN_ROW_BLOCK_METRICS);
    TILED(p->row_block_metrics.rho = (double)p->nnz, OK);
    TILED(p->row_block_metrics.reuse[0] = (double)p->nnz, OK);
    TILED(p->row_block_metrics.unit_max = p->rows, OK);
    TILED(p->row_block_metrics.unit_max = p->rows + 1, ERR_PLAN_ROW_BLOCK_METRICS);
}

/* As many units as rows and nonzeros allow, and at most SPMMI_UNIT_MAX. */
static void units_of_row_blocks(void **state)
{
    (void)state;
    spmm_plan_t *p = plan_of(SPMM_SCHEDULE_SEGMENTED);
    spmm_row_block_metrics_t *s = &p->row_block_metrics;
    const int64_t longest = p->rows > p->cols ? p->rows : p->cols;
    const int64_t nnz[] = {p->nnz, INT64_C(1) << 33};
    const int64_t most[] = {longest + p->nnz, SPMMI_UNIT_MAX};
    for (int i = 0; i < 4; i++) {
        p->nnz = nnz[i / 2];
        s->units = most[i / 2] + i % 2;
        s->row_blocks = (s->units + s->block_rows - 1) / s->block_rows;
        assert_int_equal(spmmi_check_row_block_metrics(p, NULL),
                         i % 2 == 0 ? SPMM_OK : SPMM_ERR_PLAN_ROW_BLOCK_METRICS);
    }
    s->row_blocks++;
    s->units--;
    assert_int_equal(spmmi_check_row_block_metrics(p, NULL), SPMM_ERR_PLAN_ROW_BLOCK_METRICS);
    spmm_plan_destroy(p);
}

static void metrics_of_permutations(void **state)
{
    (void)state;
    ROWS((void)p, OK);
    ROWS(p->permutation_metrics[0].units = 0, OK);
    ROWS(p->permutation_metrics[0].units = -1, ERR_PLAN_PERMUTATION_METRICS);
    ROWS(p->permutation_metrics[0].block_mean[0] = (double)p->nnz, OK);
    ROWS(p->permutation_metrics[0].block_mean[0] = (double)p->nnz + 1, ERR_PLAN_PERMUTATION_METRICS);
    ROWS(p->permutation_metrics[0].reuse[0] = (double)p->nnz + 1, ERR_PLAN_PERMUTATION_METRICS);
    ROWS(p->permutation_metrics[0].op = (spmm_op_t)2, ERR_PLAN_PERMUTATION_METRICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions),
        cmocka_unit_test(rows_and_columns),
        cmocka_unit_test(row_pointers),
        cmocka_unit_test(columns_in_range),
        cmocka_unit_test(columns_of_all_bits),
        cmocka_unit_test(counts),
        cmocka_unit_test(the_most_and_one_more),
        cmocka_unit_test(parts_and_variants),
        cmocka_unit_test(traces_and_texts),
        cmocka_unit_test(metrics_of_row_blocks),
        cmocka_unit_test(units_of_row_blocks),
        cmocka_unit_test(metrics_of_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
