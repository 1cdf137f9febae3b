/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel instance of the rows family on the GPU against the long double reference and the CPU twin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/inspector.h>

#include "cuda_product.h"
#include "kernels/rows/rows_shape.h"
#include "kernels/rows/rows_short_shape.h"
#include "tests/support/plan_seal.h"

static const int64_t widths[] = {1,  2,  3,  4,  5,  7,  8,   9,   12,  16, 17,
                                 31, 32, 33, 49, 64, 97, 100, 128, 130, 256};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct test_plan_options part_options[] = {
    {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 8, 1, 0},        {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 256, 1, 0},
    {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0},    {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0},
    {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 8, 1, 0},        {SPMM_BF16, SPMM_SCHEDULE_ROW_SPLIT, 64, 1, 0},
    {SPMM_F16, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0},    {SPMM_BF16, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0},
    {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 4096, 1, 0}, {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 1, 0},
    {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 4, 1, 0},
};
#define PART_COUNT ((int)(sizeof part_options / sizeof part_options[0]))
#define MAIN_COUNT 8 /* the first cases: both schedules of every type */

/* Number of runs of each instance, by schedule, dtype, log2 of the columns per lane and log2 of the lanes. */
static int met[2][4][4][6];
/* Number of runs of the kernels of few columns, by dtype and lanes. */
static int met_staged[4][5];
static int met_shared[4], met_teams[4];

static struct test_cuda_pair pair_make(const struct test_matrix *a, struct test_plan_options options)
{
    return test_cuda_pair_make(test_plan_whole(a, options, a->name), NULL);
}

static void note_instance(const struct test_cuda_pair *pair, const struct test_matrix *a,
                          struct test_plan_options options, const struct test_product *product)
{
    const spmm_executor_info_t info = test_cuda_product_info(pair->gpu, a, options.dtype, product);
    const char *shape = strrchr(info.kernel, '/');
    unsigned vec = 0;
    unsigned lanes = 0;
    assert_non_null(shape);
    assert_int_equal(sscanf(shape, "/v%ul%u", &vec, &lanes), 2);
    if (strstr(shape, "staged") != NULL) {
        assert_in_range(vec * lanes, 1, 8);
        met_staged[options.dtype - 1][vec == 1 ? 0 : lanes]++;
        return;
    }
    if (strstr(shape, "shared") != NULL) {
        met_shared[options.dtype - 1]++;
        return;
    }
    if (strchr(shape, 'x') != NULL) { /* groups_of_a_row_can_be_forced runs all of these */
        met_teams[options.dtype - 1]++;
        return;
    }
    if (strstr(shape, "sliced") != NULL) /* test_cuda_slices runs all of these */
        return;
    if (strstr(shape, "short") != NULL) /* short_rows_have_a_group_each runs all of these */
        return;
    int log2_lanes = 0, log2_vec = 0;
    while (1u << log2_lanes < lanes)
        log2_lanes++;
    while (1u << log2_vec < vec)
        log2_vec++;
    met[options.schedule - 1][options.dtype - 1][log2_vec][log2_lanes]++;
}

static void widths_and_layouts(const struct test_cuda_pair *pair, const struct test_matrix *a,
                               struct test_plan_options options, enum test_values values, int turn)
{
    for (int w = 0; w < WIDTH_COUNT; w++)
        for (int layouts = turn & 1; layouts < 4; layouts += 2, turn += 3) {
            const int64_t gap = turn % 3 == 0 ? 0 : turn % 9;
            const struct test_product product = {
                .op = (spmm_op_t)(turn / 2 % 2),
                .n = widths[w],
                .b_layout = (spmm_layout_t)(layouts & 1),
                .c_layout = (spmm_layout_t)(layouts >> 1),
                .b_gap = gap,
                .c_gap = turn % 2 == 0 ? gap : 4,
                .shift = turn % 5 == 1 ? turn % 4 : 0,
                .alpha = test_cuda_factors[turn % TEST_CUDA_FACTORS].alpha,
                .beta = test_cuda_factors[turn % TEST_CUDA_FACTORS].beta,
                .values = values,
            };
            note_instance(pair, a, options, &product);
            test_cuda_product_check(pair->gpu, pair->cpu, a, options.dtype, &product);
        }
}

static void every_part(struct test_matrix *a, int part_count, enum test_values values, int turn)
{
    for (int o = 0; o < part_count; o++) {
        struct test_cuda_pair pair = pair_make(a, part_options[o]);
        widths_and_layouts(&pair, a, part_options[o], values, turn + o);
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

static void every_matrix(enum test_values values)
{
    for (int i = 0; i < test_matrix_count(); i++)
        every_part(test_matrix_make(i, values), PART_COUNT, values, i);
}

/* Empty, short and long rows: the cases that are affordable if kernels are emulated. */
static void uneven_rows_meet_the_error_bound(void **state)
{
    (void)state;
    every_part(test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL), MAIN_COUNT, TEST_VALUES_REAL, 0);
    every_part(test_matrix_named("dense row among sparse", TEST_VALUES_REAL), MAIN_COUNT, TEST_VALUES_REAL,
               1);
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL);
}

