/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse matrices on the GPU: every product has the bits of the CPU, repeatedly and in graphs,
 * whatever its memory contained before. Impossible requests are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "kernels/spgemm/spgemm_bases.h"
#include "kernels/spgemm/spgemm_drafts.h"
#include "kernels/spgemm/spgemm_stage_cuda.h"
#include "sparse_twin.h"
#include "tests/support/dense.h"
#include "tests/support/scale.h"
#include "tests/support/sparse_forms.h"

#define ENTRIES_MAX 400000 /* maximum number of entries of C in the test of every shape */
#define REPEATS 1000
#define KERNELS (sizeof kernels / sizeof kernels[0])
/* NULL: the default choice. */
static const char *const kernels[] = {"columns", "positions", "groups", "pull", "masks", NULL};
static const int64_t pieces[] = {INT64_MAX, 1, 60};

static void check(struct test_sparse_product p)
{
    for (size_t i = 0; i < KERNELS * sizeof pieces / sizeof pieces[0]; i++) {
        p.piece_products = pieces[i / KERNELS];
        struct sparse_twin t = sparse_twin_make(&p, kernels[i % KERNELS], 0);
        sparse_twin_check(&t, &p);
        sparse_twin_free(&t);
    }
}

static void every_shape_has_the_bits_of_the_cpu(void **state)
{
    (void)state;
    test_sparse_squares(ENTRIES_MAX, check);
}

static void every_form_has_the_bits_of_the_cpu(void **state)
{
    (void)state;
    test_sparse_forms(check);
}

static void check_long(struct test_sparse_product p)
{
    for (size_t k = 0; k < KERNELS; k++)
        sparse_twin_check_long(&p, kernels[k]);
}

static void long_entries_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    test_sparse_long_entries(check_long);
}

TEST_PATTERN(wide_rows, test_chance(i, j, i % 7 == 0 ? 3 : 40))
TEST_PATTERN(blocks, i / 6 == j / 6 || i / 6 == j / 6 + 1)
TEST_PATTERN(five_points, i == j || i == j + 1 || j == i + 1 || i == j + 30 || j == i + 30)
TEST_PATTERN(band, i < j + 16 && j < i + 16)
TEST_PATTERN(full, true)
TEST_PATTERN(hub, i == 0 || j == 0 || i == j)
/* Two long rows; the others have one entry or none. Rows run side by side, and some list entries have no
 * products. */
TEST_PATTERN(skewed, i % 250 == 0 || (i % 3 != 0 && j == i * 7 % 500))
TEST_PATTERN(three_diagonals, i < j + 2 && j < i + 2)
/* Products of these patterns have rows of 5 to 8 entries. Some have longer lists. */
TEST_PATTERN(short_and_long, j % (i % 7 == 0 ? 2 : 13) == i % (i % 7 == 0 ? 2 : 13))
TEST_PATTERN(narrow, (i + j) % 3 > 0)
/* Entries with products in all pieces of a row, only in the first pieces, or only in the last ones. */
TEST_PATTERN(first_or_last, j == 0 || (j == 1) == (i < 20))

/* Rows of C in one item and in several, cut in k or not; identical rows that share positions. */
static const struct test_pattern larger[] = {
    {"wide rows", 60, 1500, wide_rows}, {"blocks", 420, 420, blocks}, {"five points", 900, 900, five_points},
    {"hub", 1300, 1300, hub},           {"skewed", 500, 500, skewed}, {"skewed, narrow", 250, 250, skewed}};

static void larger_rows_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof larger / sizeof larger[0]; m++) {
        struct test_matrix *a = test_matrix_of(&larger[m], TEST_VALUES_REAL);
        const int is_square = a->rows == a->cols;
        const spmm_op_t op = is_square ? SPMM_OP_N : SPMM_OP_T;
        check((struct test_sparse_product){
            .count = 2, .factor = {a, a}, .op = {op, SPMM_OP_N}, .dtype = SPMM_F64});
        check((struct test_sparse_product){
            .count = 2, .factor = {a, a}, .op = {op, SPMM_OP_N}, .diagonal = 1, .dtype = SPMM_F32});
        test_matrix_free(a);
    }
}

