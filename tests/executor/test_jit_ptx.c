/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for small matrices (executor/jit/jit_ptx.h): which matrices get one, and that the emitted program
 * gives the bits of rows/row-split. An interpreter (ptx_machine.h) runs them. ptxas assembles them if it is
 * installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "executor/jit/jit_ptx.h"
#include "format/base/alloc.h"
#include "ptx_machine.h"
#include "tests/support/child.h"
#include "tests/support/dense.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

/* Values that reveal a wrong literal, a missing sign, a lost bit or a skipped zero. */
static const double hostile[] = {0.0,      -0.0, 1e-40,  -1e-45,       1.17549435e-38, 3.4e38, -3.4e38,
                                 INFINITY, -1.0, 0x1p-1, 0x1.fffffep0, -INFINITY,      5e-324, 1.7e308};

struct operator
{
    struct test_matrix *matrix;
    void *values;
    struct spmmi_jit_matrix a;
};

static bool random_stores(const struct test_pattern *pattern, int64_t i, int64_t j)
{
    if (pattern->rows > 5 && i % 5 == 3)
        return false; /* rows without entries */
    if (i + j == 0)
        return true;
    return pattern->rows * pattern->cols < 600 ? test_chance(i + 77 * pattern->cols, j, 3)
                                               : test_chance(i, j + 3 * pattern->rows, 16);
}

/* All combinations of types for which kernels are compiled. Each of them has operators. */
static const struct spmmi_types types_list[] = {
#define TYPES(a, b, c, sum) {SPMM_##a, SPMM_##b, SPMM_##c, SPMM_##sum},
#include "format/base/types_list.def"
#undef TYPES
};
#define TYPES_COUNT (int)(sizeof types_list / sizeof types_list[0])

static struct spmmi_types types_of(spmm_dtype_t dtype)
{
    return *spmmi_types_find((struct spmmi_types){dtype, dtype, dtype, 0});
}

/* Returns a random matrix of this size. is_hostile: its values are those of `hostile`. */
static struct operator operator_make(int64_t rows, int64_t cols, struct spmmi_types types, bool is_hostile)
{
    const struct test_pattern pattern = {"random", rows, cols, random_stores};
    struct operator made = {.matrix = test_matrix_of(&pattern, TEST_VALUES_REAL)};
    for (int64_t q = 0; is_hostile && q < made.matrix->nnz; q++)
        made.matrix->values[q] = hostile[test_hash((uint64_t)q, 5) % (sizeof hostile / sizeof hostile[0])];
    if (is_hostile && made.matrix->nnz > 3)
        made.matrix->values[3] = NAN;
    made.values = test_values_of(made.matrix, types.a);
    made.a =
        (struct spmmi_jit_matrix){rows, cols, made.matrix->row_ptr, made.matrix->col_ind, made.values, types};
    return made;
}

static void operator_free(struct operator* made)
{
    free(made->values);
    test_matrix_free(made->matrix);
}

static char *emit(const struct spmmi_jit_matrix *a, uint32_t *bytes)
{
    const char *why = NULL;
    char *text = spmmi_jit_ptx_emit(a, bytes, &why);
    if (text == NULL)
        fail_msg("%s", why);
    assert_null(why);
    assert_int_equal(strlen(text), *bytes);
    return text;
}

