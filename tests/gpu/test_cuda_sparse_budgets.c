/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse matrices on the GPU with budgets of device and host memory. A product that fits has
 * the bits of the CPU and exceeds no budget; a product that does not fit is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/product_state.h"
#include "kernels/spgemm/spgemm_longs.h"
#include "kernels/spgemm/spgemm_once_cuda.h"
#include "kernels/spgemm/spgemm_ranges.h"
#include "sparse_arrays.h"
#include "sparse_twin.h"
#include "tests/support/sparse_forms.h"

TEST_PATTERN(one_of_three, test_chance(i, j, 3))
TEST_PATTERN(left_columns, j < 4097)
TEST_PATTERN(hubs_elsewhere, i < 4097 ? j == 12000 + i : j < 12000)
TEST_PATTERN(last_row_long, i < 60 ? j % 7 == 0 && j < 4200 : j < 4097)
TEST_PATTERN(eight_columns, j % 1024 == i % 1024 && j < 8192)
TEST_PATTERN(last_row_longer, i < 60 ? j < 4070 : j < 4097)
TEST_PATTERN(four_columns, i < 4097 ? j % 1024 == i % 1024 && j < 4096 : j >= 5000)
TEST_PATTERN(column_4097_often, i < 20 ? j < 4097 : i == 20 ? j < 4098 : j == 4097)
TEST_PATTERN(row_4097_full, i < 4097 ? i < 600 && j == 2000 + i : i == 4097 ? j >= 5000 : j < 600)

/* The default choice is `positions`. Smaller budgets get `columns`, and budgets below the need of
 * `columns` are refused. */
static void small_budgets_get_columns(void **state)
{
    static const struct test_pattern tall = {"tall", 1500, 60, one_of_three};
    struct test_matrix *a = test_matrix_of(&tall, TEST_VALUES_REAL);
    const struct test_sparse_product p = {
        .count = 2, .factor = {a, a}, .op = {SPMM_OP_T, SPMM_OP_N}, .piece_products = 60, .dtype = SPMM_F64};
    struct sparse_twin t = sparse_twin_make(&p, NULL, 0);
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    const uint64_t usual = t.info.device_bytes;
    (void)state;
    sparse_twin_free(&t);
    t = sparse_twin_make(&p, "columns", 0);
    const uint64_t least = t.info.device_bytes;
    assert_true(2 * least < usual);
    assert_true(t.info.cut_rows > 0);
    /* Only the values of the transpose. */
    assert_int_equal(t.workspace.bytes, (a->nnz * 8 + 255) / 256 * 256);
    sparse_twin_free(&t);
    t = sparse_twin_make(&p, NULL, least);
    assert_string_equal(t.info.kernel, "cuda/product/columns");
    assert_true(t.info.device_bytes == least);
    sparse_twin_check(&t, &p);
    o.device_budget_bytes = least - 1;
    assert_int_equal(spmm_product_create(t.plan, 0, &o, &product, NULL), SPMM_ERR_PLAN_BUDGET);
    assert_null(product);
    sparse_twin_free(&t);
    test_matrix_free(a);
}

