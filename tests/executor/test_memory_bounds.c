/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of executors on the CPU: the predicted memory is enough, a budget below it is refused, and a
 * part stays within the bounds of SECURITY.md for any pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/executor.h>

#include "tests/support/counting_allocator.h"
#include "tests/support/plan_build.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct shape {
    const char *name;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t item_size, unit_rows;
};
static const struct shape shapes[] = {
    {"row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, 4, 0},
    {"nonzero-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, 4, 0},
    {"whole", SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE, 0, 0},
    {"segmented", SPMM_FAMILY_TILED, SPMM_SCHEDULE_SEGMENTED, 1, 0},
    {"window dense", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 1, 8},
    {"window packed", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 1, 8},
    {"panel dense", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 1, 64},
    {"panel packed", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 1, 256},
    {"bcsr", SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 1, 64},
};

/* Returns the maximum number of bytes per nonzero that a part holds: the table in SECURITY.md. */
static uint64_t bytes_a_nonzero(spmm_family_t family, uint64_t value)
{
    switch (family) {
    case SPMM_FAMILY_TILED:
        return 32 * (value + 2) + 16;
    case SPMM_FAMILY_WINDOW:
    case SPMM_FAMILY_PANEL:
        return 64 * value + 48;
    case SPMM_FAMILY_BCSR:
        return (value == 2 ? 256 : 128) * value + 48;
    default:
        return value + 16;
    }
}
#define BYTES_A_ROW 16 /* per row of op(A) */
#define BYTES_A_PART 16384

/* Makes a matrix whose row i has length(i) nonzeros; nonzero q is in column column(i, q), in ascending
 * order. */
static struct test_matrix *make(const char *name, int64_t rows, int64_t cols, int64_t (*length)(int64_t i),
                                int64_t (*column)(int64_t i, int64_t q))
{
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->name = name;
    a->rows = rows;
    a->cols = cols;
    a->row_ptr = calloc((size_t)rows + 1, sizeof *a->row_ptr);
    assert_non_null(a->row_ptr);
    for (int64_t i = 0; i < rows; i++)
        a->nnz = a->row_ptr[i + 1] = a->row_ptr[i] + length(i);
    a->col_ind = calloc((size_t)a->nnz + 1, sizeof *a->col_ind);
    a->values = calloc((size_t)a->nnz + 1, sizeof *a->values);
    assert_true(a->col_ind != NULL && a->values != NULL);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            a->col_ind[p] = (int32_t)column(i, p - a->row_ptr[i]);
            a->values[p] = 1;
        }
    return a;
}

static int64_t one(int64_t i)
{
    return i >= 0;
}
static int64_t first_has_one(int64_t i)
{
    return i == 0;
}
static int64_t first_has_3000(int64_t i)
{
    return i == 0 ? 3000 : 0;
}
static int64_t sixteenth_has_500(int64_t i)
{
    return i % 16 == 0 ? 500 : 0;
}
static int64_t eighth_has_one(int64_t i)
{
    return i % 8 == 0;
}
static int64_t block_has_300(int64_t i)
{
    return i % 32 == 0 ? 300 : 0;
}
static int64_t third_is_a_hub(int64_t i)
{
    return i % 1000 == 3 ? 2000 : i % 3;
}
static int64_t first(int64_t i, int64_t q)
{
    return i * 0 + q;
}
static int64_t sixteenth(int64_t i, int64_t q)
{
    return i % 16 + 16 * q;
}
static int64_t diagonal(int64_t i, int64_t q)
{
    return i + q;
}
static int64_t scattered(int64_t i, int64_t q)
{
    return i * 16 + q;
}

/* The last matrix has 2^31 - 2 columns, so only a plan for op N can be made. */
#define MATRICES 9
static struct test_matrix *matrix_at(int index)
{
    switch (index) {
    case 0:
        return make("one column", 40000, 1, one, first);
    case 1:
        return make("one nonzero", 1000, 1000, first_has_one, first);
    case 2:
        return make("one dense row", 2000, 3000, first_has_3000, first);
    case 3:
        return make("a nonzero a block", 640, 8000, sixteenth_has_500, sixteenth);
    case 4:
        return make("a nonzero a window", 16000, 16000, eighth_has_one, diagonal);
    case 5:
        return make("a row a row block", 3200, 300, block_has_300, first);
    case 6:
        return make("hubs", 4000, 4000, third_is_a_hub, first);
    case 7:
        return make("diagonal of blocks", 3000, 48000, one, scattered);
    default:
        return make("2^31 - 2 columns", 1, 2147483646, one, sixteenth);
    }
}

static spmm_plan_t *plan_of(const struct test_matrix *a, const struct shape *shape, spmm_dtype_t dtype)
{
    const struct test_plan_options options = {dtype, shape->schedule, shape->item_size, a->cols < 2000000000,
                                              0};
    const spmm_compute_t compute = dtype == SPMM_F32 ? SPMM_COMPUTE_3XTF32 : (spmm_compute_t)dtype;
    spmm_plan_t *plan = test_plan_build(a, options);
    if (shape->family == SPMM_FAMILY_BCSR)
        test_plan_groups(plan, shape->unit_rows, compute);
    else if (shape->unit_rows > 0)
        test_plan_units(plan, shape->unit_rows, compute);
    return plan;
}

static spmm_status_t create(const spmm_plan_t *plan, uint64_t budget, uint64_t *held, spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    options.host_budget_bytes = budget;
    const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, diag);
    if (status == SPMM_OK)
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    *held = info.host_bytes;
    spmm_executor_destroy(executor);
    return status;
}

