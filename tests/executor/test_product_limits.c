/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products with more than 2^31 entries, or with more than 2^32 or 2^64 products, are refused instead
 * of counted wrongly. The matrices are fakes: only their row pointers exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/product_state.h"
#include "kernels/spgemm/spgemm_items.h"

static const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER,
                                                  SPMM_F64};

#define ENTRIES_OVER ((int64_t)INT32_MAX + 1)

/* Rows of maximum length: four squares of the length are below 2^64, five are not. */
static void products_beyond_64_bits_are_seen(void **state)
{
    (void)state;
    enum { ROWS = 5 };
    const uint64_t longest = INT32_MAX - 1;
    int64_t row_ptr[ROWS + 1];
    uint64_t products = 0;
    for (int64_t i = 0; i <= ROWS; i++)
        row_ptr[i] = i * (int64_t)longest;
    for (int64_t rows = ROWS - 1; rows <= ROWS; rows++) {
        const struct spmmi_csr_pattern a = {rows, 1, row_ptr, NULL};
        assert_int_equal(spmmi_spgemm_count(&a, SPMM_OP_T, &a, SPMM_OP_N, &products), SPMM_OK);
        assert_true(products == (rows < ROWS ? (ROWS - 1) * longest * longest : UINT64_MAX));
    }
}

/* Rows with more than 256 products are heavy. Up to 2,111 heavy rows are cut into small pieces; with more,
 * pieces are large. */
static void few_heavy_rows_have_small_pieces(void **state)
{
    (void)state;
    static const int64_t left[] = {0, 2, 4, 4, 7}, right[] = {0, 128, 129, 129, 386};
    static const int32_t columns[] = {0, 0, 0, 3, 1, 2, 3}; /* 256, 385 and, in three steps, 258 products */
    const struct spmmi_csr_pattern a = {4, 4, left, columns}, b = {4, 400, right, NULL};
    const int64_t few = 2111;
    const uint64_t products = 16896 * UINT64_C(5000);
    const struct spmmi_spgemm_work work = spmmi_spgemm_work_of(&a, &b);
    assert_int_equal(work.heavy_rows, 2);
    assert_int_equal(work.products, 256 + 385 + 258);
    assert_int_equal(spmmi_spgemm_share(products, few), 5000);
    assert_int_equal(spmmi_spgemm_share(products, few + 1), 10000);
    assert_int_equal(spmmi_spgemm_share(1, few), 256);
    assert_int_equal(spmmi_spgemm_share(1, few + 1), 4096);
}

static void row_pointers_of_32_bits_are_refused(void **state)
{
    (void)state;
    const spmm_product_t product = {.nnz = ENTRIES_OVER};
    int32_t row_ptr[1], col_ind[1];
    spmm_diag_t diag;
    assert_int_equal(spmm_product_pattern(&product, SPMM_I32, row_ptr, SPMM_I32, col_ind, NULL, &diag),
                     SPMM_ERR_TOO_LARGE);
    assert_non_null(strstr(diag.text, "2147483648 entries"));
}

/* One row of C with few entries: all entries of A multiply the same row of B. */
struct scene {
    int64_t left[2], right[2], c[2];
    int32_t columns[8];
    struct spmmi_spgemm_unit unit;
    struct spmmi_spgemm_stage stage;
};

static spmm_status_t items_of(struct scene *s, struct spmmi_spgemm_items *items, spmm_diag_t *diag)
{
    s->unit = (struct spmmi_spgemm_unit){.row = 0, .row_end = 1, .partial = -1};
    s->stage.task = (struct spmmi_spgemm_task){{1, 1, s->left, s->columns}, {1, 1, s->right, NULL}, 0};
    s->stage.c = (struct spmmi_csr_pattern){1, 1, s->c, NULL};
    s->stage.units = &s->unit;
    s->stage.unit_count = 1;
    return spmmi_spgemm_items_make(&s->stage, &wanted, 1, UINT64_MAX, items, diag);
}

static void expect_too_large(struct scene *s, const char *sentence)
{
    struct spmmi_spgemm_items items;
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(items_of(s, &items, &diag), SPMM_ERR_TOO_LARGE);
    assert_non_null(strstr(diag.text, sentence));
    spmmi_spgemm_items_free(&items);
}

static void a_gpu_refuses_what_32_bits_do_not_count(void **state)
{
    (void)state;
    static const struct scene good = {.left = {0, 3}, .right = {0, INT64_C(1) << 30}, .c = {0, 5}};
    struct spmmi_spgemm_items items;
    struct spmmi_spgemm_cut cut = {0, 0, 2};
    struct scene s = good;
    assert_int_equal(items_of(&s, &items, NULL), SPMM_OK);
    assert_int_equal(items.count, 1);
    assert_int_equal(items.positions.keys[0], UINT64_C(24) << 30);
    spmmi_spgemm_items_free(&items);
    s.left[1] = 5;
    expect_too_large(&s, "a row of the product has more than 4294967295 multiplications and is not cut");
    s = good;
    s.left[1] = ENTRIES_OVER;
    expect_too_large(&s, "found 2147483648 and 1073741824 in the factors, 5 in the product");
    s = good;
    s.right[1] = ENTRIES_OVER;
    expect_too_large(&s, "found 3 and 2147483648");
    s = good;
    s.c[1] = ENTRIES_OVER;
    expect_too_large(&s, "2147483648 in the product");
    s = good;
    s.stage.partials = INT64_C(1) << 32;
    assert_int_equal(items_of(&s, &items, NULL), SPMM_OK); /* no row has partial sums */
    spmmi_spgemm_items_free(&items);
    s.stage.cuts = &cut;
    s.stage.cut_count = 1;
    expect_too_large(&s, "at most 4294967295 partial sums of pieces, found 4294967296");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_beyond_64_bits_are_seen),
        cmocka_unit_test(few_heavy_rows_have_small_pieces),
        cmocka_unit_test(row_pointers_of_32_bits_are_refused),
        cmocka_unit_test(a_gpu_refuses_what_32_bits_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
