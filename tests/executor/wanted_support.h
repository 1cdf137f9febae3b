/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of executors for only some products: a plan of several parts, executors for it, and their
 * products. */
#ifndef TEST_WANTED_SUPPORT_H
#define TEST_WANTED_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "executor/typed_plan.h"
#include "tests/support/dense.h"
#include "tests/support/plan_build.h"
#include "tests/support/plan_seal.h"
#include "tests/support/products.h"

#define NARROW 8 /* rows run up to this n, tiled larger n */

static const struct test_product narrow = {.n = 4, .alpha = 1, .values = TEST_VALUES_REAL};
static const struct test_product wide = {.n = 40, .alpha = 1, .values = TEST_VALUES_REAL};

static inline void ranges_set(spmm_plan_t *plan, int64_t n_min, int64_t n_max)
{
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        plan->variants[i].n_min = n_min;
        plan->variants[i].n_max = n_max;
        plan->variants[i].target = SPMMI_TARGET_CPU; /* not a GPU: else rows replace tiled */
    }
}

static inline spmm_plan_t *plan_of(const struct test_matrix *a)
{
    const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    const struct test_plan_options tiled = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, rows, a->name), *more = test_plan_whole(a, tiled, a->name);
    ranges_set(plan, 1, NARROW);
    ranges_set(more, NARROW + 1, SPMMI_N_MAX);
    test_plan_join(plan, more);
    return plan;
}

static inline spmm_executor_t *executor_for(const spmm_plan_t *plan, spmm_executor_options_t options)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    options.struct_size = sizeof options;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static inline uint64_t host_bytes(const spmm_plan_t *plan, spmm_executor_options_t options)
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

/* Runs a product. Sets its kernel and *c, which the caller frees. Returns 1 if the variant was not chosen for
 * this product (fallback). */
static inline int run(spmm_executor_t *executor, const struct test_matrix *a,
                      const struct test_product *product, char kernel[64], struct test_dense *c)
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

static inline void expect_same(spmm_executor_t *all, spmm_executor_t *some, const struct test_matrix *a,
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

static inline spmm_status_t refused(const spmm_plan_t *plan, spmm_executor_options_t options, const char *why)
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

#endif