/* Returns C(i, j) as the kernel of rows computes it. C is not read if beta is 0. */
static double expected(const struct operator* o, const struct test_dense *b, const struct test_dense *c,
                       int64_t i, int64_t j, double alpha, double beta)
{
    const bool is_double = o->a.types.sum == SPMM_F64, is_empty = o->a.row_ptr[i] == o->a.row_ptr[i + 1];
    double sum = 0, factor = is_empty ? 0 : alpha;
    for (int64_t q = o->a.row_ptr[i]; q < o->a.row_ptr[i + 1]; q++) {
        const double x = test_value_get(o->a.types.a, o->values, q),
                     y = test_dense_get(b, o->a.col_ind[q], j);
        sum = is_double ? fma(x, y, sum) : (double)fmaf((float)x, (float)y, (float)sum);
    }
    if (is_double)
        return beta != 0 ? fma(factor, sum, beta * test_dense_get(c, i, j)) : factor * sum;
    const float product = (float)factor * (float)sum;
    const float old = beta == 0 ? 0 : (float)beta * (float)test_dense_get(c, i, j);
    const float full = beta == 0 ? product : fmaf((float)factor, (float)sum, old);
    return test_value_round(c->view.type, (double)full);
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static const char *block_end(const struct test_dense *dense)
{
    return dense->block + dense->block_bytes;
}

static struct ptx_launch launch_of(const struct test_dense *b, const struct test_dense *c, double alpha,
                                   double beta)
{
    const uint64_t b_size = spmm_dtype_size(b->view.type), c_size = spmm_dtype_size(c->view.type);
    const bool b_by_rows = b->view.layout == SPMM_ROW_MAJOR, c_by_rows = c->view.layout == SPMM_ROW_MAJOR;
    return (struct ptx_launch){.b = (uintptr_t)b->view.data,
                               .c = (uintptr_t)c->view.data,
                               .b_column = b_size * (b_by_rows ? 1 : (uint64_t)b->view.ld),
                               .c_column = c_size * (c_by_rows ? 1 : (uint64_t)c->view.ld),
                               .b_row = (uint32_t)(b_size * (b_by_rows ? (uint64_t)b->view.ld : 1)),
                               .c_row = (uint32_t)(c_size * (c_by_rows ? (uint64_t)c->view.ld : 1)),
                               .n = (uint32_t)b->view.cols,
                               .alpha = alpha,
                               .beta = beta,
                               .blocks =
                                   (uint32_t)((b->view.cols + SPMMI_JIT_THREADS - 1) / SPMMI_JIT_THREADS),
                               .threads = SPMMI_JIT_THREADS,
                               .b_begin = b->block,
                               .b_end = block_end(b),
                               .c_begin = c->block,
                               .c_end = block_end(c)};
}

/* Runs the program of o for this product, compares every element of C with the expected one, and checks that
 * gaps and guards are unchanged. */
static void check_product(const struct operator* o, const struct ptx_program *program,
                          const struct test_product *product)
{
    struct test_dense b = test_product_b(o->matrix, o->a.types.b, product);
    struct test_dense c = test_product_c(o->matrix, o->a.types.c, product);
    const struct test_dense before = test_dense_copy(&c);
    char why[160];
    const struct ptx_launch launch = launch_of(&b, &c, product->alpha, product->beta);
    if (!ptx_program_run(program, &launch, why))
        fail_msg("%s", why);
    for (int64_t i = 0; i < o->a.rows; i++)
        for (int64_t j = 0; j < product->n; j++) {
            const double want = expected(o, &b, &before, i, j, product->alpha, product->beta);
            const double got = test_dense_get(&c, i, j);
            if (!same(got, want))
                fail_msg("%lld x %lld, n %lld: C(%lld, %lld) is %a, expected %a", (long long)o->a.rows,
                         (long long)o->a.cols, (long long)product->n, (long long)i, (long long)j, got, want);
        }
    assert_true(test_dense_same_gaps(&before, &c));
    test_dense_free(&b);
    test_dense_free(&c);
    free(before.block);
}

static const struct {
    int64_t rows, cols;
} sizes[] = {{1, 1}, {7, 5}, {8, 8}, {17, 3}, {3, 40}, {64, 190}, {190, 64}, {90, 400}, {400, 90}};

/* Returns how many combinations of types are tested at this size. Large matrices use only the first four, in
 * which A, B and C have the same type: the programs of the others have the same instructions. */
static int types_count(size_t size)
{
    return sizes[size].rows * sizes[size].cols < 1000 ? TYPES_COUNT : 4;
}

static void programs_compute_the_bits_of_the_plain_loop(void **state)
{
    static const struct test_product products[] = {
        {SPMM_OP_N, 1, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 0, 0, 0, 1, 0, TEST_VALUES_REAL},
        {SPMM_OP_N, 129, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 3, 5, 0, 0.75, -1.25, TEST_VALUES_REAL},
        {SPMM_OP_N, 5, SPMM_COL_MAJOR, SPMM_ROW_MAJOR, 2, 0, 1, -2, 0, TEST_VALUES_REAL},
        {SPMM_OP_N, 4, SPMM_ROW_MAJOR, SPMM_COL_MAJOR, 0, 1, 1, INFINITY, 1, TEST_VALUES_REAL},
        {SPMM_OP_N, 3, SPMM_COL_MAJOR, SPMM_COL_MAJOR, 0, 0, 0, 3, NAN, TEST_VALUES_REAL},
    };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = 0; kind < 2 * types_count(s); kind++) {
            struct operator o =
                operator_make(sizes[s].rows, sizes[s].cols, types_list[kind / 2], kind % 2 == 1);
            uint32_t bytes = 0;
            char why[160], *text = emit(&o.a, &bytes);
            struct ptx_program *program = ptx_program_make(text, why);
            if (program == NULL)
                fail_msg("%s", why);
            for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
                check_product(&o, program, &products[i]);
            ptx_program_free(program);
            spmmi_free(text);
            operator_free(&o);
        }
}