/* Checks that the predicted bytes are enough, for the prediction itself too, and that a budget of one byte
 * less is refused. Returns the bytes that the executor holds. */
static uint64_t prediction_holds(const spmm_plan_t *plan)
{
    spmm_diag_t diag;
    uint64_t needed = 0, held = 0;
    test_counting_peak_reset();
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, NULL, &needed, NULL, NULL), SPMM_OK);
    assert_int_equal(create(plan, needed - 1, &held, &diag), SPMM_ERR_PLAN_BUDGET);
    assert_true(test_counting_peak() <= needed);
    assert_non_null(strstr(diag.text, "bytes of host memory or more"));
    assert_int_equal(create(plan, needed, &held, &diag), SPMM_OK);
    if (test_counting_peak() > needed)
        fail_msg("making the executor took %llu bytes, %llu were predicted",
                 (unsigned long long)test_counting_peak(), (unsigned long long)needed);
    assert_true(held <= needed);
    return held;
}

static void what_an_executor_takes_is_bounded(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16};
    int count = 0;
    (void)state;
    for (int m = 0; m < MATRICES; m++) {
        struct test_matrix *a = matrix_at(m);
        for (size_t s = 0; s < COUNT(shapes) * COUNT(dtypes); s++) {
            const struct shape *shape = &shapes[s % COUNT(shapes)];
            const spmm_dtype_t dtype = dtypes[s / COUNT(shapes)];
            const uint64_t each = bytes_a_nonzero(shape->family, spmm_dtype_size(dtype));
            spmm_plan_t *plan = plan_of(a, shape, dtype);
            const int has_both = plan->variant_count > 1;
            const uint64_t nonzeros = (uint64_t)a->nnz * (has_both ? 2 : 1);
            const uint64_t rows = (uint64_t)a->rows + (has_both ? (uint64_t)a->cols : 0);
            const uint64_t held = prediction_holds(plan),
                           most = each * nonzeros + BYTES_A_ROW * rows + 2 * BYTES_A_PART;
            if (held > most)
                fail_msg("%s, %s of %s: %llu bytes, not %llu", a->name, shape->name, spmm_dtype_name(dtype),
                         (unsigned long long)held, (unsigned long long)most);
            spmm_plan_destroy(plan);
            count++;
        }
        test_matrix_free(a);
    }
    printf("scorecard: P2 %d executors took at most the memory that was predicted, %d budgets a byte short "
           "refused\n",
           count, count);
}

/* The row pointers of the transpose would take 17 GB twice, for a plan of one nonzero. The refusal allocates
 * almost nothing. */
static void a_transpose_of_many_columns_is_refused_at_once(void **state)
{
    (void)state;
    struct test_matrix *a = matrix_at(MATRICES - 1);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        spmm_plan_t *plan = plan_of(a, &shapes[s], SPMM_F32);
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_diag_t diag;
        uint64_t host = 0;
        options.host_budget_bytes = UINT64_C(1) << 30;
        plan->parts[0].op = plan->variants[0].op = SPMM_OP_T;
        test_counting_peak_reset();
        assert_int_equal(create(plan, options.host_budget_bytes, &host, &diag), SPMM_ERR_PLAN_BUDGET);
        assert_non_null(strstr(diag.text, "for op T"));
        assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &host, NULL, &diag),
                         SPMM_ERR_PLAN_BUDGET);
        assert_true(test_counting_peak() < 65536);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* The maximum number of parts, each of which is small. */
static void many_parts_count_together(void **state)
{
    (void)state;
    struct test_matrix *a = matrix_at(3);
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    uint64_t needed = 0, one_part = 0, held = 0;
    for (int64_t i = 0; i < SPMMI_PART_MAX / 2; i++) {
        spmm_plan_t *more = plan_of(a, &shapes[COUNT(shapes) - 1], SPMM_F16);
        for (uint32_t v = 0; v < more->variant_count; v++) {
            more->parts[v].item_size = (uint32_t)i + 1;
            more->variants[v].n_min = more->variants[v].n_max = i + 1;
        }
        if (plan != NULL)
            test_plan_join(plan, more);
        else
            plan = more;
        assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, NULL, &needed, NULL, NULL),
                         SPMM_OK);
        one_part = i == 0 ? needed : one_part;
    }
    assert_true(needed > 16 * one_part);
    test_counting_peak_reset();
    assert_int_equal(create(plan, needed / 2, &held, &diag), SPMM_OK); /* some parts are given up */
    assert_true(held > needed / 3 && test_counting_peak() <= needed / 2);
    assert_int_equal(create(plan, one_part / 2, &held, &diag), SPMM_ERR_PLAN_BUDGET);
    assert_non_null(strstr(diag.text, "bcsr/dense"));
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_executor_takes_is_bounded),
        cmocka_unit_test(a_transpose_of_many_columns_is_refused_at_once),
        cmocka_unit_test(many_parts_count_together),
    };
    test_counting_allocator_set();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