static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER);
}

/* Returns true if there is an instance with vec columns per lane. Few columns have kernels of their own. */
static int is_instance(int schedule, spmm_dtype_t dtype, int vec, int lanes)
{
    const int size = (int)spmm_dtype_size(dtype);
    return (vec == 1 || vec * size == 16 || (size == 2 && vec == 2)) &&
           vec * lanes > (schedule == SPMM_SCHEDULE_ROW_SPLIT ? 1 : 7);
}

/* Aligned row-major products reach the wide instances of every width, shifted ones the others, whatever
 * earlier tests reached. A gap of 2 keeps pairs of 16-bit values aligned. Rows that several groups share
 * in one turn have one group each in the other turn. */
static void every_instance_is_met(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_INTEGER);
    for (int turn = 0; turn < 2 * MAIN_COUNT; turn++) {
        const int o = turn / 2, is_row_split = part_options[o].schedule == SPMM_SCHEDULE_ROW_SPLIT;
        struct test_cuda_pair pair =
            test_cuda_pair_make(test_plan_whole(a, part_options[o], a->name),
                                turn % 2 == 1 && is_row_split ? "cuda/rows/row-split/v1l1" : NULL);
        for (int64_t n = 1; n <= 256; n = n < 8 ? n + 1 : 2 * n)
            for (int gap = 0; gap < 3; gap++) {
                const struct test_product product = {.n = n,
                                                     .b_gap = gap,
                                                     .c_gap = gap,
                                                     .shift = gap % 2,
                                                     .alpha = 1,
                                                     .values = TEST_VALUES_INTEGER};
                note_instance(&pair, a, part_options[o], &product);
                test_cuda_product_check(pair.gpu, pair.cpu, a, part_options[o].dtype, &product);
            }
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
    for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++)
        assert_true(met_shared[dtype - 1] > 0 && met_teams[dtype - 1] > 0 && met_staged[dtype - 1][0] > 0 &&
                    met_staged[dtype - 1][1] > 0 && met_staged[dtype - 1][2] > 0 &&
                    met_staged[dtype - 1][4] > 0);
    for (int i = 0; i < 2 * 4 * 4 * 6; i++) {
        const int schedule = i / 96 + 1, dtype = i / 24 % 4 + 1, vec = 1 << i / 6 % 4, lanes = 1 << i % 6;
        if ((&met[0][0][0][0])[i] == 0 && is_instance(schedule, (spmm_dtype_t)dtype, vec, lanes))
            fail_msg("no product met schedule %d of %s, %d columns, %d lanes", schedule,
                     spmm_dtype_name((spmm_dtype_t)dtype), vec, lanes);
    }
}

/* Returns a generated matrix as a test matrix. */
static struct test_matrix *generated(const char *spec)
{
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t view;
    assert_int_equal(spmm_matrix_generate(spec, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(matrix, &view), SPMM_OK);
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->name = spec;
    a->rows = view.rows;
    a->cols = view.cols;
    a->nnz = view.nnz;
    a->row_ptr = malloc(((size_t)a->rows + 1) * sizeof *a->row_ptr);
    a->col_ind = malloc((size_t)a->nnz * sizeof *a->col_ind + 1);
    a->values = malloc((size_t)a->nnz * sizeof *a->values + 1);
    memcpy(a->row_ptr, view.row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    memcpy(a->col_ind, view.col_ind, (size_t)a->nnz * sizeof *a->col_ind);
    memcpy(a->values, view.values, (size_t)a->nnz * sizeof *a->values);
    spmm_matrix_destroy(matrix);
    return a;
}

/* Matrices with so many waves of blocks that products of five columns are not staged, with rows longer
 * than many blocks, and with thousands of empty rows. */
static void large_matrices_meet_the_error_bound(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "gen:rmat:15:24",    "gen:fem3:9:9:9",     "gen:arrow:60000", "gen:powerlaw:3000:40000:90",
        "gen:dense:3:60000", "gen:empty:70000:11", "gen:diag:100000"};
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        struct test_matrix *a = generated(specs[s]);
        for (int o = 0; o < MAIN_COUNT; o++) {
            struct test_cuda_pair pair = pair_make(a, part_options[o]);
            static const int64_t large_widths[] = {1, 2, 5, 8, 17, 40};
            for (int w = 0; w < 6; w++) {
                const struct test_product product = {.op = (spmm_op_t)(w == 4),
                                                     .n = large_widths[w],
                                                     .b_layout = (spmm_layout_t)(w / 3),
                                                     .c_layout = (spmm_layout_t)(w / 3),
                                                     .alpha = 1,
                                                     .beta = w == 1 ? 2 : 0,
                                                     .values = TEST_VALUES_REAL};
                test_cuda_product_check(pair.gpu, pair.cpu, a, part_options[o].dtype, &product);
            }
            test_cuda_pair_free(&pair);
        }
        test_matrix_free(a);
    }
}