/* Groups of six identical rows and columns are multiplied together if that is faster. Short rows are
 * pulled, except if they fill whole steps. */
static void kernels_are_taken_by_rule(void **state)
{
    (void)state;
    static const struct test_pattern wide = {"band", 400, 400, band};
    static const struct {
        const struct test_pattern *pattern;
        const char *kernel;
    } cases[] = {{&larger[1], "cuda/product/groups"},
                 {&larger[2], "cuda/product/pull"},
                 {&wide, "cuda/product/positions"}};
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        struct test_matrix *a = test_matrix_of(cases[m].pattern, TEST_VALUES_REAL);
        const struct test_sparse_product p = {.count = 2, .factor = {a, a}, .dtype = SPMM_F64};
        struct sparse_twin t = sparse_twin_make(&p, NULL, 0);
        assert_string_equal(t.info.kernel, cases[m].kernel);
        sparse_twin_check(&t, &p);
        sparse_twin_free(&t);
        test_matrix_free(a);
    }
}

/* The cut row is not pulled: its pieces are joined. */
static void kernels_of_every_kind_share_a_product(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F64, SPMM_F32};
    (void)state;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        const struct test_sparse_product p = test_sparse_mixed_rows(dtypes[i]);
        struct sparse_twin t = sparse_twin_make(&p, NULL, 0);
        assert_string_equal(t.info.kernel, "cuda/product/masks");
        assert_int_equal(t.info.cut_rows, 1);
        assert_true(t.workspace.bytes > 0);
        sparse_twin_run_cpu(&t, 1, 0);
        for (int repeat = 0; repeat < 20; repeat++) {
            sparse_twin_poison(&t);
            sparse_twin_run(&t, 1, 0);
            sparse_twin_expect(&t, &p);
        }
        sparse_twin_free(&t);
        test_sparse_mixed_rows_free(&p);
    }
}

/* Only cut rows that are not pulled have partial sums; these workspaces contain nothing else. */
static void pulled_rows_need_no_workspace(void **state)
{
    static const struct test_pattern few_long_rows = {"few_long_rows", 3, 300, full},
                                     few_long_columns = {"few_long_columns", 300, 3, full};
    struct test_matrix *a = test_matrix_of(&few_long_rows, TEST_VALUES_REAL),
                       *b = test_matrix_of(&few_long_columns, TEST_VALUES_REAL);
    const struct test_sparse_product p = {
        .count = 2, .factor = {a, b}, .piece_products = 40, .dtype = SPMM_F64};
    static const char *const with[] = {"positions", "pull"};
    (void)state;
    for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
        struct sparse_twin t = sparse_twin_make(&p, with[k], 0);
        assert_true(t.info.cut_rows > 0);
        assert_int_equal(t.workspace.bytes > 0, k == 0);
        sparse_twin_check(&t, &p);
        sparse_twin_free(&t);
    }
    test_matrix_free(a);
    test_matrix_free(b);
}

/* Groups of lanes process several items with masks one after the other, in the last groups fewer items.
 * Groups have 8 lanes, with one round or several rounds of list entries, or 4 lanes. */
static void items_with_masks_take_turns(void **state)
{
    static const struct test_pattern left = {"short and long", 2000, 40, short_and_long},
                                     right = {"narrow", 40, 8, narrow};
    static const uint64_t warps[] = {1, 200};
    const uint64_t usual = spmmi_spgemm_mask_warps;
    struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                       *b = test_matrix_of(&right, TEST_VALUES_REAL),
                       *c = test_matrix_of(&larger[4], TEST_VALUES_REAL);
    (void)state;
    for (size_t i = 0; i < sizeof warps / sizeof *warps; i++) {
        assert_true((uint64_t)a->rows * 8 / 32 / warps[i] > 1);
        spmmi_spgemm_mask_warps = warps[i];
        check((struct test_sparse_product){.count = 2, .factor = {a, b}, .dtype = SPMM_F64});
        check((struct test_sparse_product){.count = 2, .factor = {a, b}, .diagonal = 1, .dtype = SPMM_F32});
    }
    spmmi_spgemm_mask_warps = warps[0];
    check((struct test_sparse_product){.count = 2, .factor = {c, c}, .diagonal = 1, .dtype = SPMM_F32});
    spmmi_spgemm_mask_warps = usual;
    test_matrix_free(a);
    test_matrix_free(b);
    test_matrix_free(c);
}