/* Checks the default choice within these budgets. "": the product is refused. */
static void expect_kernel(const struct sparse_twin *t, uint64_t device_budget, uint64_t host_budget,
                          const char *expected, spmm_diag_t *diag)
{
    spmm_product_t *product = NULL;
    spmm_product_info_t info = {.struct_size = sizeof info, .kernel = ""};
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    o.threads = 1; /* the host budget includes the memory of threads */
    o.device_budget_bytes = device_budget;
    o.host_budget_bytes = host_budget;
    assert_int_equal(spmm_product_create(t->plan, 0, &o, &product, diag),
                     expected[0] != '\0' ? SPMM_OK : SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(diag->status, expected[0] != '\0' ? SPMM_OK : SPMM_ERR_PLAN_BUDGET);
    if (product != NULL)
        assert_int_equal(spmm_product_info(product, &info), SPMM_OK);
    assert_string_equal(info.kernel, expected);
    spmm_product_destroy(product);
}

/* Budgets between the needs of masks, positions and columns. The memory that a product holds is not enough
 * to create it: temporary memory counts too. */
static void small_budgets_get_what_fits(void **state)
{
    const struct test_sparse_product p = test_sparse_mixed_rows(SPMM_F64);
    struct sparse_twin t = sparse_twin_make(&p, NULL, 0);
    static const struct {
        uint64_t device, host;
        const char *kernel;
    } cases[] = {{4000000, 0, "cuda/product/masks"},        {2200000, 0, "cuda/product/positions"},
                 {1800000, 0, "cuda/product/positions"},    {1500000, 0, "cuda/product/columns"},
                 {0, 6000000, "cuda/product/masks"},        {0, 4700000, "cuda/product/positions"},
                 {0, 3000000, "cuda/product/columns"},      {0, 1200000, ""},
                 {1800000, 3000000, "cuda/product/columns"}};
    const uint64_t usual = t.info.device_bytes;
    spmm_diag_t diag, of_other;
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_kernel(&t, cases[i].device, cases[i].host, cases[i].kernel, &diag);
    expect_kernel(&t, usual, 0, "cuda/product/columns", &diag);
    expect_kernel(&t, 1000, 0, "", &diag);
    o.device_budget_bytes = 1000;
    /* The message is the one of the default choice, not of columns or positions. */
    for (size_t k = 0; k < 2; k++) {
        o.force_kernel = k == 0 ? "columns" : "positions";
        assert_int_equal(spmm_product_create(t.plan, 0, &o, &product, &of_other), SPMM_ERR_PLAN_BUDGET);
        assert_string_not_equal(diag.text, of_other.text);
    }
    sparse_twin_free(&t);
    t = sparse_twin_make(&p, NULL, usual);
    sparse_twin_check(&t, &p);
    sparse_twin_free(&t);
    test_sparse_mixed_rows_free(&p);
}

/* Device memory that a product has allocated. */
struct taken {
    uint64_t held, most;
};

static void *allocate(void *context, size_t bytes, int device, void *stream)
{
    struct taken *taken = context;
    void *block = NULL;
    (void)device, (void)stream;
    if (cudaMalloc(&block, bytes) != cudaSuccess)
        return NULL;
    taken->held += bytes;
    if (taken->held > taken->most)
        taken->most = taken->held;
    return block;
}

static void release(void *context, void *block, size_t bytes, int device, void *stream)
{
    struct taken *taken = context;
    (void)device, (void)stream;
    (void)cudaFree(block); /* no function of an allocator may leave by longjmp */
    taken->held -= bytes;
}

/* Checks a product within these budgets: it has the bits of the CPU or is refused, and exceeds no budget.
 * t: a twin whose workspace is large enough for all kernels. Returns the device memory in bytes; 0:
 * refused. */
static uint64_t expect_bits_within(struct sparse_twin *t, const struct test_sparse_product *p,
                                   uint64_t device_budget, uint64_t host_budget, const char *kernel)
{
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_info_t info = {.struct_size = sizeof info};
    spmm_product_t *const usual = t->gpu;
    struct taken taken = {0, 0};
    const spmm_device_allocator_t allocator = {sizeof allocator, allocate, release, &taken};
    o.allocator = &allocator;
    o.threads = 1; /* the host budget includes the memory of threads */
    o.device_budget_bytes = device_budget;
    o.host_budget_bytes = host_budget;
    o.force_kernel = kernel;
    const spmm_status_t status = spmm_product_create(t->plan, 0, &o, &t->gpu, NULL);
    if (status == SPMM_OK) {
        assert_int_equal(spmm_product_info(t->gpu, &info), SPMM_OK);
        assert_int_equal(taken.held, info.device_bytes);
        assert_true(info.host_bytes == t->info.host_bytes); /* the same for each kernel */
        assert_true(host_budget == 0 || info.host_bytes <= host_budget);
        sparse_twin_poison(t);
        sparse_twin_check(t, p);
        spmm_product_destroy(t->gpu);
    } else {
        assert_int_equal(status, SPMM_ERR_PLAN_BUDGET);
    }
    t->gpu = usual;
    assert_true(taken.held == 0 && (device_budget == 0 || taken.most <= device_budget));
    return info.device_bytes;
}

/* Returns the smallest host memory in bytes with which the ranges of columns can be made. */
static uint64_t bytes_of_ranges(const struct spmmi_spgemm_stage *stage)
{
    uint64_t least = 0, enough = UINT32_MAX;
    while (least < enough) {
        const uint64_t half = least + (enough - least) / 2;
        struct spmmi_spgemm_ranges ranges;
        const spmm_status_t status = spmmi_spgemm_ranges_make(stage, half, &ranges, NULL);
        spmmi_spgemm_ranges_free(&ranges);
        assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
        least = status == SPMM_OK ? least : half + 1;
        enough = status == SPMM_OK ? half : enough;
    }
    return least;
}

/* Checks host budgets of kernel columns. Lists of `bytes` host bytes need `counts` bytes besides while
 * they are made; later they are held together with the ranges. A budget below either sum is refused. */
static void check_columns_of_host(struct sparse_twin *t, const struct test_sparse_product *p,
                                  const struct spmmi_spgemm_longs *longs, uint64_t bytes, uint64_t counts)
{
    struct spmmi_spgemm_stage stage = t->cpu->stages[p->count - 2];
    stage.longs = longs;
    const uint64_t ranges = bytes_of_ranges(&stage), lists = t->info.host_bytes + bytes,
                   least = lists + (ranges > counts ? ranges : counts);
    assert_true(expect_bits_within(t, p, 0, lists + counts - 1, "columns") == 0);
    assert_true(expect_bits_within(t, p, 0, lists + ranges - 1, "columns") == 0);
    if (p->count == 2) /* with more factors, another stage may need more */
        assert_true(expect_bits_within(t, p, 0, least, "columns") > 0);
}

/* Checks budgets of which the lists of long entries leave nothing, or one byte too little, for later
 * steps. */
static void check_long_budgets(struct test_sparse_product p)
{
    struct sparse_twin t = sparse_twin_make(&p, "positions", 0);
    const struct spmmi_spgemm_stage *stage = &t.cpu->stages[p.count - 2];
    const uint64_t least = expect_bits_within(&t, &p, 0, 0, "columns"),
                   counts = (uint64_t)stage->task.right.cols * sizeof(uint32_t);
    assert_true(least > 0);
    assert_true(expect_bits_within(&t, &p, least, 0, "columns") == least);
    assert_true(expect_bits_within(&t, &p, least - 1, 0, "columns") == 0);
    assert_in_range(expect_bits_within(&t, &p, least, 0, NULL), 1, least);
    for (int has_all = 0; has_all < 2; has_all++) {
        struct spmmi_spgemm_longs longs = {.count = 0};
        uint64_t bytes = 0;
        assert_int_equal(spmmi_spgemm_longs_make(stage, has_all, UINT64_MAX, &longs, &bytes, NULL), SPMM_OK);
        if (!has_all)
            check_columns_of_host(&t, &p, &longs, bytes, counts);
        spmmi_spgemm_longs_free(&longs);
        for (uint64_t less = 0; less < 2; less++) {
            const uint64_t lists = bytes + 1 - less;
            if (lists > 0) { /* 0 would mean no limit */
                (void)expect_bits_within(&t, &p, lists, 0, NULL);
                assert_true(lists >= least || expect_bits_within(&t, &p, lists, 0, "columns") == 0);
            }
            (void)expect_bits_within(&t, &p, 0, t.info.host_bytes + counts + lists, NULL);
        }
    }
    sparse_twin_free(&t);
}

static void small_budgets_of_long_entries_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    test_sparse_long_entries(check_long_budgets);
}

