/* SPDX-License-Identifier: Apache-2.0 */
/* Every plan that loads runs on the CPU: all pairs of two variants, each of any family, schedule and
 * permutation, with and without long rows, in every value type. Each pair is saved and loaded. Pairs that do
 * not load are refused because of a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/laws.h"
#include "tests/support/plan_build.h"
#include "tests/support/plan_seal.h"
#include "tests/support/products.h"
#include "tests/support/scale.h"

#define KINDS_MAX 64
#define N_OF_FIRST 8 /* largest n of the first variant; the second has the larger n */

/* Properties of a part and its variant. */
struct kind {
    const struct spmmi_schedule *schedule;
    uint32_t flags;
    int has_long_rows;
};

static int kinds_list(struct kind kinds[KINDS_MAX])
{
    static const uint32_t flags[] = {0, SPMMI_PART_REORDERED,
                                     SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT};
    const struct spmmi_schedule *row;
    int count = 0;
    for (int i = 0; (row = spmmi_schedule_at(i)) != NULL; i++)
        for (int f = 0; f <= (int)row->permutation; f++)
            for (int l = 0; l <= spmmi_family_of(row->family)->takes_long_rows; l++)
                kinds[count++] = (struct kind){row, flags[f], l};
    assert_true(count < KINDS_MAX);
    return count;
}

/* Returns true if section 6.6 of docs/plan-format.md allows the combination of long rows and flags. */
static int is_admissible(const struct kind *kind)
{
    return !kind->has_long_rows || (kind->flags & SPMMI_PART_PERMUTES_OUTPUT) == 0;
}

static spmm_plan_t *plan_of_kind(const struct test_matrix *a, const struct kind *kind, spmm_dtype_t dtype,
                                 uint64_t seed)
{
    const struct spmmi_family *family = spmmi_family_of(kind->schedule->family);
    const uint32_t item_size = seed % 2 == 0 ? 4 : 1024;
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){dtype, kind->schedule->id, item_size, 1, 0});
    test_plan_family(plan, family, seed % 2 == 0 ? family->unit_min : family->unit_max);
    for (uint32_t i = 0; seed % 3 == 0 && i < plan->variant_count; i++)
        if (plan->variants[i].compute == SPMM_COMPUTE_3XTF32)
            plan->variants[i].compute = SPMM_COMPUTE_TF32;
    if (kind->has_long_rows)
        assert_int_equal(test_plan_split_long_rows(plan, test_long_rows_min(a)), 2);
    if ((kind->flags & SPMMI_PART_REORDERED) != 0)
        test_plan_reorder(plan, seed, (kind->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0);
    return plan;
}

/* Saves and loads the plan and destroys it. Returns the loaded plan, NULL if it was refused with the expected
 * status. */
static spmm_plan_t *loaded(spmm_plan_t *plan, spmm_status_t expected)
{
    spmm_plan_t *copy = NULL;
    spmm_diag_t diag = {.text = ""};
    void *bytes = NULL;
    size_t size = 0;
    test_plan_seal(plan);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    if (spmm_plan_read(bytes, size, NULL, &copy, &diag) != expected)
        fail_msg("%s", diag.text);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return copy;
}

/* Makes a plan of two variants. Their targets (any device, the CPU, a GPU) differ from pair to pair. */
static spmm_plan_t *pair_make(const struct test_matrix *a, spmm_dtype_t dtype, const struct kind kinds[2],
                              int number)
{
    static const uint32_t targets[][2] = {{0, 0}, {90, 90}, {1, 90}, {90, 1}, {1, 1}, {0, 90}, {1, 0}};
    const uint32_t *target = targets[(size_t)number % (sizeof targets / sizeof *targets)];
    spmm_plan_t *plan = plan_of_kind(a, &kinds[0], dtype, (uint64_t)number);
    const uint32_t first = plan->variant_count;
    test_plan_join(plan, plan_of_kind(a, &kinds[1], dtype, (uint64_t)number + 1));
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        plan->variants[i].target = target[i >= first];
        if (i < first)
            plan->variants[i].n_max = N_OF_FIRST;
        else
            plan->variants[i].n_min = N_OF_FIRST + 1;
    }
    return loaded(plan, is_admissible(&kinds[0]) && is_admissible(&kinds[1]) ? SPMM_OK : SPMM_ERR_PLAN_PART);
}

