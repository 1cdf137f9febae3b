/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for all types, devices and ops, for a matrix that would need more variants than a plan can hold.
 * After a save and a load, the CPU computes right products with the variants of each device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/executor.h>
#include <spmm/inspector.h>

#include "format/plan.h"
#include "tests/support/products.h"

static const char *const devices[] = {"cpu", "a100", "h100"};
static const uint32_t targets[] = {1, 80, 90};
static const spmm_dtype_t types[] = {SPMM_F64, SPMM_F32, SPMM_F16, SPMM_BF16};
#define DEVICES 3
#define TYPES 4
#define N_MOST 400 /* maximum n of products; larger n run the same parts */

static spmm_plan_t *plan_for_all(void)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL, *loaded = NULL;
    spmm_diag_t diag = {0};
    void *bytes = NULL;
    size_t size = 0;
    options.targets = devices;
    options.target_count = DEVICES;
    options.a_types = types;
    options.a_type_count = TYPES;
    options.ops = SPMM_OPS_N | SPMM_OPS_T;
    assert_int_equal(spmm_matrix_generate("gen:powerlaw:2000:2000:20", &matrix, NULL), SPMM_OK);
    if (spmm_inspect(matrix, &options, &plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    if (spmm_plan_read(bytes, size, NULL, &loaded, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return loaded;
}

static int was_merged(const spmm_plan_t *plan)
{
    spmm_metadata_t pair;
    int found = 0;
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        found += strcmp(pair.key, "merged-ranges") == 0;
    return found;
}

/* Checks that a variant fits for every n, both layouts and both ops. */
static void nothing_is_left_out(const spmm_plan_t *plan, spmm_dtype_t type, uint32_t target)
{
    struct spmm_plan typed = *plan;
    typed.variant_count = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (spmmi_variant_type(&plan->variants[i]) == type)
            typed.variants[typed.variant_count++] = plan->variants[i];
    for (int kind = 0; kind < 4; kind++)
        for (int64_t n = 1; n < 3000; n++) {
            int fits = 0;
            const uint32_t layout = (kind & 1) != 0 ? SPMM_LAYOUTS_COL_MAJOR : SPMM_LAYOUTS_ROW_MAJOR;
            assert_true(spmmi_variant_pick(&typed, (spmm_op_t)(kind >> 1), target, n, layout, &fits) >= 0);
            assert_true(fits);
        }
}

/* Checks products at both ends of each variant's range of n. */
static void products_check(const spmm_plan_t *plan, spmm_executor_t *executor, spmm_dtype_t type)
{
    const struct test_matrix a = {"all",         plan->rows,    plan->cols,  plan->nnz,
                                  plan->row_ptr, plan->col_ind, plan->values};
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *const v = &plan->variants[i];
        for (int kind = 0; kind < 4 && spmmi_variant_type(v) == type; kind++) {
            const int is_column = kind & 1;
            const int64_t n = kind < 2 ? v->n_min : v->n_max;
            const spmm_layout_t layout = is_column != 0 ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR;
            if ((v->layouts & (is_column != 0 ? SPMM_LAYOUTS_COL_MAJOR : SPMM_LAYOUTS_ROW_MAJOR)) == 0 ||
                n > N_MOST)
                continue;
            const struct test_product product = {v->op, n, layout, layout, 0,
                                                 0,     0, 1.5,    0.5,    TEST_VALUES_REAL};
            test_product_check(executor, &a, type, &product);
        }
    }
}

/* Copies the variants that this device would use, as variants for any device, so that the CPU runs them. */
static void only_of(spmm_plan_t *plan, const spmm_plan_t *all, uint32_t target)
{
    plan->variant_count = 0;
    for (uint32_t i = 0; i < all->variant_count; i++)
        if (all->variants[i].target == target ||
            (target != SPMMI_TARGET_CPU && all->variants[i].target == SPMMI_TARGET_ANY)) {
            plan->variants[plan->variant_count] = all->variants[i];
            plan->variants[plan->variant_count++].target = SPMMI_TARGET_ANY;
        }
}

static void each_product_of_a_full_plan_is_right(void **state)
{
    spmm_plan_t *plan = plan_for_all();
    const struct spmm_plan all = *plan;
    (void)state;
    assert_true(was_merged(plan));
    for (int d = 0; d < DEVICES; d++)
        for (int t = 0; t < TYPES; t++) {
            spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
            spmm_executor_t *executor = NULL;
            spmm_diag_t diag = {0};
            nothing_is_left_out(&all, types[t], targets[d]);
            only_of(plan, &all, targets[d]);
            options.a_type = types[t];
            if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK)
                fail_msg("%s", diag.text);
            products_check(plan, executor, types[t]);
            spmm_executor_destroy(executor);
        }
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_product_of_a_full_plan_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