/* Checks that besides C the product needs at most `bytes` bytes, 4 bytes per column of B, 4 bytes per 1,025
 * nonzeros of B, and 256 KiB. */
static void check_memory(const struct test_pattern patterns[2], uint64_t bytes)
{
    struct test_matrix *a = test_matrix_of(&patterns[0], TEST_VALUES_REAL),
                       *b = test_matrix_of(&patterns[1], TEST_VALUES_REAL);
    struct sparse_arrays of_a = sparse_arrays_of(a, SPMM_F32, SPMM_I64, SPMM_I32, 1),
                         of_b = sparse_arrays_of(b, SPMM_F32, SPMM_I64, SPMM_I32, 1);
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(spmm_product_once(&of_a.view, &of_b.view, 0, &o, &c, NULL), SPMM_OK);
    const uint64_t of_c = 8 * (uint64_t)(c.rows + 1) + 8 * (uint64_t)c.nnz;
    spmm_product_once_free(&c);
    o.device_budget_bytes = of_c + bytes + 4 * (uint64_t)b->cols + 4 * (uint64_t)b->nnz / 1025 + 262144;
    if (spmm_product_once(&of_a.view, &of_b.view, 0, &o, &c, &diag) != SPMM_OK)
        fail_msg("%s: %s", patterns[0].name, diag.text);
    spmm_product_once_free(&c);
    sparse_arrays_free(&of_a);
    sparse_arrays_free(&of_b);
    test_matrix_free(a);
    test_matrix_free(b);
}

/* 20 long rows of 4,097 products each need up to 20 bytes per product. 12,000 columns are hubs, but none
 * of these products belongs to one. */
static void every_long_row_takes_as_much_whatever_hubs_there_are(void **state)
{
    static const struct test_pattern patterns[] = {{"long rows", 20, 5122, left_columns},
                                                   {"hubs elsewhere", 5122, 16097, hubs_elsewhere}};
    (void)state;
    check_memory(patterns, 20 * 20 * 4097);
}

/* Next to a row of 4,097 entries, 60 rows with 600 entries and 4,800 products each have no lists. */
static void every_short_row_takes_as_much_beside_a_long_one(void **state)
{
    static const struct test_pattern patterns[] = {{"last row long", 61, 4200, last_row_long},
                                                   {"eight columns", 4200, 8192, eight_columns}};
    (void)state;
    check_memory(patterns, 8 * 8 * 4097);
}