/* More column tiles than a launch can process and more columns than a pass converts, with many blocks and
 * with few. */
static void wide_products_take_several_launches(void **state)
{
    (void)state;
    static const int64_t wide[] = {519, 32768 + 5};
    for (int turn = 0; turn < 8; turn++) {
        struct test_matrix *a =
            turn < 4 ? generated("gen:rmat:15:24") : test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_make(a, part_options[turn % 2 * 2]);
        const struct test_product product = test_cuda_plain(wide[turn / 4], turn / 2 % 2 * 3);
        test_cuda_product_check(pair.gpu, NULL, a, SPMM_F32, &product);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Checks a product that must run the kernel of this name. */
static void forced_check(const struct test_matrix *a, struct test_plan_options options, const char *kernel,
                         const struct test_product *product)
{
    struct test_cuda_pair pair = test_cuda_pair_make(test_plan_whole(a, options, a->name), kernel);
    const spmm_executor_info_t info = test_cuda_product_info(pair.gpu, a, options.dtype, product);
    assert_string_equal(info.kernel, kernel);
    test_cuda_product_check(pair.gpu, pair.cpu, a, options.dtype, product);
    test_cuda_pair_free(&pair);
}

/* Each number of lanes per row can be forced for one column, whatever the length of the rows. */
static void lanes_of_a_row_can_be_forced(void **state)
{
    (void)state;
    static const unsigned lanes[] = {1, 2, 4, 8, 16, 32, 256};
    const struct test_product product = {.n = 1, .alpha = 0.5, .beta = -2, .values = TEST_VALUES_REAL};
    /* The last matrix has more rows than a wave has groups. */
    for (int i = 0; i <= test_matrix_count(); i++) {
        struct test_matrix *a =
            i < test_matrix_count() ? test_matrix_make(i, TEST_VALUES_REAL) : generated("gen:rmat:15:24");
        for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
            char kernel[64];
            (void)snprintf(kernel, sizeof kernel, "cuda/rows/row-split/v1l%ushared", lanes[l]);
            forced_check(a, part_options[l % 2], kernel, &product);
        }
        test_matrix_free(a);
    }
}

/* Returns a product for groups of this many lanes, with some columns missing in the last tile. A gap of 1
 * aligns operands to single values, a gap of 2 to pairs. *vec: columns per lane. */
static struct test_product team_product(size_t size, unsigned gap, unsigned lanes, unsigned *vec)
{
    *vec = gap == 1 ? 1 : gap == 2 && size < 8 ? SPMMI_ROWS_PAIR : 16 / (unsigned)size;
    const unsigned tile = *vec * lanes;
    return (struct test_product){.n = lanes == 32  ? tile + 3 * *vec
                                      : lanes <= 2 ? tile
                                                   : tile - *vec,
                                 .b_gap = gap,
                                 .c_gap = gap,
                                 .alpha = 0.5,
                                 .values = TEST_VALUES_REAL};
}

/* Each number of groups per row can be forced for several columns. A team is a part of a warp, or several
 * warps. */
static void groups_of_a_row_can_be_forced(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        for (unsigned turn = 0; turn < 6 * 3 * 5; turn++) {
            const unsigned type = (turn + (unsigned)i) % 4, gap = turn % 3, share = 2u << turn / 3 % 5;
            const struct test_plan_options options = part_options[type < 2 ? type : type + 2];
            const size_t size = spmm_dtype_size(options.dtype);
            unsigned lanes = 1u << turn / 15, vec = 0;
            struct test_product product = team_product(size, gap, lanes, &vec);
            product.beta = turn / 3 % 2;
            if (product.n == 1 || share * lanes > SPMMI_ROWS_THREADS)
                continue;
            if (spmmi_rows_is_apart(product.n, vec, (uint32_t)size)) {
                vec = SPMMI_ROWS_APART;
                /* More than a tile of 32 lanes, and fewer than a tile of 16. */
                product.n = share > 2 ? 99 : 35;
                lanes = share > 2 ? 32 : 16;
            }
            char kernel[64];
            (void)snprintf(kernel, sizeof kernel, "cuda/rows/row-split/v%ul%ux%u", vec, lanes, share);
            forced_check(a, options, kernel, &product);
        }
        test_matrix_free(a);
    }
}

