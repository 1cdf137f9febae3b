/* SPDX-License-Identifier: Apache-2.0 */
/* Executors for some products alone, or with less memory than all parts take: less memory, the same bits, and what the
 * others meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "executor/give_up.h"
#include "format/base/alloc.h"
#include "tests/support/dense.h"
#include "tests/support/plan_build.h"
#include "tests/support/plan_seal.h"
#include "tests/support/products.h"

#define NARROW 8 /* columns that rows run, tiled runs more */

static const struct test_product narrow = {.n = 4, .alpha = 1, .values = TEST_VALUES_REAL};
static const struct test_product wide = {.n = 40, .alpha = 1, .values = TEST_VALUES_REAL};

static void ranges_set(spmm_plan_t *plan, int64_t n_min, int64_t n_max)
{
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        plan->variants[i].n_min = n_min;
        plan->variants[i].n_max = n_max;
        plan->variants[i].target = SPMMI_TARGET_CPU; /* of no GPU: else rows run in place of tiled */
    }
}

static spmm_plan_t *plan_of(const struct test_matrix *a)
{
    const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    const struct test_plan_options tiled = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, rows, a->name), *more = test_plan_whole(a, tiled, a->name);
    ranges_set(plan, 1, NARROW);
    ranges_set(more, NARROW + 1, SPMMI_N_MAX);
    test_plan_join(plan, more);
    return plan;
}

static spmm_executor_t *executor_for(const spmm_plan_t *plan, spmm_executor_options_t options)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    options.struct_size = sizeof options;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static uint64_t host_bytes(const spmm_plan_t *plan, spmm_executor_options_t options)
{
    uint64_t counted = 0;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    options.struct_size = sizeof options;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &counted, NULL, NULL),
                     SPMM_OK);
    spmm_executor_t *executor = executor_for(plan, options);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_true(info.host_bytes <= counted);
    spmm_executor_destroy(executor);
    return info.host_bytes;
}

/* The kernel of a product, and whether it is the nearest alone; its C stays in *c. */
static int run(spmm_executor_t *executor, const struct test_matrix *a, const struct test_product *product,
               char kernel[64], struct test_dense *c)
{
    spmm_executor_info_t info = {.struct_size = sizeof info};
    struct test_dense b = test_product_b(a, SPMM_F32, product);
    *c = test_product_c(a, SPMM_F32, product);
    assert_int_equal(spmm_executor_info(executor, product->op, &b.view, &c->view, &info, NULL), SPMM_OK);
    test_product_run(executor, product, &b, c);
    test_dense_free(&b);
    memcpy(kernel, info.kernel, 64);
    return info.fallback;
}

static void expect_same(spmm_executor_t *all, spmm_executor_t *some, const struct test_matrix *a,
                        const struct test_product *product)
{
    struct test_dense c[2];
    char kernel[2][64];
    assert_int_equal(run(all, a, product, kernel[0], &c[0]), 0);
    assert_int_equal(run(some, a, product, kernel[1], &c[1]), 0);
    assert_string_equal(kernel[0], kernel[1]);
    assert_int_equal(c[0].block_bytes, c[1].block_bytes);
    assert_memory_equal(c[0].block, c[1].block, c[0].block_bytes);
    test_dense_free(&c[0]);
    test_dense_free(&c[1]);
}

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
        /* The other product runs by what is there. */
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

/* A range that both variants meet, and one of them by its last column alone. */
static void a_range_keeps_every_variant_that_it_meets(void **state)
{
    static const int64_t ranges[][4] = {/* n_min, n_max, are they reached? */
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

/* So that parts do not pack for fewer columns: forms for one column, for example. */
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

/* The certifier tells plans by all of their variants. */
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

static spmm_status_t refused(const spmm_plan_t *plan, spmm_executor_options_t options, const char *why)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    options.struct_size = sizeof options;
    const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag);
    assert_null(executor);
    if (strstr(diag.text, why) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", diag.text, why);
    return status;
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
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_T, &b.view, &c.view, &info, NULL),
                     SPMM_ERR_NO_VARIANT);
    test_product_check(executor, a, SPMM_F32, &narrow);
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    assert_int_equal(refused(plan, (spmm_executor_options_t){.ops = SPMM_OPS_T}, "no variant of the ops"),
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
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Times of both families for the variant of rows and for that of tiled. */
static void times_set(spmm_plan_t *plan, const double us[2][2])
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS, SPMM_FAMILY_TILED};
    spmmi_free(plan->trace);
    plan->trace = spmmi_alloc_zero(4, sizeof *plan->trace);
    assert_non_null(plan->trace);
    plan->trace_count = 4;
    for (uint32_t t = 0; t < 4; t++) {
        struct spmmi_trace *step = &plan->trace[t];
        step->variant = t / 2;
        step->family = families[t % 2];
        step->schedule = t % 2 == 0 ? SPMM_SCHEDULE_NONZERO_SPLIT : SPMM_SCHEDULE_WHOLE;
        step->predicted_us = us[t / 2][t % 2];
    }
}