/* Next to a row of 4,097 entries, 60 rows with 4,070 entries have no lists. No product belongs to one of
 * the 127 hubs. */
static void every_short_row_without_lists_takes_nothing_for_hubs(void **state)
{
    static const struct test_pattern patterns[] = {{"last row longer", 61, 5222, last_row_longer},
                                                   {"hubs elsewhere", 5222, 5127, four_columns}};
    (void)state;
    check_memory(patterns, 8 * 8 * 4097);
}

/* Long rows with 600 products each and one with 20,600, next to 50 rows of one entry that have most of the
 * products. The number of parts depends only on the products of long rows. 600 hubs are in other columns. */
static void every_part_has_products_of_long_rows(void **state)
{
    static const struct test_pattern patterns[] = {{"column 4,097 often", 71, 5222, column_4097_often},
                                                   {"row 4,097 full", 5222, 25000, row_4097_full}};
    (void)state;
    check_memory(patterns, 40 * (20 * 600 + 20600));
}

/* Lists of shorter rows may use at most a quarter of the bytes of C's entries, including their buckets and
 * one count per bucket. Several parts per bucket have more counts. */
static void long_lists_of_shorter_rows_are_limited(void **state)
{
    const spmm_csr_t a = {.value_type = SPMM_F64};
    const struct spmmi_spgemm_gpu_once in = {.a = &a};
    struct spmmi_once o = {.in = &in};
    (void)state;
    o.counts.nnz = 4000; /* 48,000 bytes */
    o.counts.longer = (struct spmmi_once_long_need){1, 5000, 1, 10, 5000};
    o.counts.shorter = (struct spmmi_once_long_need){2, 6000, 3, 100, 1350};
    spmmi_once_limit_long(&o);
    assert_int_equal(o.work.has_shorter, 1);
    assert_true(o.long_need.pieces == 3 && o.long_need.piece_products == 6000 && o.long_need.tasks == 4 &&
                o.long_need.buckets == 110 && o.long_need.products == 6350);
    o.counts.shorter.buckets++;
    spmmi_once_limit_long(&o);
    assert_int_equal(o.work.has_shorter, 0);
    assert_memory_equal(&o.long_need, &o.counts.longer, sizeof o.long_need);
}

/* Long pieces: products for at most one part, for as many parts as the bits of a bucket number allow, and
 * for more, which are refused. The memory is computed with 64 bits. */
static void long_lists_are_counted_in_64_bits(void **state)
{
    const struct spmmi_spgemm_gpu_once in = {.device_left = 0};
    spmm_diag_t diag = {.status = SPMM_OK};
    struct spmmi_once o = {.in = &in, .diag = &diag};
    char wanted[64];
    (void)state;
    o.long_need = (struct spmmi_once_long_need){.pieces = 32760,
                                                .piece_products = 4097,
                                                .buckets = UINT64_C(32760) * 1000,
                                                .products = UINT64_C(1) << 27};
    assert_int_equal(spmmi_once_parts_of(&o.long_need), 4);
    o.long_need.buckets = 2000;
    assert_int_equal(spmmi_once_parts_of(&o.long_need), 17); /* parts of 256 products */
    o.long_need.piece_products = UINT32_MAX;
    assert_int_equal(spmmi_once_parts_of(&o.long_need), SPMMI_ONCE_PARTS);
    o.long_need.buckets = UINT32_MAX;
    assert_int_equal(spmmi_once_parts_of(&o.long_need), 1);
    assert_int_equal(spmmi_once_portion_long(&o), SPMM_ERR_PLAN_BUDGET);
    snprintf(wanted, sizeof wanted, " needs %llu more",
             (12 * (unsigned long long)UINT32_MAX + 4 * 32760 + 256) / 256 * 256);
    assert_non_null(strstr(diag.text, wanted));
    o.long_need.buckets++;
    assert_int_equal(spmmi_once_portion_long(&o), SPMM_ERR_TOO_LARGE);
    o.work.a.nnz = INT64_C(1) << 32;
    assert_int_equal(spmmi_once_find_hubs(&o), SPMM_ERR_TOO_LARGE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_budgets_get_columns),
        cmocka_unit_test(small_budgets_get_what_fits),
        cmocka_unit_test(small_budgets_of_long_entries_have_the_bits_of_the_cpu),
        cmocka_unit_test(every_long_row_takes_as_much_whatever_hubs_there_are),
        cmocka_unit_test(every_short_row_takes_as_much_beside_a_long_one),
        cmocka_unit_test(every_short_row_without_lists_takes_nothing_for_hubs),
        cmocka_unit_test(every_part_has_products_of_long_rows),
        cmocka_unit_test(long_lists_of_shorter_rows_are_limited),
        cmocka_unit_test(long_lists_are_counted_in_64_bits),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