static void assert_exports(const spmm_plan_t *plan, const struct test_matrix *a)
{
    spmm_csr_t view;
    void *values = test_values_of(a, plan->dtype);
    assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
    assert_memory_equal(view.row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    assert_memory_equal(view.col_ind, a->col_ind, (size_t)a->nnz * sizeof *a->col_ind);
    assert_memory_equal(view.values, values, (size_t)a->nnz * spmm_dtype_size(plan->dtype));
    free(values);
}

/* Returns the square matrix whose op has the rows of op(A) in this order. The caller frees it. */
static struct test_matrix *permuted(const struct test_matrix *a, spmm_op_t op, const uint32_t *order)
{
    struct test_matrix *p = test_matrix_named(a->name, TEST_VALUES_REAL);
    int64_t at = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t from = op == SPMM_OP_N ? order[i] : i;
        for (int64_t q = a->row_ptr[from]; q < a->row_ptr[from + 1]; q++, at++) {
            int32_t column = a->col_ind[q];
            for (int32_t j = 0; op == SPMM_OP_T && j < a->cols; j++)
                if (order[j] == (uint32_t)a->col_ind[q])
                    column = j;
            p->col_ind[at] = column;
            p->values[at] = a->values[q];
        }
        p->row_ptr[i + 1] = at;
    }
    return p;
}

static void product_check(const spmm_plan_t *plan, spmm_executor_t *executor, const struct test_matrix *a,
                          const struct test_product *product)
{
    int fits = 0;
    const int variant = spmmi_variant_pick(
        plan, product->op, 1, product->n,
        product->b_layout == SPMM_ROW_MAJOR ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR, &fits);
    const struct spmmi_part *part = &plan->parts[plan->variants[variant].part_first];
    struct test_matrix *in_order =
        (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? permuted(a, product->op, part->items) : NULL;
    test_product_check(executor, in_order != NULL ? in_order : a, plan->dtype, product);
    test_matrix_free(in_order);
}

/* Checks a product of up to 8 columns and a wide one, one of each op, with varying layouts and factors.
 * Returns their number. */
static size_t pair_check(const spmm_plan_t *plan, const struct test_matrix *a, int number)
{
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    const size_t turns = scaled(2);
    assert_exports(plan, a);
    for (size_t t = 0; t < turns; t++) {
        const size_t round = (size_t)number + t / 2;
        const int64_t wide = round % 101 == 100 ? 4096 : round % 11 == 10 ? 300 : 40;
        const int64_t n = t % 2 == 1 ? wide : round % 2 == 0 ? 1 : 8;
        const spmm_op_t op = (round / 2 + t) % 2 == 0 ? SPMM_OP_N : SPMM_OP_T;
        const struct test_product product =
            test_product_of_turn(op, n, (int)((size_t)number * 7 + t), TEST_VALUES_REAL);
        product_check(plan, executor, a, &product);
    }
    spmm_executor_destroy(executor);
    return turns;
}

static void every_pair_of_parts_that_loads_runs(void **state)
{
    struct kind kinds[KINDS_MAX];
    const int count = kinds_list(kinds);
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_dtype_info_t type = {.struct_size = sizeof type};
    size_t pairs = 0, refused = 0, products = 0;
    int number = 0;
    (void)state;
    for (int t = 0; spmm_dtype_at(t, &type) == SPMM_OK; t++)
        for (int first = 0; first < count; first++)
            for (int second = 0; second < count; second++, number++) {
                spmm_plan_t *plan =
                    pair_make(a, type.dtype, (struct kind[2]){kinds[first], kinds[second]}, number);
                pairs += plan != NULL;
                refused += plan == NULL;
                products += plan != NULL ? pair_check(plan, a, number) : 0;
                spmm_plan_destroy(plan);
            }
    assert_true(pairs > 0 && refused > 0);
    printf("%zu pairs of parts run (%zu products), %zu are refused at load\n", pairs, products, refused);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair_of_parts_that_loads_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