static uint64_t bytes_needed(const spmm_plan_t *plan, spmm_executor_options_t options)
{
    uint64_t bytes = 0;
    options.struct_size = sizeof options;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &bytes, NULL, NULL),
                     SPMM_OK);
    return bytes;
}

/* Of two parts of about the same size, the one whose products lose less; those of the other are as they were. */
static void within_a_budget_the_part_that_loses_least_is_given_up(void **state)
{
    static const double us[2][2][2] = {{{1, 4}, {2, 1}}, {{1, 2}, {40, 1}}};
    const struct test_product *const products[] = {&narrow, &wide};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    spmm_executor_t *all = executor_for(plan, (spmm_executor_options_t){.threads = 0});
    const uint64_t needed = bytes_needed(plan, (spmm_executor_options_t){.threads = 0});
    for (int kept = 0; kept < 2; kept++) {
        const spmm_executor_options_t options = {.host_budget_bytes = needed - 1};
        char kernel[64];
        struct test_dense c;
        times_set(plan, us[kept]);
        spmm_executor_t *executor = executor_for(plan, options);
        expect_same(all, executor, a, products[kept]);
        assert_int_equal(run(executor, a, products[1 - kept], kernel, &c), 1);
        assert_non_null(strstr(kernel, kept == 0 ? "cpu/rows" : "cpu/tiled"));
        test_dense_free(&c);
        test_product_check(executor, a, SPMM_F32, products[1 - kept]);
        assert_true(bytes_needed(plan, options) < needed && host_bytes(plan, options) < needed);
        spmm_executor_destroy(executor);
    }
    spmm_executor_destroy(all);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A part that is too large alone is given up whatever it loses; where each is, or the kernel is forced, there is no
 * executor. */
static void a_budget_below_a_part_refuses_it(void **state)
{
    static const double us[2][2] = {{1, 9}, {9, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    times_set(plan, us);
    const uint64_t rows = bytes_needed(plan, (spmm_executor_options_t){.n_max = NARROW}),
                   tiled = bytes_needed(plan, (spmm_executor_options_t){.n_min = NARROW + 1});
    const uint64_t smaller = rows < tiled ? rows : tiled, larger = rows < tiled ? tiled : rows;
    const spmm_executor_options_t least = {.host_budget_bytes = (smaller + larger) / 2},
                                  none = {.host_budget_bytes = smaller - 1};
    spmm_executor_options_t forced = least;
    forced.force_kernel = rows < tiled ? "tiled" : "rows";
    assert_true(bytes_needed(plan, least) <= least.host_budget_bytes);
    spmm_executor_destroy(executor_for(plan, least));
    assert_int_equal(refused(plan, none, "are allowed"), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(refused(plan, forced, "are allowed"), SPMM_ERR_PLAN_BUDGET);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Parts are counted in bytes as well: that of more bytes goes where both lose the same, and one whose rows of C are in
 * another order runs for none. */
static void what_is_given_up(void **state)
{
    static const double us[2][2] = {{1, 2}, {2, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a);
    times_set(plan, us);
    for (uint32_t large = 0; large < 2; large++) {
        struct spmmi_typed_plan typed;
        uint64_t bytes[SPMMI_PART_MAX] = {100, 100}, given_up = 0;
        bytes[large] = 101;
        assert_int_equal(spmmi_typed_plan(plan, plan->dtype, &typed, NULL), SPMM_OK);
        assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
        assert_int_equal(given_up, 1u << large);
        assert_int_equal(typed.plan.variants[large].part_first, 1 - large);
        assert_false(spmmi_plan_give_up(&typed, bytes, &given_up));
        assert_int_equal(spmmi_typed_plan(plan, plan->dtype, &typed, NULL), SPMM_OK);
        typed.plan.parts[large].flags |= SPMMI_PART_PERMUTES_OUTPUT;
        assert_false(spmmi_plan_give_up(&typed, bytes, &given_up));
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_products_are_as_they_were_and_take_less_memory),
        cmocka_unit_test(a_range_keeps_every_variant_that_it_meets),
        cmocka_unit_test(kept_variants_begin_where_wanted_products_do),
        cmocka_unit_test(a_certifier_takes_the_plan_of_such_an_executor),
        cmocka_unit_test(ops_that_are_not_wanted_are_refused),
        cmocka_unit_test(ranges_and_masks_are_checked),
        cmocka_unit_test(within_a_budget_the_part_that_loses_least_is_given_up),
        cmocka_unit_test(a_budget_below_a_part_refuses_it),
        cmocka_unit_test(what_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
