/* SPDX-License-Identifier: Apache-2.0 */
/* Products constructed to be close to the error bounds of docs/accuracy.md, on tensor cores. Every compute
 * type stays within its bound in every family and shape, and comes close to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tcblock_cases.h"
#include "tests/support/adversary.h"

/* For each compute type, the adversary that comes closest to the bound if a unit is summed in one go, and
 * the share of the bound that it must reach in at least one of the shapes. */
static const struct {
    spmm_compute_t compute;
    const char *adversary;
    double share;
} worst[] = {
    {SPMM_COMPUTE_TF32, "one product below ties", 0.99},
    {SPMM_COMPUTE_3XTF32, "lost thrice", 0.8},
    {SPMM_COMPUTE_F64, "lost one by one", 0.95},
    {SPMM_COMPUTE_F16, "lost one by one and cancelled", 0.45},
    {SPMM_COMPUTE_BF16, "lost one by one and cancelled", 0.45},
};
#define WORST_COUNT ((int)(sizeof worst / sizeof worst[0]))

/* Numbers of columns: one that is no multiple of 16 bytes, and tiles of warpgroups for 16-bit types and
 * for 3xtf32. */
static const int64_t widths[] = {TEST_ADVERSARY_COLUMNS, 64, 72};
#define WIDTH_COUNT 3

static double share_of(int adversary, const struct test_tcblock_case *of)
{
    const struct test_adversary_target target = {of->dtype, of->dtype == SPMM_F64 ? 53 : 23};
    struct test_matrix *a = test_adversary_matrix(adversary, &target);
    spmm_executor_t *executor = test_tcblock_executor(a, of);
    double largest = 0;
    for (int i = 0; i < WIDTH_COUNT; i++) {
        const double share =
            test_adversary_share(adversary, &target, a, executor, widths[i], test_cuda_product_run);
        if (!(share <= 1))
            fail_msg("%s, %s/%s, units of %u rows, items of %u steps, %d columns: %g of the bound of %s",
                     a->name, spmm_family_name(of->family), spmm_schedule_name(of->schedule), of->unit_rows,
                     of->item_size, (int)widths[i], share, spmm_compute_name(of->compute));
        largest = share > largest ? share : largest;
    }
    spmm_executor_destroy(executor);
    test_matrix_free(a);
    return largest;
}

static void every_compute_type_is_within_its_bound(void **state)
{
    (void)state;
    for (int adversary = 0; adversary < test_adversary_count(); adversary++)
        for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
            const struct test_tcblock_case of = test_tcblock_case(i);
            share_of(adversary, &of);
        }
}

static void every_compute_type_comes_near_its_bound(void **state)
{
    (void)state;
    double largest[WORST_COUNT] = {0};
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        for (int w = 0; w < WORST_COUNT; w++) {
            if (worst[w].compute != of.compute)
                continue;
            const double share = share_of(test_adversary_named(worst[w].adversary), &of);
            largest[w] = share > largest[w] ? share : largest[w];
        }
    }
    for (int w = 0; w < WORST_COUNT; w++) {
        print_message("%s: %s takes %.3f of the bound\n", spmm_compute_name(worst[w].compute),
                      worst[w].adversary, largest[w]);
        if (largest[w] < worst[w].share)
            fail_msg("%s takes less than %g of the bound of %s", worst[w].adversary, worst[w].share,
                     spmm_compute_name(worst[w].compute));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compute_type_is_within_its_bound),
        cmocka_unit_test(every_compute_type_comes_near_its_bound),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
