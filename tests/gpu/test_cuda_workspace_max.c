/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum workspace is enough for every n, type, layout and op of every kernel of the GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/workspaces.h"

#define N_MAX 600

static void is_enough_for_every_kernel_type_layout_and_op(void **state)
{
    (void)state;
    test_workspace_max_of_kernels("cuda", 0, N_MAX);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_enough_for_every_kernel_type_layout_and_op)};
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
