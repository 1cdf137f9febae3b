/* SPDX-License-Identifier: Apache-2.0 */
/* Executors for only some products: they need less memory and give the same bits. Other products still
 * run. */
#include "wanted_support.h"

static void wanted_products_are_as_they_were_and_take_less_memory(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    const spmm_executor_options_t some[] = {{.n_max = NARROW}, {.n_min = NARROW + 1}};
    const struct test_product *const products[] = {&narrow, &wide};
    spmm_executor_t *all = executor_for(plan, (spmm_executor_options_t){.threads = 0});
    const uint64_t bytes = host_bytes(plan, (spmm_executor_options_t){.threads = 0});
    for (int i = 0; i < 2; i++) {
        char kernel[64];
        struct test_dense c;
        spmm_executor_t *executor = executor_for(plan, some[i]);
        expect_same(all, executor, a, products[i]);
        /* The other product is run by the remaining part. */
        assert_int_equal(run(executor, a, products[1 - i], kernel, &c), 1);
        assert_non_null(strstr(kernel, i == 0 ? "cpu/rows" : "cpu/tiled"));
        test_dense_free(&c);
        test_product_check(executor, a, SPMM_F32, products[1 - i]);
        assert_true(host_bytes(plan, some[i]) < bytes);
        spmm_executor_destroy(executor);
    }
    spmm_executor_destroy(all);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A range may overlap both variants, one of them only in its last column. */
static void a_range_keeps_every_variant_that_it_meets(void **state)
{
    static const int64_t ranges[][4] = {/* n_min, n_max; whether each variant is reached */
                                        {1, NARROW, 1, 0},     {NARROW, NARROW + 1, 1, 1},
                                        {0, NARROW + 1, 1, 1}, {NARROW + 1, 2000, 0, 1},
                                        {0, 0, 1, 1},          {NARROW, 0, 1, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        int reached[SPMMI_VARIANT_MAX];
        const struct spmmi_wanted wanted = {ranges[i][0], ranges[i][1], 0, 0};
        spmmi_wanted_reach(plan, SPMMI_TARGET_CPU, &wanted, reached);
        for (uint32_t v = 0; v < plan->variant_count; v++)
            assert_int_equal(reached[v], plan->variants[v].n_min == 1 ? ranges[i][2] : ranges[i][3]);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* The parts must not be packed for narrower products, for example with layouts for one column. */
static void kept_variants_begin_where_wanted_products_do(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    struct spmmi_typed_plan typed;
    const struct spmmi_wanted wanted = {4, 0, 0, 0};
    assert_int_equal(spmmi_typed_plan(plan, plan->dtype, &typed, NULL), SPMM_OK);
    spmmi_typed_plan_want(&typed, SPMMI_TARGET_CPU, &wanted);
    assert_int_equal(typed.plan.variant_count, plan->variant_count);
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const int64_t was = plan->variants[v].n_min;
        assert_int_equal(typed.plan.variants[v].n_min, was == 1 ? 4 : was);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* If no variant is for the wanted n, the nearest one runs these products. Its range stays as it is, since it
 * must not begin after its end. */
static void a_variant_for_smaller_products_keeps_its_range(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, rows, a->name);
    struct spmmi_typed_plan typed;
    ranges_set(plan, 1, NARROW);
    for (int64_t n_min = NARROW; n_min <= NARROW + 1; n_min++) {
        const struct spmmi_wanted wanted = {n_min, 0, 0, 0};
        assert_int_equal(spmmi_typed_plan(plan, plan->dtype, &typed, NULL), SPMM_OK);
        spmmi_typed_plan_want(&typed, SPMMI_TARGET_CPU, &wanted);
        assert_int_equal(typed.plan.variant_count, 1);
        assert_int_equal(typed.plan.variants[0].n_min, n_min == NARROW ? NARROW : 1);
        assert_int_equal(typed.plan.variants[0].n_max, NARROW);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* An executor for products of one layout takes the parts of this layout only. */
static void a_layout_that_is_not_wanted_takes_no_memory(void **state)
{
    static const uint32_t layouts[] = {SPMM_LAYOUTS_ROW_MAJOR, SPMM_LAYOUTS_COL_MAJOR};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    const uint64_t bytes = host_bytes(plan, (spmm_executor_options_t){.threads = 0});
    ranges_set(plan, 1, SPMMI_N_MAX);
    for (int i = 0; i < 2; i++)
        plan->variants[i].layouts = layouts[i];
    for (int i = 0; i < 2; i++) {
        const spmm_executor_options_t one = {.layouts = layouts[i]},
                                      both = {.layouts = layouts[0] | layouts[1]};
        assert_true(host_bytes(plan, one) < bytes);
        assert_int_equal(host_bytes(plan, both), bytes);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* The certifier compares plans by all their variants. */
static void a_certifier_takes_the_plan_of_such_an_executor(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    spmm_executor_t *executor = executor_for(plan, (spmm_executor_options_t){.n_max = NARROW});
    spmm_certifier_t *certifier = NULL;
    assert_int_equal(spmm_certifier_create(plan, executor, NULL, &certifier, NULL), SPMM_OK);
    spmm_certifier_destroy(certifier);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void ops_that_are_not_wanted_are_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    struct test_plan_options both = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0};
    spmm_plan_t *plan = plan_of(a), *of_both = test_plan_whole(a, both, a->name);
    struct test_product turned = narrow;
    turned.op = SPMM_OP_T;
    spmm_executor_t *executor = executor_for(of_both, (spmm_executor_options_t){.ops = SPMM_OPS_N});
    struct test_dense b = test_product_b(a, SPMM_F32, &turned), c = test_product_c(a, SPMM_F32, &turned);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_T, &b.view, &c.view, &info, &diag),
                     SPMM_ERR_NO_VARIANT);
    assert_non_null(strstr(diag.text, "for op T, or the executor's options exclude this op"));
    test_product_check(executor, a, SPMM_F32, &narrow);
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    assert_int_equal(refused(plan, (spmm_executor_options_t){.ops = SPMM_OPS_T}, "no variant for the ops"),
                     SPMM_ERR_NO_VARIANT);
    spmm_plan_destroy(of_both);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void ranges_and_masks_are_checked(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    const spmm_executor_options_t wrong[] = {
        {.n_min = -1}, {.n_max = -1}, {.n_min = 9, .n_max = 8}, {.ops = 4}, {.layouts = 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(refused(plan, wrong[i], "expected"), SPMM_ERR_ARGUMENT);
    spmm_executor_destroy(executor_for(plan, (spmm_executor_options_t){.n_min = 8, .n_max = 8}));
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_products_are_as_they_were_and_take_less_memory),
        cmocka_unit_test(a_range_keeps_every_variant_that_it_meets),
        cmocka_unit_test(kept_variants_begin_where_wanted_products_do),
        cmocka_unit_test(a_variant_for_smaller_products_keeps_its_range),
        cmocka_unit_test(a_layout_that_is_not_wanted_takes_no_memory),
        cmocka_unit_test(a_certifier_takes_the_plan_of_such_an_executor),
        cmocka_unit_test(ops_that_are_not_wanted_are_refused),
        cmocka_unit_test(ranges_and_masks_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