/* Distances from bases in fewer bits: fewer neighbours share a base, or none do. Pulls also with one entry of
 * C, whose stream is empty. */
static void ranges_of_bases_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern three = {"three diagonals", 900, 900, three_diagonals},
                                     column = {"column", 40, 1, full};
    static const struct {
        const struct test_pattern *pattern;
        spmm_op_t op;
        const char *kernel;
    } cases[] = {{&larger[1], SPMM_OP_N, "groups"},
                 {&larger[2], SPMM_OP_N, "pull"},
                 {&column, SPMM_OP_T, "pull"},
                 {&larger[3], SPMM_OP_N, "positions"},
                 {&three, SPMM_OP_N, "masks"}};
    static const uint32_t ranges[] = {400, 40, 1};
    const uint32_t near = spmmi_spgemm_near_range, left = spmmi_spgemm_left_range;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct test_matrix *a = test_matrix_of(cases[k].pattern, TEST_VALUES_REAL);
        const struct test_sparse_product p = {.count = 2,
                                              .factor = {a, a},
                                              .op = {cases[k].op, SPMM_OP_N},
                                              .piece_products = INT64_MAX,
                                              .dtype = SPMM_F64};
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
            spmmi_spgemm_near_range = spmmi_spgemm_left_range = ranges[i];
            struct sparse_twin t = sparse_twin_make(&p, cases[k].kernel, 0);
            sparse_twin_check(&t, &p);
            sparse_twin_free(&t);
        }
        spmmi_spgemm_near_range = near;
        spmmi_spgemm_left_range = left;
        test_matrix_free(a);
    }
}

/* Row 0 has all columns. Each other row has nine, whose numbers span 65,600. There are so many entries
 * that columns keep their numbers. */
TEST_PATTERN(far_apart, i == 0 || j % 8200 == i)
TEST_PATTERN(one_of_all, i == 0 ? j < 3 : j > 0 && test_chance(i, j, 3))
TEST_PATTERN(one_of_three, test_chance(i, j, 3))
TEST_PATTERN(row_and_diagonal, i == 0 || i == j)
TEST_PATTERN(few_of_many, test_chance(i, j, 100))

/* Ranges with words of 2 and of 4 bytes, rows that are not cut, and cut rows of several ranges: with few
 * pieces, and with more pieces than a block has warps. Also short rows of C with a long list. */
