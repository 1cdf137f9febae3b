/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the CUDA runtime that a product on a GPU makes, which take most of the host's time: one launch
 * per kernel, and one query of the current device. No GPU is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_runtime.h"
#include "runtime_cases.h"

static void run(const struct runtime_product *product)
{
    const spmm_status_t status = runtime_product_run(product);
    if (status != SPMM_OK)
        fail_msg("%s: %s", product->name, spmm_status_name(status));
}

static void a_product_launches_its_kernels_and_asks_little_else(void **state)
{
    (void)state;
    for (int i = 0; i < runtime_case_count; i++) {
        const struct runtime_case *const of = &runtime_cases[i];
        struct runtime_product product;
        fake_runtime_forget();
        runtime_product_make(of, &product);
        run(&product);
        fake_runtime_count();
        run(&product);
        if (fake_runtime.launches != of->launches || fake_runtime.maps != of->maps ||
            fake_runtime.others != of->others || fake_runtime.device_asks != 1)
            fail_msg("%s: %d launches, %d maps, %d questions for the device, %d other calls (%s)",
                     product.name, fake_runtime.launches, fake_runtime.maps, fake_runtime.device_asks,
                     fake_runtime.others, fake_runtime.other != NULL ? fake_runtime.other : "none");
        assert_int_equal(fake_runtime.attributes, 0);
        assert_int_equal(fake_runtime.cluster_asks, 0);
        runtime_product_free(&product);
    }
}

/* Sets the shared memory of each kernel once. */
static void first_products_tell_the_driver_what_their_kernels_take(void **state)
{
    int told = 0;
    (void)state;
    for (int i = 0; i < runtime_case_count; i++) {
        struct runtime_product product;
        fake_runtime_forget();
        runtime_product_make(&runtime_cases[i], &product);
        fake_runtime_count();
        run(&product);
        assert_in_range(fake_runtime.attributes, 0, 2); /* kernels with clusters and without */
        told += fake_runtime.attributes > 0;
        runtime_product_free(&product);
    }
    assert_true(told >= 8);
}

/* After a reset of the device, a list of the attributes that were set must not be used any more. */
static void a_later_executor_tells_the_driver_again(void **state)
{
    static const struct runtime_case of = {
        "gen:fem3:9:9:40", "panel/dense", SPMM_F32, SPMM_ROW_MAJOR, 128, 0, 1, 0, 0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct runtime_product product;
        runtime_product_make(&of, &product);
        fake_runtime_forget();
        fake_runtime_count();
        run(&product);
        assert_int_equal(fake_runtime.attributes, 1);
        run(&product);
        assert_int_equal(fake_runtime.attributes, 1);
        runtime_product_free(&product);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_launches_its_kernels_and_asks_little_else),
        cmocka_unit_test(first_products_tell_the_driver_what_their_kernels_take),
        cmocka_unit_test(a_later_executor_tells_the_driver_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
