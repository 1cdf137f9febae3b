/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of tensor_probe find the constants of software models of tensor cores. No GPU is
 * needed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tensor_measure.h"

static const struct tensor_constants models[] = {
    {25, 8, TENSOR_TO_ZERO, TENSOR_TO_ZERO, TENSOR_TO_ZERO, 1, TENSOR_ASCENDING},
    {24, 4, TENSOR_TO_ZERO, TENSOR_TO_ZERO, TENSOR_TO_NEAREST, 0, TENSOR_DESCENDING},
    {24, 8, TENSOR_DOWN, TENSOR_TO_NEAREST, TENSOR_AWAY, 1, TENSOR_ASCENDING},
    {26, 4, TENSOR_TO_NEAREST, TENSOR_DOWN, TENSOR_TO_ZERO, 0, TENSOR_DESCENDING},
};
#define MODEL_COUNT (sizeof models / sizeof models[0])

/* Gives every instruction the same constants. If groups have 8 products, instructions with 16 products
 * group all 16. */
static void fill_constants(const struct tensor_constants *model, struct tensor_constants of[TENSOR_MMA_COUNT])
{
    for (int i = 0; i < TENSOR_MMA_COUNT; i++) {
        of[i] = *model;
        if (model->group == 8)
            of[i].group = tensor_formats[i].k;
    }
}

static void constants_of_a_model_are_found(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODEL_COUNT; m++) {
        struct tensor_constants of[TENSOR_MMA_COUNT];
        fill_constants(&models[m], of);
        for (int i = 0; i < TENSOR_F64_K8; i++) {
            const struct tensor_findings found = tensor_measure((enum tensor_mma)i, tensor_run_model, of);
            assert_int_equal(found.constants.kept_bits, of[i].kept_bits);
            assert_int_equal(found.constants.group, of[i].group);
            assert_true(found.group_is_regular);
            assert_int_equal(found.constants.aligned, of[i].aligned);
            assert_int_equal(found.constants.result, of[i].result);
            assert_int_equal(found.constants.operand, i == TENSOR_TF32_K8 ? of[i].operand : TENSOR_OTHERWISE);
            assert_int_equal(found.constants.is_nominal, of[i].is_nominal);
            assert_true(found.products_align_by_factors);
            assert_int_equal(found.model_matches, found.model_tried);
            assert_null(tensor_broken_promise((enum tensor_mma)i, &found));
            assert_true(found.bound_share > 0.2); /* the random numbers come close to the bound */
        }
    }
}

static void the_order_of_f64_is_found(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODEL_COUNT; m++) {
        struct tensor_constants of[TENSOR_MMA_COUNT];
        fill_constants(&models[m], of);
        const struct tensor_findings found = tensor_measure(TENSOR_F64_K8, tensor_run_model, of);
        assert_int_equal(found.constants.order, models[m].order);
        assert_null(tensor_broken_promise(TENSOR_F64_K8, &found));
    }
}

/* Models that break a promise, each by a change to the dot products of a good model. */
enum fault { FLUSHES_FACTORS, FLUSHES_RESULTS, SATURATES, DROPS_NAN, IS_COARSE, FAULT_COUNT };

static int run_faulty(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count)
{
    const enum fault fault = *(const enum fault *)context;
    const struct tensor_format *format = &tensor_formats[mma];
    struct tensor_constants of[TENSOR_MMA_COUNT];
    fill_constants(&models[0], of);
    for (int i = 0; i < count; i++) {
        struct tensor_dot dot = dots[i];
        for (int k = 0; k < format->k && fault == FLUSHES_FACTORS; k++)
            if (fabs(dot.a[k]) < ldexp(1, format->exponent_min))
                dot.a[k] = 0;
        double d = tensor_model(&of[mma], mma, &dot);
        if (fault == FLUSHES_RESULTS && fabs(d) < ldexp(1, mma == TENSOR_F64_K8 ? -1022 : -126))
            d = 0;
        if (fault == SATURATES && isinf(d))
            d = copysign(mma == TENSOR_F64_K8 ? 0x1p1023 : 0x1p127, d);
        if (fault == DROPS_NAN && isnan(d))
            d = 0;
        if (fault == IS_COARSE)
            d *= 1 - (mma == TENSOR_F64_K8 ? 0x1p-48 : 0x1p-18);
        dots[i].d = d;
    }
    return 0;
}

static void broken_promises_are_seen(void **state)
{
    (void)state;
    for (int fault = 0; fault < FAULT_COUNT; fault++)
        for (int i = 0; i < TENSOR_MMA_COUNT; i++) {
            enum fault context = (enum fault)fault;
            const struct tensor_findings found = tensor_measure((enum tensor_mma)i, run_faulty, &context);
            assert_non_null(tensor_broken_promise((enum tensor_mma)i, &found));
        }
    struct tensor_constants few[TENSOR_MMA_COUNT];
    fill_constants(&models[0], few);
    for (int i = 0; i < TENSOR_F64_K8; i++) {
        few[i].kept_bits = 23;
        const struct tensor_findings found = tensor_measure((enum tensor_mma)i, tensor_run_model, few);
        assert_string_equal(tensor_broken_promise((enum tensor_mma)i, &found),
                            "what is aligned keeps 24 bits");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_a_model_are_found),
        cmocka_unit_test(the_order_of_f64_is_found),
        cmocka_unit_test(broken_promises_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