static void ranges_of_any_width_have_the_bits_of_the_cpu(void **state)
{
    static const struct {
        struct test_pattern left, right;
        int64_t piece_products, cut_rows;
        int lower;
    } cases[] = {{{"one of all", 40, 9, one_of_all}, {"far apart", 9, 66000, far_apart}, INT64_MAX, 0, 0},
                 {{"full", 1, 9, full}, {"full", 9, 66000, full}, 1, 1, 0},
                 {{"full", 4, 400, full}, {"one of three", 400, 1500, one_of_three}, 1, 4, 0},
                 {{"row", 700, 700, row_and_diagonal}, {"row", 700, 700, row_and_diagonal}, INT64_MAX, 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        sparse_twin_check_pair(&cases[i].left, &cases[i].right,
                               (struct test_sparse_product){.lower = cases[i].lower,
                                                            .diagonal = 1,
                                                            .piece_products = cases[i].piece_products},
                               "columns", cases[i].cut_rows, NULL);
}

/* Items of more than 256 entries whose list entries have few products. Neighbouring lanes that add to the
 * same entry take turns. Covers whole rows and pieces. */
static void positions_of_wide_items_have_turns(void **state)
{
    static const struct {
        struct test_pattern left, right;
        int64_t piece_products, cut_rows;
    } cases[] = {{{"narrow", 20, 300, narrow}, {"few", 300, 900, few_of_many}, INT64_MAX, 0},
                 {{"narrow", 4, 1500, narrow}, {"few", 1500, 900, few_of_many}, 60, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        sparse_twin_check_pair(&cases[i].left, &cases[i].right,
                               (struct test_sparse_product){.piece_products = cases[i].piece_products},
                               "positions", cases[i].cut_rows, sparse_twin_expect_turns);
}

/* Identical rows share one stream of positions. If all hashes are equal, the comparison finds that rows
 * differ, and unshared positions are right too. */
static void positions_are_shared_by_rows_that_are_alike(void **state)
{
    (void)state;
    static const struct test_pattern three = {"three diagonals", 900, 900, three_diagonals};
    /* saved bytes of 900 rows: 1 byte or more for each of about 25 products; or 1 byte for each of 3 list
     * entries, rounded up to 4 bytes */
    static const struct {
        const struct test_pattern *pattern;
        const char *kernel;
        uint64_t saved;
    } cases[] = {{&larger[2], "positions", 15000}, {&larger[2], "pull", 15000}, {&three, "masks", 3000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t bytes[2];
        struct test_matrix *a = test_matrix_of(cases[k].pattern, TEST_VALUES_REAL);
        const struct test_sparse_product p = {
            .count = 2, .factor = {a, a}, .piece_products = INT64_MAX, .dtype = SPMM_F64};
        for (int turn = 0; turn < 2; turn++) {
            spmmi_spgemm_hash_mask = turn == 0 ? ~0ull : 0;
            struct sparse_twin t = sparse_twin_make(&p, cases[k].kernel, 0);
            bytes[turn] = t.info.device_bytes;
            sparse_twin_check(&t, &p);
            sparse_twin_free(&t);
        }
        spmmi_spgemm_hash_mask = ~0ull;
        assert_true(bytes[0] + cases[k].saved < bytes[1]);
        test_matrix_free(a);
    }
}

static void factors_of_the_product(void **state)
{
    (void)state;
    static const double factors[][2] = {{2.5, 0}, {-1, 1}, {0.3, -0.7}, {0, 2}, {0, 0}};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    struct test_sparse_product p = {
        .count = 2, .factor = {a, a}, .op = {SPMM_OP_N, SPMM_OP_T}, .piece_products = 50};
    for (size_t i = 0; i < 2 * KERNELS * sizeof factors / sizeof factors[0]; i++) {
        p.dtype = i % 2 == 0 ? SPMM_F64 : SPMM_F32;
        const double alpha = factors[i / 2 / KERNELS][0], beta = factors[i / 2 / KERNELS][1];
        struct sparse_twin t = sparse_twin_make(&p, kernels[i / 2 % KERNELS], 0);
        for (int64_t q = 0; q < t.info.nnz; q++)
            test_value_set(p.dtype, t.expected, q, beta == 0 ? (double)NAN : (double)(q % 97));
        TEST_CUDA(
            cudaMemcpy(t.c.data, t.expected, (size_t)t.info.nnz * t.value_bytes, cudaMemcpyHostToDevice));
        sparse_twin_check_with(&t, &p, alpha, beta);
        sparse_twin_free(&t);
    }
    test_matrix_free(a);
}

/* NaN, infinity and zeros reach the same entries as on the CPU. Cancellation leaves zeros with the right
 * sign. */
static void special_values_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    static const double special[] = {(double)NAN, (double)INFINITY, 0.0,    -0.0, 1e308, -1e308, 1,
                                     -1,          1e-200,           -1e-200};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_INTEGER);
    for (int64_t q = 0; q < a->nnz; q += 3)
        a->values[q] = special[q / 3 % 10];
    check((struct test_sparse_product){.count = 2, .factor = {a, a}, .dtype = SPMM_F64});
    check((struct test_sparse_product){
        .count = 3, .factor = {a, a, a}, .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_T}, .dtype = SPMM_F64});
    test_matrix_free(a);
}

/* All products and all sums of pieces underflow to -0. C is -0 if each piece has a product, else 0. */
static void zeros_of_pieces_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern left = {"two full rows", 2, 40, full},
                                     right = {"first or last", 40, 3, first_or_last};
    static const struct {
        spmm_dtype_t dtype;
        double tiny;
    } cases[] = {{SPMM_F64, 1e-200}, {SPMM_F32, 1e-30}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                           *b = test_matrix_of(&right, TEST_VALUES_REAL);
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = -cases[i].tiny;
        for (int64_t q = 0; q < b->nnz; q++)
            b->values[q] = cases[i].tiny;
        const struct test_sparse_product p = {
            .count = 2, .factor = {a, b}, .piece_products = 1, .dtype = cases[i].dtype};
        struct sparse_twin t = sparse_twin_make(&p, "pull", 0);
        assert_int_equal(t.info.cut_rows, 2);
        sparse_twin_run_cpu(&t, 1, 0);
        assert_true(signbit(test_value_get(p.dtype, t.expected, 0)));
        assert_false(signbit(test_value_get(p.dtype, t.expected, 1)));
        sparse_twin_free(&t);
        check(p);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

static struct test_sparse_product cut_triple(const struct test_matrix *a)
{
    return (struct test_sparse_product){.count = 3,
                                        .factor = {a, a, a},
                                        .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_T},
                                        .piece_products = 40,
                                        .dtype = SPMM_F32};
}

/* Runs the product repeatedly, each time after the workspace and C were filled with NaN. kernel: kernel
 * that must run, whose name the product must report; NULL: the default choice. */
static void expect_repeats(const struct test_sparse_product *p, const char *kernel)
{
    struct sparse_twin t = sparse_twin_make(p, kernel, 0);
    assert_int_equal(t.info.cut_rows > 0, p->piece_products > 0);
    if (kernel != NULL)
        assert_string_equal(t.info.kernel + strlen("cuda/product/"), kernel);
    sparse_twin_run_cpu(&t, 1, 0);
    for (int repeat = 0; repeat < (int)scaled(REPEATS); repeat++) {
        sparse_twin_poison(&t);
        sparse_twin_run(&t, 1, 0);
        sparse_twin_expect(&t, p);
    }
    sparse_twin_free(&t);
}

/* Cut rows, also with pulls that process their pieces; groups of six identical rows and columns; short
 * rows together with others, one of which is cut. */
static void a_thousand_products_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *b = test_matrix_of(&larger[1], TEST_VALUES_REAL);
    const struct test_sparse_product cut = cut_triple(a), mixed = test_sparse_mixed_rows(SPMM_F64),
                                     alike = {.count = 2, .factor = {b, b}, .dtype = SPMM_F64};
    expect_repeats(&cut, NULL);
    expect_repeats(&cut, "positions");
    expect_repeats(&cut, "pull");
    expect_repeats(&cut, "columns");
    expect_repeats(&alike, "groups");
    expect_repeats(&mixed, "masks");
    test_matrix_free(a);
    test_matrix_free(b);
    test_sparse_mixed_rows_free(&mixed);
}

/* Checks replays of a graph with a product of f32. */
static void expect_replays(const struct test_sparse_product *p, const char *kernel)
{
    struct sparse_twin t = sparse_twin_make(p, kernel, 0);
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TEST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    sparse_twin_enqueue(&t, 1, 0, stream);
    TEST_CUDA(cudaStreamEndCapture(stream, &graph));
    TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    for (int turn = 0; turn < 100; turn++) {
        float *values = t.values.operand[0];
        for (size_t q = 0; q < t.operand_bytes[0] / sizeof *values; q++)
            values[q] = (float)test_real((uint64_t)q, (uint64_t)turn);
        TEST_CUDA(cudaMemcpyAsync(t.operand[0], values, t.operand_bytes[0], cudaMemcpyHostToDevice, stream));
        TEST_CUDA(cudaGraphLaunch(replay, stream));
        TEST_CUDA(cudaStreamSynchronize(stream));
        TEST_CUDA(cudaMemcpy(t.found, t.c.data, (size_t)t.c.bytes, cudaMemcpyDeviceToHost));
        sparse_twin_run_cpu(&t, 1, 0);
        sparse_twin_expect(&t, p);
    }
    TEST_CUDA(cudaGraphExecDestroy(replay));
    TEST_CUDA(cudaGraphDestroy(graph));
    TEST_CUDA(cudaStreamDestroy(stream));
    sparse_twin_free(&t);
}

static void a_graph_replays_a_product_with_new_values(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const struct test_sparse_product cut = cut_triple(a), mixed = test_sparse_mixed_rows(SPMM_F32);
    expect_replays(&cut, NULL);
    expect_replays(&cut, "pull");
    expect_replays(&cut, "columns");
    expect_replays(&mixed, NULL);
    expect_replays(&mixed, "columns");
    test_matrix_free(a);
    test_sparse_mixed_rows_free(&mixed);
}

/* Checks the pattern with indices of 64 bits. */
static void expect_wide_pattern(const struct sparse_twin *t)
{
    const size_t rows = (size_t)t->info.rows + 1, count = rows + (size_t)t->info.nnz;
    int64_t *host = calloc(count, sizeof *host), *found = calloc(count, sizeof *found), *device;
    assert_non_null(host);
    assert_non_null(found);
    TEST_CUDA(cudaMalloc((void **)&device, count * sizeof *device));
    assert_int_equal(spmm_product_pattern(t->cpu, SPMM_I64, host, SPMM_I64, host + rows, NULL, NULL),
                     SPMM_OK);
    assert_int_equal(spmm_product_pattern(t->gpu, SPMM_I64, device, SPMM_I64, device + rows, NULL, NULL),
                     SPMM_OK);
    TEST_CUDA(cudaMemcpy(found, device, count * sizeof *found, cudaMemcpyDeviceToHost));
    assert_memory_equal(host, found, count * sizeof *found);
    TEST_CUDA(cudaFree(device));
    free(found);
    free(host);
}

static void patterns_go_to_the_gpu(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct test_sparse_product p = {
        .count = 2, .factor = {a, a}, .op = {SPMM_OP_T, SPMM_OP_N}, .dtype = SPMM_F64};
    struct sparse_twin t = sparse_twin_make(&p, NULL, 0);
    const size_t rows = (size_t)t.info.rows + 1, nnz = (size_t)t.info.nnz;
    int32_t *host = calloc(rows + nnz, sizeof *host), *found = calloc(rows + nnz, sizeof *found), *device;
    assert_non_null(host);
    assert_non_null(found);
    TEST_CUDA(cudaMalloc((void **)&device, (rows + nnz) * sizeof *device));
    assert_int_equal(spmm_product_pattern(t.cpu, SPMM_I32, host, SPMM_I32, host + rows, NULL, NULL), SPMM_OK);
    for (int k = 0; k < 2; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmm_product_pattern(t.gpu, SPMM_I32, device, SPMM_I32, device + rows, NULL, NULL),
                         SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
    }
    assert_int_equal(spmm_product_pattern(t.gpu, SPMM_I32, device, SPMM_I32, device + rows, NULL, NULL),
                     SPMM_OK);
    TEST_CUDA(cudaMemcpy(found, device, (rows + nnz) * sizeof *found, cudaMemcpyDeviceToHost));
    assert_memory_equal(host, found, (rows + nnz) * sizeof *found);
    expect_wide_pattern(&t);
    TEST_CUDA(cudaFree(device));
    free(found);
    free(host);
    sparse_twin_free(&t);
    test_matrix_free(a);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const struct test_sparse_product p = cut_triple(a);
    struct sparse_twin t = sparse_twin_make(&p, "positions", 0);
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    o.force_kernel = "hash";
    assert_int_equal(spmm_product_create(t.plan, 0, &o, &product, NULL), SPMM_ERR_ARGUMENT);
    o.force_kernel = "columns";
    assert_int_equal(spmm_product_create(t.plan, SPMM_DEVICE_AUTO, &o, &product, NULL), SPMM_OK);
    spmm_product_destroy(product);
    o.force_kernel = "positions";
    for (o.device_budget_bytes = 1; o.device_budget_bytes < t.info.device_bytes; o.device_budget_bytes *= 2)
        assert_int_equal(spmm_product_create(t.plan, 0, &o, &product, NULL), SPMM_ERR_PLAN_BUDGET);
    o.device_budget_bytes = 0;
    for (o.host_budget_bytes = 1; o.host_budget_bytes < t.info.host_bytes; o.host_budget_bytes *= 2)
        assert_int_equal(spmm_product_create(t.plan, 0, &o, &product, NULL), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(spmm_product_create(t.plan, 99, NULL, &product, NULL), SPMM_ERR_NO_DEVICE);
    const void *const *operands = (const void *const *)t.operand;
    assert_int_equal(spmm_product_execute(t.gpu, spmm_real(1), operands, NULL, spmm_real(0), t.c.data,
                                          t.workspace.data, t.workspace.bytes - 1, NULL, NULL),
                     SPMM_ERR_WORKSPACE);
    assert_int_equal(spmm_product_execute(t.gpu, spmm_real(1), operands, NULL, spmm_real(0), t.operand[0],
                                          t.workspace.data, t.workspace.bytes, NULL, NULL),
                     SPMM_ERR_OVERLAP);
    sparse_twin_free(&t);
    test_matrix_free(a);
}

/* A plan that contains the product of other matrices fails the proof of its pattern. */
static void a_pattern_that_is_not_the_products_is_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *b = test_matrix_named("lower triangle", TEST_VALUES_REAL);
    const struct test_sparse_product p = {.count = 2, .factor = {b, b}, .dtype = SPMM_F64},
                                     q = {.count = 2, .factor = {a, a}, .dtype = SPMM_F64};
    spmm_plan_t *plan = test_sparse_plan(&p), *other = test_sparse_plan(&q);
    spmm_product_t *product = NULL;
    struct spmmi_spgemm *const right = plan->product;
    plan->product = other->product;
    assert_int_equal(spmm_product_create(plan, 0, NULL, &product, NULL), SPMM_ERR_PLAN_PRODUCT);
    assert_null(product);
    plan->product = right;
    spmm_plan_destroy(plan);
    spmm_plan_destroy(other);
    test_matrix_free(a);
    test_matrix_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_the_bits_of_the_cpu),
        cmocka_unit_test(every_form_has_the_bits_of_the_cpu),
        cmocka_unit_test(long_entries_have_the_bits_of_the_cpu),
        cmocka_unit_test(larger_rows_have_the_bits_of_the_cpu),
        cmocka_unit_test(kernels_are_taken_by_rule),
        cmocka_unit_test(kernels_of_every_kind_share_a_product),
        cmocka_unit_test(items_with_masks_take_turns),
        cmocka_unit_test(pulled_rows_need_no_workspace),
        cmocka_unit_test(ranges_of_bases_have_the_bits_of_the_cpu),
        cmocka_unit_test(ranges_of_any_width_have_the_bits_of_the_cpu),
        cmocka_unit_test(positions_of_wide_items_have_turns),
        cmocka_unit_test(positions_are_shared_by_rows_that_are_alike),
        cmocka_unit_test(factors_of_the_product),
        cmocka_unit_test(special_values_have_the_bits_of_the_cpu),
        cmocka_unit_test(zeros_of_pieces_have_the_bits_of_the_cpu),
        cmocka_unit_test(a_thousand_products_have_the_same_bits),
        cmocka_unit_test(a_graph_replays_a_product_with_new_values),
        cmocka_unit_test(patterns_go_to_the_gpu),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(a_pattern_that_is_not_the_products_is_refused),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