/* The CPU kernel sums in the same order as a program if a tile of C is wider than 128 bytes. */
static void programs_have_the_bits_of_rows_on_the_cpu(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4 * TYPES_COUNT; kind++) {
        const struct spmmi_types types = types_list[kind / 4];
        const struct test_product product = {
            SPMM_OP_N,       64, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 0, 0, 0, 1.5, kind % 2 == 0 ? 0.0 : 0.5,
            TEST_VALUES_REAL};
        struct operator o = operator_make(120, 80, types, kind / 2 % 2 == 1);
        const struct test_plan_options options = {types.a, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
        spmm_plan_t *plan = test_plan_build(o.matrix, options);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, "cpu/rows/row-split");
        struct test_dense b = test_product_b(o.matrix, types.b, &product),
                          c = test_product_c(o.matrix, types.c, &product);
        struct test_dense twin = test_dense_copy(&c);
        uint32_t bytes = 0;
        char why[160], *text = emit(&o.a, &bytes);
        struct ptx_program *program = ptx_program_make(text, why);
        assert_non_null(program);
        const struct ptx_launch launch = launch_of(&b, &c, product.alpha, product.beta);
        assert_true(ptx_program_run(program, &launch, why));
        test_product_run(executor, &product, &b, &twin);
        for (int64_t i = 0; i < o.a.rows; i++)
            for (int64_t j = 0; j < product.n; j++)
                assert_true(same(test_dense_get(&c, i, j), test_dense_get(&twin, i, j)));
        ptx_program_free(program);
        spmmi_free(text);
        test_dense_free(&b);
        test_dense_free(&c);
        test_dense_free(&twin);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        operator_free(&o);
    }
}

