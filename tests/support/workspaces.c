/* SPDX-License-Identifier: Apache-2.0 */
/* See workspaces.h. */
#include "workspaces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel_plans.h"
#include "products.h"

#define TURNS 8 /* types x ops */

struct products {
    const spmm_executor_t *executor;
    int64_t m, k;
    spmm_dtype_t b_type, c_type;
    spmm_op_t op;
    spmm_layout_t b_layout, c_layout;
};

/* Describes B or C. way 0: smallest ld; 1: whole cache lines; 2: an odd ld; 3: whole cache lines, with data
 * that start in the middle of a 16-byte word */
static spmm_dense_t operand(int64_t rows, int64_t n, spmm_layout_t layout, spmm_dtype_t dtype, int way)
{
    const int64_t least = layout == SPMM_ROW_MAJOR ? n : rows;
    const int64_t leading[] = {least, (least + 63) / 64 * 64, least | 1, (least + 63) / 64 * 64};
    void *const data = (void *)(uintptr_t)(way == 3 ? 4096 + spmm_dtype_size(dtype) : 4096);
    return (spmm_dense_t){data, rows, n, leading[way], layout, dtype};
}

/* Returns the workspace bytes, or 0 if no part of the plan supports the types. */
static uint64_t bytes_of(const struct products *of, int64_t n, int b_way, int c_way)
{
    const spmm_dense_t b = operand(of->k, n, of->b_layout, of->b_type, b_way);
    const spmm_dense_t c = operand(of->m, n, of->c_layout, of->c_type, c_way);
    uint64_t bytes = 0;
    const spmm_status_t status = spmm_executor_workspace_bytes(of->executor, of->op, &b, &c, &bytes, NULL);
    assert_true(status == SPMM_OK || status == SPMM_ERR_NO_VARIANT);
    return bytes;
}

static uint64_t max_of(const struct products *of, int64_t n_max)
{
    uint64_t bytes = 0;
    spmm_diag_t diag = {.text = ""};
    if (spmm_executor_workspace_max(of->executor, of->op, n_max, of->b_layout, of->c_layout, &bytes, &diag) !=
        SPMM_OK)
        fail_msg("%s", diag.text);
    return bytes;
}

/* Returns the maximum that products of these types need. Fails the test if it exceeds `most`. */
static uint64_t reached_by(const struct products *of, int64_t n_max, uint64_t most)
{
    uint64_t reached = 0;
    for (int64_t n = 0; n <= n_max; n++)
        for (int way = 0; way < 8; way++) {
            const uint64_t bytes = bytes_of(of, n, way % 4, (way / 4 + way) % 4);
            reached = bytes > reached ? bytes : reached;
            if (bytes > most)
                fail_msg("B %s, C %s, n = %lld of %lld: %llu bytes, more than the maximum %llu",
                         spmm_dtype_name(of->b_type), spmm_dtype_name(of->c_type), (long long)n,
                         (long long)n_max, (unsigned long long)bytes, (unsigned long long)most);
        }
    return reached;
}

static uint64_t layouts_check(struct products *of, spmm_dtype_t a_type, int64_t n_max)
{
    const uint64_t most = max_of(of, n_max);
    uint64_t reached = 0;
    spmm_types_info_t types = {.struct_size = sizeof types};
    for (int i = 0; spmm_types_at(i, &types) == SPMM_OK; i++) {
        if (types.a_type != a_type)
            continue;
        of->b_type = types.b_type;
        of->c_type = types.c_type;
        const uint64_t bytes = reached_by(of, n_max, most);
        reached = bytes > reached ? bytes : reached;
    }
    assert_int_equal(reached, most);
    assert_true(max_of(of, n_max / 2) <= most);
    return most;
}

uint64_t test_workspace_max_check(const spmm_executor_t *executor, const struct test_matrix *a,
                                  spmm_dtype_t dtype, spmm_op_t op, int64_t n_max)
{
    uint64_t most = 0;
    for (int layouts = 0; layouts < 4; layouts++) {
        struct products of = {.executor = executor,
                              .m = op == SPMM_OP_N ? a->rows : a->cols,
                              .k = op == SPMM_OP_N ? a->cols : a->rows,
                              .op = op,
                              .b_layout = (spmm_layout_t)(layouts & 1),
                              .c_layout = (spmm_layout_t)(layouts >> 1)};
        const uint64_t bytes = layouts_check(&of, dtype, n_max);
        most = bytes > most ? bytes : most;
    }
    return most;
}

void test_workspace_max_of_kernels(const char *target, int device, int64_t n_max)
{
    static const char *const names[] = {"power law", "dense row among sparse", "2 x 6000 short-fat"};
    spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
    const int count = test_kernels_of(target, kernels);
    int with_workspace = 0;
    for (int turn = 0; turn < TURNS * count; turn++) {
        const spmm_kernel_info_t *kernel = &kernels[turn % count];
        const int at = turn / count;
        const spmm_dtype_t dtype = test_kernel_type(kernel, at);
        struct test_matrix *a = test_matrix_named(names[at % 3], TEST_VALUES_REAL);
        spmm_plan_t *plan = test_kernel_plan(kernel, a, dtype, at);
        spmm_executor_t *executor = test_executor_make(plan, device, 1, NULL);
        with_workspace += test_workspace_max_check(executor, a, dtype, (spmm_op_t)(at / 4), n_max) > 0;
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_true(with_workspace > count);
}
