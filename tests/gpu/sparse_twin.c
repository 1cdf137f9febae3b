/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_twin.h. */
#include "sparse_twin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/product_state.h"
#include "kernels/spgemm/spgemm_items.h"
#include "kernels/spgemm/spgemm_longs.h"
#include "tests/support/dense.h"

static void *upload(const void *host, size_t bytes)
{
    void *data = NULL;
    TEST_CUDA(cudaMalloc(&data, bytes + 1));
    TEST_CUDA(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
    return data;
}

static void upload_values(struct sparse_twin *t, const struct test_sparse_product *p)
{
    spmm_csr_t operand = {.rows = 0};
    spmm_product_plan_info_t form = {.struct_size = sizeof form};
    assert_int_equal(spmm_plan_product(t->plan, &form), SPMM_OK);
    for (int m = 0; m < form.operand_count; m++) {
        assert_int_equal(spmm_plan_operand(t->plan, m, &operand, NULL), SPMM_OK);
        t->operand_bytes[m] = (size_t)operand.nnz * t->value_bytes;
        t->operand[m] = upload(t->values.operand[m], t->operand_bytes[m]);
    }
    if (!p->diagonal)
        return;
    const struct test_matrix *first = p->factor[0];
    t->diagonal_bytes = (size_t)(p->op[0] == SPMM_OP_T ? first->rows : first->cols) * t->value_bytes;
    t->diagonal = upload(t->values.diagonal, t->diagonal_bytes);
}

/* Checks that the kernel `columns` holds no more device memory than the plan predicts. */
static void expect_costs(const struct sparse_twin *t)
{
    spmm_product_costs_t costs = {.struct_size = sizeof costs};
    assert_int_equal(spmm_plan_product_costs(t->plan, 0, &costs, NULL), SPMM_OK);
    if (strstr(t->info.kernel, "/columns") != NULL)
        assert_true(t->info.device_bytes <= costs.device_columns_bytes);
}

struct sparse_twin sparse_twin_make(const struct test_sparse_product *p, const char *kernel, uint64_t budget)
{
    struct sparse_twin t = {.plan = test_sparse_plan(p), .info = {.struct_size = sizeof t.info}};
    uint64_t bytes = 0;
    t.value_bytes = spmm_dtype_size(p->dtype);
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    options.force_kernel = kernel;
    options.device_budget_bytes = budget;
    assert_int_equal(spmm_product_create(t.plan, 0, &options, &t.gpu, NULL), SPMM_OK);
    assert_int_equal(spmm_product_create(t.plan, SPMM_DEVICE_CPU, NULL, &t.cpu, NULL), SPMM_OK);
    assert_int_equal(spmm_product_info(t.gpu, &t.info), SPMM_OK);
    assert_int_equal(t.info.device, 0);
    assert_memory_equal(t.info.kernel, "cuda/product/", 13);
    expect_costs(&t);
    assert_int_equal(spmm_product_workspace_bytes(t.gpu, &bytes), SPMM_OK);
    t.values = test_sparse_values(p);
    t.expected = calloc((size_t)t.info.nnz + 1, t.value_bytes);
    t.found = calloc((size_t)t.info.nnz + 1, t.value_bytes);
    assert_non_null(t.expected);
    assert_non_null(t.found);
    upload_values(&t, p);
    t.workspace = test_cuda_workspace_make(bytes);
    t.c = test_cuda_workspace_make((uint64_t)t.info.nnz * t.value_bytes);
    return t;
}

void sparse_twin_free(struct sparse_twin *t)
{
    for (int m = 0; m < SPMM_PRODUCT_FACTORS; m++)
        TEST_CUDA(cudaFree(t->operand[m]));
    TEST_CUDA(cudaFree(t->diagonal));
    test_cuda_workspace_free(&t->workspace);
    test_cuda_workspace_free(&t->c);
    test_sparse_values_free(&t->values);
    free(t->expected);
    free(t->found);
    spmm_product_destroy(t->cpu);
    spmm_product_destroy(t->gpu);
    spmm_plan_destroy(t->plan);
}

void sparse_twin_run_cpu(struct sparse_twin *t, double alpha, double beta)
{
    uint64_t bytes = 0;
    assert_int_equal(spmm_product_workspace_bytes(t->cpu, &bytes), SPMM_OK);
    void *workspace = aligned_alloc(256, (bytes / 256 + 1) * 256);
    assert_non_null(workspace);
    assert_int_equal(spmm_product_execute(t->cpu, spmm_real(alpha), (const void *const *)t->values.operand,
                                          t->values.diagonal, spmm_real(beta), t->expected, workspace, bytes,
                                          NULL, NULL),
                     SPMM_OK);
    free(workspace);
}

void sparse_twin_enqueue(const struct sparse_twin *t, double alpha, double beta, void *stream)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    if (spmm_product_execute(t->gpu, spmm_real(alpha), (const void *const *)t->operand, t->diagonal,
                             spmm_real(beta), t->c.data, t->workspace.data, t->workspace.bytes, stream,
                             &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
}

void sparse_twin_poison(const struct sparse_twin *t)
{
    TEST_CUDA(cudaMemset(t->workspace.data, 0xff, (size_t)t->workspace.bytes));
    TEST_CUDA(cudaMemset(t->c.data, 0xff, (size_t)t->c.bytes));
}

void sparse_twin_run(struct sparse_twin *t, double alpha, double beta)
{
    sparse_twin_enqueue(t, alpha, beta, NULL);
    TEST_CUDA(cudaDeviceSynchronize());
    TEST_CUDA(cudaMemcpy(t->found, t->c.data, (size_t)t->info.nnz * t->value_bytes, cudaMemcpyDeviceToHost));
}

/* Returns true if entry q has the same bits on both devices, or is NaN on both: the bits of a NaN depend
 * on the machine. */
static int is_same(const struct sparse_twin *t, int64_t q)
{
    const char *a = (const char *)t->expected + (size_t)q * t->value_bytes,
               *b = (const char *)t->found + (size_t)q * t->value_bytes;
    if (memcmp(a, b, t->value_bytes) == 0)
        return 1;
    return isnan(test_value_get(t->info.dtype, t->expected, q)) &&
           isnan(test_value_get(t->info.dtype, t->found, q));
}

void sparse_twin_expect(const struct sparse_twin *t, const struct test_sparse_product *p)
{
    for (int64_t q = 0; q < t->info.nnz; q++)
        if (!is_same(t, q))
            fail_msg("%s, %d factors, pieces of %lld: entry %lld of %lld is %.17g, expected %.17g",
                     p->factor[0]->name, p->count, (long long)p->piece_products, (long long)q,
                     (long long)t->info.nnz, test_value_get(t->info.dtype, t->found, q),
                     test_value_get(t->info.dtype, t->expected, q));
}

void sparse_twin_check_with(struct sparse_twin *t, const struct test_sparse_product *p, double alpha,
                            double beta)
{
    sparse_twin_run_cpu(t, alpha, beta);
    sparse_twin_run(t, alpha, beta);
    sparse_twin_expect(t, p);
}

void sparse_twin_check(struct sparse_twin *t, const struct test_sparse_product *p)
{
    sparse_twin_check_with(t, p, 1, 0);
}

/* Checks the lists of long entries. Kernel columns, which products with small budgets run, has lists only
 * of those entries that the plan format calls long. */
static void expect_lists(const struct spmmi_spgemm_stage *stage)
{
    struct spmmi_spgemm_longs all = {.count = 0}, least = {.count = 0};
    uint64_t bytes = 0;
    assert_int_equal(spmmi_spgemm_longs_make(stage, 1, UINT64_MAX, &all, &bytes, NULL), SPMM_OK);
    assert_int_equal(spmmi_spgemm_longs_make(stage, 0, UINT64_MAX, &least, &bytes, NULL), SPMM_OK);
    assert_true(all.count > 0 && least.count <= all.count);
    for (uint32_t e = 0; e < least.count; e++)
        assert_true(least.entries[e].products > SPMMI_SPGEMM_STRETCH);
    spmmi_spgemm_longs_free(&least);
    spmmi_spgemm_longs_free(&all);
}

void sparse_twin_check_long(const struct test_sparse_product *p, const char *kernel)
{
    struct sparse_twin t = sparse_twin_make(p, kernel, 0);
    expect_lists(&t.cpu->stages[p->count - 2]);
    sparse_twin_check(&t, p);
    sparse_twin_check_with(&t, p, 0.5, -3);
    sparse_twin_free(&t);
}

void sparse_twin_expect_turns(const struct sparse_twin *t)
{
    const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER,
                                               t->info.dtype};
    struct spmmi_spgemm_items items;
    int has_turns = 0;
    assert_int_equal(spmmi_spgemm_items_make(&t->cpu->stages[0], &wanted, 1, UINT64_MAX, &items, NULL),
                     SPMM_OK);
    for (uint32_t b = 0; b < items.bins.count; b++) {
        const struct spmmi_spgemm_bin *bin = &items.bins.bin[b];
        has_turns |= bin->is_flat && !bin->is_narrow && bin->is_partial == (t->info.cut_rows > 0);
    }
    assert_true(has_turns);
    spmmi_spgemm_items_free(&items);
}

void sparse_twin_check_pair(const struct test_pattern *left, const struct test_pattern *right,
                            struct test_sparse_product p, const char *kernel, int64_t cut_rows,
                            void (*expect)(const struct sparse_twin *))
{
    struct test_matrix *const pair[] = {test_matrix_of(left, TEST_VALUES_REAL),
                                        test_matrix_of(right, TEST_VALUES_REAL)};
    p.count = 2;
    memcpy(p.factor, pair, sizeof pair);
    for (int i = 0; i < 2; i++) {
        p.dtype = i == 0 ? SPMM_F64 : SPMM_F32;
        struct sparse_twin t = sparse_twin_make(&p, kernel, 0);
        assert_non_null(strstr(t.info.kernel, kernel));
        assert_int_equal(t.info.cut_rows, cut_rows);
        if (expect != NULL)
            expect(&t);
        sparse_twin_check(&t, &p);
        sparse_twin_free(&t);
    }
    test_matrix_free(pair[0]);
    test_matrix_free(pair[1]);
}
