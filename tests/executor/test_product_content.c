/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of sparse products whose content was changed, with right checksums. Loading the plan or making the
 * product refuses it with a message, or the product has the pattern and the bits that the rule defines.
 * SPMM_TEST_SEED=N repeats one case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "tests/support/scale.h"
#include "tests/support/sparse_products.h"
#include "tests/support/stream.h"

#define PLANS 4000
#define BUDGET (UINT64_C(32) << 20)

static const int64_t edges[] = {0, 1, -1, 2, 3, 4, INT32_MAX, INT64_C(2147483646), INT64_MAX, 255, 65536};

static void change_number(struct test_stream *s, int64_t *number)
{
    if (test_stream_chance(s, 50))
        *number += test_stream_chance(s, 50) ? 1 : -1;
    else
        *number = edges[test_stream_below(s, sizeof edges / sizeof edges[0])];
}

static void change_columns(struct test_stream *s, int32_t *columns, int64_t count, int64_t cols)
{
    if (count > 0)
        columns[test_stream_below(s, (uint64_t)count)] = (int32_t)test_stream_below(s, (uint64_t)cols + 1);
}

/* Moves an entry from one row to the next, so that the total does not change. */
static void change_rows(struct test_stream *s, int64_t *row_ptr, int64_t rows)
{
    if (rows < 2)
        return;
    int64_t *end = &row_ptr[1 + test_stream_below(s, (uint64_t)rows - 1)];
    if (test_stream_chance(s, 50) && *end < end[1])
        (*end)++;
    else if (*end > end[-1])
        (*end)--;
}

static int is_in_range(const struct spmmi_spgemm_matrix *a)
{
    int64_t q = 0;
    while (q < a->nnz && a->col_ind[q] < a->cols)
        q++;
    return q == a->nnz;
}

/* Recomputes the digests and, in most cases, the product counts, so that other checks must find the error. */
static void seal(struct test_stream *s, spmm_plan_t *p)
{
    struct spmmi_spgemm *g = p->product;
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g) && m < SPMMI_SPGEMM_MATRICES; m++) {
        struct spmmi_spgemm_matrix *a = &g->matrices[m];
        if (a->row_ptr != NULL)
            spmmi_digest_pattern(a->rows, a->cols, a->row_ptr, a->col_ind, a->digest);
    }
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, p->pattern_digest);
    (void)spmmi_stats_compute(p->rows, p->cols, p->row_ptr, p->col_ind, NULL, p->dtype, &p->stats);
    const struct spmmi_csr_pattern f0 = spmmi_spgemm_pattern_of(&g->matrices[g->factor_operand[0]]),
                                   f1 = spmmi_spgemm_pattern_of(&g->matrices[g->factor_operand[1]]);
    if (g->factor_count == 2 && is_in_range(&g->matrices[0]) && test_stream_chance(s, 80))
        (void)spmmi_spgemm_count(&f0, (spmm_op_t)g->factor_op[0], &f1, (spmm_op_t)g->factor_op[1],
                                 &g->products[0]);
}

static void change(struct test_stream *s, spmm_plan_t *p)
{
    struct spmmi_spgemm *g = p->product;
    struct spmmi_spgemm_matrix *a = &g->matrices[test_stream_below(s, spmmi_spgemm_matrices(g))];
    int64_t piece = (int64_t)g->piece_products, products = (int64_t)g->products[0];
    switch (test_stream_below(s, 8)) {
    case 0:
        change_number(s, &piece);
        g->piece_products = (uint64_t)piece;
        break;
    case 1:
        change_number(s, &products);
        g->products[0] = (uint64_t)products;
        return; /* keeps the wrong count */
    case 2:
        change_columns(s, a->col_ind, a->nnz, a->cols);
        break;
    case 3:
        change_columns(s, p->col_ind, p->nnz, p->cols);
        break;
    case 4:
        change_rows(s, a->row_ptr, a->rows);
        break;
    case 5:
        change_rows(s, p->row_ptr, p->rows);
        break;
    case 6:
        g->flags ^= 1u << test_stream_below(s, 2);
        break;
    default:
        break;
    }
    seal(s, p);
}