/* The text has all bits of every value. */
static void values_are_written_bit_by_bit(void **state)
{
    static const int64_t row_ptr[] = {0, 6};
    static const int32_t col_ind[] = {0, 1, 2, 3, 4, 5};
    static const float f32[] = {NAN, -INFINITY, -0.0f, 0x1p-149f, 1.0f, -3.4028235e38f};
    static const double f64[] = {NAN, -INFINITY, -0.0, 0x1p-1074, 1.0, -1.7976931348623157e308};
    static const uint16_t f16[] = {0x7e00, 0xfc00, 0x8000, 0x0001, 0x3c00, 0xfbff};
    static const uint16_t bf16[] = {0x7fc0, 0xff80, 0x8000, 0x0001, 0x3f80, 0xff7f};
    static const struct {
        spmm_dtype_t dtype;
        const void *values;
        const char *texts[6];
    } cases[] = {
        {SPMM_F32, f32, {"0f7FC00000", "0fFF800000", "0f80000000", "0f00000001", "0f3F800000", "0fFF7FFFFF"}},
        {SPMM_F64,
         f64,
         {"0d7FF8000000000000", "0dFFF0000000000000", "0d8000000000000000", "0d0000000000000001",
          "0d3FF0000000000000", "0dFFEFFFFFFFFFFFFF"}},
        {SPMM_F16, f16, {"0f7FC00000", "0fFF800000", "0f80000000", "0f33800000", "0f3F800000", "0fC77FE000"}},
        {SPMM_BF16,
         bf16,
         {"0f7FC00000", "0fFF800000", "0f80000000", "0f00010000", "0f3F800000", "0fFF7F0000"}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct spmmi_jit_matrix a = {1, 6, row_ptr, col_ind, cases[k].values, types_of(cases[k].dtype)};
        uint32_t bytes = 0;
        char *text = emit(&a, &bytes);
        for (int i = 0; i < 6; i++) {
            char line[96];
            (void)snprintf(line, sizeof line, "\nfma.rn.%s %%s0, %s, %%b%d, %%s0;\n",
                           spmm_dtype_name(a.types.sum), cases[k].texts[i], i);
            if (strstr(text, line) == NULL)
                fail_msg("no %s in %s", line, text);
        }
        spmmi_free(text);
    }
}

/* Returns the reason why a matrix gets no program, "" if it gets one. Each of its rows has `each` nonzeros,
 * spread over cols columns. */
static const char *refusal_of(int64_t rows, int64_t cols, int64_t each, struct spmmi_types types)
{
    int64_t *row_ptr = calloc((size_t)rows + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)(rows * each) + 1, sizeof *col_ind);
    double *values = calloc((size_t)(rows * each) + 1, sizeof *values);
    assert_true(row_ptr != NULL && col_ind != NULL && values != NULL);
    for (int64_t i = 0; i < rows; i++) {
        row_ptr[i + 1] = row_ptr[i] + each;
        for (int64_t e = 0; e < each; e++) /* ascending if each divides cols */
            col_ind[row_ptr[i] + e] = (int32_t)(e * (cols / each) + i % (cols / each));
    }
    const struct spmmi_jit_matrix a = {rows, cols, row_ptr, col_ind, values, types};
    const char *early = spmmi_jit_ptx_refuse(&a), *why = NULL;
    uint32_t bytes = 0;
    char *text = spmmi_jit_ptx_emit(&a, &bytes, &why);
    assert_true((text == NULL) == (why != NULL) && (early == NULL || early == why));
    spmmi_free(text);
    free(values);
    free(col_ind);
    free(row_ptr);
    return why != NULL ? why : "";
}

static const char *refusal(int64_t rows, int64_t cols, int64_t each, spmm_dtype_t dtype)
{
    return refusal_of(rows, cols, each, types_of(dtype));
}

static void large_matrices_are_refused(void **state)
{
    (void)state;
    assert_string_equal(refusal(64, 64, 64, SPMM_F32), "");
    assert_string_equal(refusal(241, 17, 17, SPMM_F32), "it has more than 4096 nonzeros");
    assert_string_equal(refusal(32, 64, 64, SPMM_F64), "");
    assert_string_equal(refusal(683, 3, 3, SPMM_F64), "it has more than 2048 nonzeros of f64");
    assert_string_equal(refusal(190, 8192, 1, SPMM_F32), "");
    assert_string_equal(refusal(3000, 190, 1, SPMM_F32), "");
    assert_string_equal(refusal(191, 191, 1, SPMM_F32),
                        "both its rows and its columns need more than 190 registers");
    assert_string_equal(refusal(95, 400, 2, SPMM_F64), "");
    assert_string_equal(refusal(96, 96, 1, SPMM_F64),
                        "both its rows and its columns need more than 190 registers");
    assert_string_equal(refusal(1, 8193, 1, SPMM_F32), "it has more than 8192 rows or columns");
    assert_string_equal(refusal(8193, 1, 1, SPMM_F32), "it has more than 8192 rows or columns");
    assert_string_equal(refusal(190, 8192, 1, SPMM_F16), "");
    assert_string_equal(refusal(64, 64, 64, SPMM_BF16), "");
    assert_string_equal(refusal(241, 17, 17, SPMM_F16), "it has more than 4096 nonzeros");
    assert_string_equal(refusal(191, 191, 1, SPMM_BF16),
                        "both its rows and its columns need more than 190 registers");
    assert_string_equal(refusal(0, 4, 1, SPMM_F32), "it has no nonzeros");
}