/* All instances of short rows, forced on matrices of any rows, with operands of every alignment. */
static void short_rows_have_a_group_each(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        for (unsigned turn = 0; turn < 4 * 3 * 4; turn++) {
            const unsigned type = turn % 4, gap = turn / 4 % 3, lanes = 1u << turn / 12;
            const struct test_plan_options options = part_options[type < 2 ? type : type + 2];
            unsigned vec = 0;
            struct test_product product = team_product(spmm_dtype_size(options.dtype), gap, lanes, &vec);
            product.beta = turn % 2;
            if (product.n == 1 || lanes > SPMMI_ROWS_SHORT_LANES(vec))
                continue;
            char kernel[64];
            (void)snprintf(kernel, sizeof kernel, "cuda/rows/row-split/v%ul%ushort", vec, lanes);
            forced_check(a, options, kernel, &product);
        }
        test_matrix_free(a);
    }
}

/* The default takes the kernel of short rows only where all rows are short, columns few and C row-major. */
static void short_rows_are_found(void **state)
{
    static const struct {
        const char *matrix;
        int64_t n;
        spmm_layout_t layout;
        int is_short;
    } cases[] = {{"rows of 0 to 8", 8, SPMM_ROW_MAJOR, 1},
                 {"rows of 0 to 8", 16, SPMM_ROW_MAJOR, 1},
                 {"rows of 0 to 8", 32, SPMM_ROW_MAJOR, 0},
                 {"rows of 0 to 8", 8, SPMM_COL_MAJOR, 0},
                 {"dense row among sparse", 8, SPMM_ROW_MAJOR, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_matrix *a = test_matrix_named(cases[i].matrix, TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_make(a, part_options[0]);
        const struct test_product product = {.n = cases[i].n,
                                             .b_layout = cases[i].layout,
                                             .c_layout = cases[i].layout,
                                             .alpha = -1.5,
                                             .beta = 2,
                                             .values = TEST_VALUES_REAL};
        const spmm_executor_info_t info =
            test_cuda_product_info(pair.gpu, a, part_options[0].dtype, &product);
        assert_int_equal(strstr(info.kernel, "short") != NULL, cases[i].is_short);
        test_cuda_product_check(pair.gpu, pair.cpu, a, part_options[0].dtype, &product);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* NaN and Inf in a row of B reach exactly the rows of C whose row of A stores that column. */
static void canaries_stay_in_their_rows(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int o = 0; o < MAIN_COUNT; o++) {
        struct test_cuda_pair pair = pair_make(a, part_options[o]);
        for (int64_t column = 0; column < a->cols; column++) {
            /* These include the kernels of few columns. */
            static const int64_t canary_widths[] = {1, 4, 5, 33};
            const struct test_product product = {.n = canary_widths[column % 4],
                                                 .b_layout = (spmm_layout_t)(column % 5 == 0),
                                                 .c_layout = (spmm_layout_t)(column % 3 == 0),
                                                 .alpha = 1,
                                                 .values = TEST_VALUES_REAL};
            struct test_dense b = test_product_b(a, part_options[o].dtype, &product);
            struct test_dense c = test_product_c(a, part_options[o].dtype, &product);
            for (int64_t j = 0; j < product.n; j++)
                test_dense_set(&b, column, j, column / 4 % 2 == 0 ? (double)INFINITY : (double)NAN);
            struct test_cuda_dense device_b = test_cuda_dense_make(&b);
            struct test_cuda_dense device_c = test_cuda_dense_make(&c);
            uint64_t bytes = 0;
            assert_int_equal(spmm_executor_workspace_bytes(pair.gpu, SPMM_OP_N, &device_b.view,
                                                           &device_c.view, &bytes, NULL),
                             SPMM_OK);
            struct test_cuda_workspace workspace = test_cuda_workspace_make(bytes);
            assert_int_equal(spmm_execute(pair.gpu, SPMM_OP_N, spmm_real(1), &device_b.view, spmm_real(0),
                                          &device_c.view, workspace.data, bytes, NULL, NULL),
                             SPMM_OK);
            test_cuda_dense_read(&device_c, &c);
            test_product_check_canary(a, column, &c);
            test_cuda_workspace_free(&workspace);
            test_cuda_dense_free(&device_b);
            test_cuda_dense_free(&device_c);
            test_dense_free(&b);
            test_dense_free(&c);
        }
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uneven_rows_meet_the_error_bound),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(every_instance_is_met),
        cmocka_unit_test(large_matrices_meet_the_error_bound),
        cmocka_unit_test(wide_products_take_several_launches),
        cmocka_unit_test(lanes_of_a_row_can_be_forced),
        cmocka_unit_test(groups_of_a_row_can_be_forced),
        cmocka_unit_test(short_rows_have_a_group_each),
        cmocka_unit_test(short_rows_are_found),
        cmocka_unit_test(canaries_stay_in_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