static void one_plan(uint64_t seed, const struct test_matrix *a, const struct test_matrix *b, int tally[3])
{
    struct test_stream s = test_stream_of_seed(seed);
    const struct test_sparse_product products[] = {
        {.count = 2, .factor = {a, a}, .op = {SPMM_OP_N, SPMM_OP_T}, .dtype = SPMM_F64},
        {.count = 2, .factor = {b, b}, .op = {SPMM_OP_T, SPMM_OP_N}, .lower = 1, .dtype = SPMM_F32},
        {.count = 3, .factor = {b, b, a}, .op = {SPMM_OP_N, SPMM_OP_T, SPMM_OP_N}, .dtype = SPMM_F64}};
    const struct test_sparse_product *of = &products[test_stream_below(&s, 2 + (a->rows == b->rows))];
    spmm_plan_t *plan = test_sparse_plan(of), *loaded = NULL;
    const spmm_product_executor_options_t options = {.struct_size = sizeof options,
                                                     .threads = 2,
                                                     .force_kernel = seed % 2 ? "positions" : "columns",
                                                     .host_budget_bytes = BUDGET,
                                                     .products_max = 1 << 22};
    const spmm_load_options_t load = {sizeof load, BUDGET, 1};
    spmm_product_t *product = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    void *bytes = NULL;
    size_t size = 0;
    change(&s, plan);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    spmm_status_t status = spmm_plan_read(bytes, size, &load, &loaded, &diag);
    tally[0] += status != SPMM_OK;
    assert_true(status == SPMM_OK || diag.text[0] != '\0');
    if (status == SPMM_OK) {
        status = spmm_product_create(loaded, SPMM_DEVICE_CPU, &options, &product, &diag);
        if (status != SPMM_OK && status != SPMM_ERR_PLAN_PRODUCT && status != SPMM_ERR_PLAN_BUDGET)
            fail_msg("seed %llu: %s", (unsigned long long)seed, diag.text);
        assert_int_equal(spmm_plan_product_verify(loaded, NULL, NULL),
                         status == SPMM_ERR_PLAN_BUDGET ? SPMM_OK : status);
        tally[status == SPMM_OK ? 2 : 1]++;
    }
    if (status == SPMM_OK) {
        struct test_sparse_values values = test_sparse_values(of);
        uint64_t needed = 0;
        const int has_diagonal = (loaded->product->flags & SPMMI_SPGEMM_DIAGONAL) != 0;
        void *diagonal = calloc((size_t)spmmi_spgemm_cols(loaded->product, 0) + 1, sizeof(double));
        assert_int_equal(spmm_product_workspace_bytes(product, &needed), SPMM_OK);
        void *workspace = aligned_alloc(256, needed + 256);
        void *c = calloc((size_t)loaded->nnz + 1, sizeof(double));
        assert_int_equal(spmm_product_execute(product, spmm_real(1), (const void *const *)values.operand,
                                              has_diagonal ? diagonal : NULL, spmm_real(0), c, workspace,
                                              needed, NULL, NULL),
                         SPMM_OK);
        free(c);
        free(workspace);
        free(diagonal);
        test_sparse_values_free(&values);
    }
    spmm_product_destroy(product);
    spmm_plan_destroy(loaded);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
}

static void changed_plans_are_refused_or_right(void **state)
{
    (void)state;
    const char *const seed = getenv("SPMM_TEST_SEED");
    const uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    const uint64_t count = seed != NULL ? 1 : scaled(PLANS);
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL),
                       *b = test_matrix_named("odd rows empty", TEST_VALUES_REAL);
    int tally[3] = {0};
    const int64_t live = spmmi_alloc_live();
    for (uint64_t i = first; i < first + count; i++) {
        one_plan(i, a, b, tally);
        if (spmmi_alloc_live() != live)
            fail_msg("seed %llu: memory is held", (unsigned long long)i);
    }
    print_message("%d refused by the load, %d when made, %d run\n", tally[0], tally[1], tally[2]);
    if (seed == NULL)
        for (size_t k = 0; k < sizeof tally / sizeof tally[0]; k++)
            assert_true((uint64_t)tally[k] > count / 20);
    test_matrix_free(a);
    test_matrix_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_plans_are_refused_or_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