/* Combinations that no kernel has, and an invalid type. */
static void other_types_are_refused(void **state)
{
    static const struct spmmi_types others[] = {{SPMM_F64, SPMM_F32, SPMM_F32, SPMM_F64},
                                                {SPMM_F16, SPMM_BF16, SPMM_F16, SPMM_F32},
                                                {SPMM_F16, SPMM_F16, SPMM_F16, SPMM_F64},
                                                {SPMM_F32, (spmm_dtype_t)99, SPMM_F32, SPMM_F32}};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_string_equal(refusal_of(4, 4, 1, others[i]), "no operator has values of these types");
}

/* Rows without entries need text too: 8192 of them exceed the limit. */
static void long_programs_are_refused(void **state)
{
    static int64_t row_ptr[8193];
    static const int32_t col_ind[] = {0};
    static const float values[] = {1};
    const char *why = NULL;
    uint32_t bytes = 0;
    (void)state;
    row_ptr[8192] = 1;
    const struct spmmi_jit_matrix a = {8192, 1, row_ptr, col_ind, values, types_of(SPMM_F32)};
    assert_null(spmmi_jit_ptx_refuse(&a));
    assert_null(spmmi_jit_ptx_emit(&a, &bytes, &why));
    assert_string_equal(why, "its program is longer than 1 MiB");
}

static void without_memory_there_is_no_program(void **state)
{
    // A matrix for which the emitter makes a transpose.
    struct operator o = operator_make(90, 400, types_of(SPMM_F64), false);
    const int64_t live = spmmi_alloc_live();
    (void)state;
    for (int64_t k = 0; k < 5; k++) {
        const char *why = NULL;
        uint32_t bytes = 0;
        spmmi_alloc_fail_at(k, 0);
        char *text = spmmi_jit_ptx_emit(&o.a, &bytes, &why);
        spmmi_alloc_fail_at(-1, 0);
        assert_null(text);
        assert_string_equal(why, "out of memory");
        assert_int_equal(spmmi_alloc_live(), live);
    }
    operator_free(&o);
}

/* Returns the exit status of ptxas for a file. */
static int assemble(const char *path, const char *arch)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)execl(SPMM_PTXAS, "ptxas", arch, "--warning-as-error", "-o", "/dev/null", path, (char *)NULL);
        _exit(127);
    }
    return child_wait(child);
}

static void the_assembler_takes_them(void **state)
{
    static const char *const archs[] = {"-arch=sm_80", "-arch=sm_90"};
    char path[] = "/tmp/spmm_ptx_XXXXXX";
    (void)state;
    if (SPMM_PTXAS[0] == '\0')
        skip();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = 0; kind < types_count(s); kind++) {
            struct operator o = operator_make(sizes[s].rows, sizes[s].cols, types_list[kind], true);
            uint32_t bytes = 0;
            char *text = emit(&o.a, &bytes);
            const int file = s + (size_t)kind == 0 ? mkstemp(path) : open(path, O_WRONLY | O_TRUNC);
            assert_int_equal(write(file, text, bytes), bytes);
            (void)close(file);
            if (assemble(path, archs[(s + (size_t)kind) % 2]) != 0)
                fail_msg("%s of %lld x %lld is refused", archs[(s + (size_t)kind) % 2],
                         (long long)sizes[s].rows, (long long)sizes[s].cols);
            spmmi_free(text);
            operator_free(&o);
        }
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_compute_the_bits_of_the_plain_loop),
        cmocka_unit_test(programs_have_the_bits_of_rows_on_the_cpu),
        cmocka_unit_test(values_are_written_bit_by_bit),
        cmocka_unit_test(large_matrices_are_refused),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(long_programs_are_refused),
        cmocka_unit_test(without_memory_there_is_no_program),
        cmocka_unit_test(the_assembler_takes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
