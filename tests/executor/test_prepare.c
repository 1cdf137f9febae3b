/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_executor_prepare with a GPU and a driver that answer as each case says: what is compiled, loaded and
 * run. After any failure, products run as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

#include "executor/executor_state.h"
#include "fake_driver.h"
#include "fake_gpu.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"
#include "prepare_scene.h"

static void an_operator_is_compiled_once_and_then_loaded(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_LOAD);
    spmm_executor_info_t before = {.struct_size = sizeof before}, after = before;
    (void)state;
    expect(prepare(executor, plan, SPMM_OP_N, 8192, 0), SPMM_PREPARED_NOT, "it is not in the cache");
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &before, NULL), SPMM_OK);
    spmm_executor_destroy(executor);
    executor = executor_of(plan, SPMM_JIT_ON);
    assert_false(is_operator(executor, plan, SPMM_OP_N, 8192));
    expect(prepare(executor, plan, SPMM_OP_N, 20000, 0), SPMM_PREPARED_COMPILED, "");
    expect(prepare(executor, plan, SPMM_OP_N, 8192, 0), SPMM_PREPARED_BEFORE, "");
    assert_int_equal(fake_driver.calls[FAKE_link_complete], 1);
    assert_true(is_operator(executor, plan, SPMM_OP_N, 8192));
    assert_false(is_operator(executor, plan, SPMM_OP_N, 8191));
    assert_false(is_operator(executor, plan, SPMM_OP_T, 8192));
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &after, NULL), SPMM_OK);
    assert_true(after.device_bytes > before.device_bytes && after.host_bytes == before.host_bytes);
    assert_int_equal(before.peak_device_bytes, FAKE_GPU_PEAK); /* during creation */
    assert_int_equal(after.peak_device_bytes, FAKE_GPU_PEAK + after.device_bytes - FAKE_GPU_BYTES);
    expect(prepare(executor, plan, SPMM_OP_N, 2, SPMM_PREPARE_ANY_WIDTH), SPMM_PREPARED_BEFORE, "");
    assert_true(is_operator(executor, plan, SPMM_OP_N, 2) && !is_operator(executor, plan, SPMM_OP_N, 1));
    spmm_executor_destroy(executor);
    static const spmm_jit_level_t levels[] = {SPMM_JIT_AUTO, SPMM_JIT_LOAD, SPMM_JIT_ON};
    for (int i = 0; i < 3; i++) {
        executor = executor_of(plan, levels[i]);
        expect(prepare(executor, plan, SPMM_OP_N, 8192, 0), SPMM_PREPARED_LOADED, "");
        assert_true(is_operator(executor, plan, SPMM_OP_N, 8192));
        spmm_executor_destroy(executor);
    }
    executor = executor_of(plan, SPMM_JIT_OFF);
    expect(prepare(executor, plan, SPMM_OP_N, 8192, 0), SPMM_PREPARED_NOT, "SPMM_JIT_OFF");
    spmm_executor_destroy(executor);
    assert_int_equal(fake_driver.calls[FAKE_link_complete], 1);
    spmm_plan_destroy(plan);
}

/* Code for one compute capability is not used for another. */
static void another_compute_capability_is_compiled_for(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        fake_gpu.target = turn % 2 == 0 ? 90 : 80;
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0),
               turn < 2 ? SPMM_PREPARED_COMPILED : SPMM_PREPARED_LOADED, "");
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
}

/* Operators have the bits of rows/row-split on the CPU, for all layouts and both ops. */
static void products_of_operators_have_the_bits_of_rows(void **state)
{
    static const struct test_product products[] = {
        {SPMM_OP_N, 64, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 0, 0, 0, 1, 0, TEST_VALUES_REAL},
        {SPMM_OP_N, 64, SPMM_COL_MAJOR, SPMM_ROW_MAJOR, 3, 1, 1, 0.1, 0, TEST_VALUES_REAL},
        {SPMM_OP_N, 64, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 1, 2, 0, -0.3, 0.7, TEST_VALUES_REAL},
        {SPMM_OP_T, 64, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 0, 0, 0, 2, 1, TEST_VALUES_REAL},
    };
    struct test_matrix *a = matrix_make();
    (void)state;
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    for (int type = 0; type < 4; type++) {
        const spmm_dtype_t dtype = dtypes[type];
        spmm_plan_t *plan = plan_make(dtype);
        spmm_executor_t *on_cpu = test_executor_make(plan, SPMM_DEVICE_CPU, 1, "cpu/rows/row-split");
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        fake_driver_works();
        for (int op = 0; op < 2; op++) {
            expect(prepare(executor, plan, (spmm_op_t)op, 1, SPMM_PREPARE_ANY_WIDTH), SPMM_PREPARED_COMPILED,
                   "");
            expect(prepare_layout(executor, plan, (spmm_op_t)op, 1, SPMM_COL_MAJOR, SPMM_PREPARE_ANY_WIDTH),
                   SPMM_PREPARED_BEFORE, "");
        }
        for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
            struct test_dense b = test_product_b(a, dtype, &products[i]);
            struct test_dense c = test_product_c(a, dtype, &products[i]);
            struct test_dense twin = test_dense_copy(&c);
            test_product_run(executor, &products[i], &b, &c);
            test_product_run(on_cpu, &products[i], &b, &twin);
            assert_memory_equal(c.block, twin.block, c.block_bytes);
            test_dense_free(&b);
            test_dense_free(&c);
            test_dense_free(&twin);
        }
        assert_true(fake_driver.calls[FAKE_launch] >= 4);
        spmm_executor_destroy(on_cpu);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* A plan of f64 with variants of f32: the operator has the values that the executor rounded to f32. */
static void an_operator_is_of_the_executors_type(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F64);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_preparation_t result = {.struct_size = sizeof result};
    (void)state;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        plan->variants[i].compute = SPMM_COMPUTE_F32;
    const spmm_dense_t b = {NULL, plan->cols, 16384, 16384, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {NULL, plan->rows, 16384, 16384, SPMM_ROW_MAJOR, SPMM_F32};
    float *rounded = calloc((size_t)plan->nnz, sizeof *rounded);
    assert_non_null(rounded);
    for (int64_t q = 0; q < plan->nnz; q++)
        rounded[q] = (float)((const double *)plan->values)[q];
    parts_make(plan);
    fake_gpu.values = rounded;
    fake_gpu.value_bytes = (uint64_t)plan->nnz * sizeof *rounded;
    options.jit = SPMM_JIT_ON;
    options.a_type = SPMM_F32;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_OK);
    expect(result, SPMM_PREPARED_COMPILED, "");
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, SPMMI_JIT_KERNEL);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    free(rounded);
}

/* If B and C have other types than A, they get an operator of their own, made from the same values. */
static void each_types_of_operands_have_their_operator(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    static const spmm_dtype_t operands[] = {SPMM_F16, SPMM_BF16, SPMM_F32};
    (void)state;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 3; i++) {
            spmm_dense_t b, c;
            spmm_preparation_t result = {.struct_size = sizeof result};
            spmm_executor_info_t info = {.struct_size = sizeof info};
            describe(plan, SPMM_OP_N, 16384, &b, &c);
            b.type = c.type = operands[i];
            assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
            assert_true((strcmp(info.kernel, SPMMI_JIT_KERNEL) == 0) == (turn == 1));
            assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_OK);
            expect(result, turn == 0 ? SPMM_PREPARED_COMPILED : SPMM_PREPARED_BEFORE, "");
        }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

/* Computes one product with n = 2. Returns its status. */
static spmm_status_t multiply(const spmm_executor_t *executor, const spmm_plan_t *plan, double alpha)
{
    static float room[2][1024 * 2];
    static _Alignas(256) char workspace[FAKE_GPU_WORKSPACE];
    spmm_dense_t b, c;
    describe(plan, SPMM_OP_N, 2, &b, &c);
    assert_true(plan->rows <= 1024 && plan->cols <= 1024);
    b.data = room[0];
    c.data = room[1];
    return spmm_execute(executor, SPMM_OP_N, spmm_real(alpha), &b, spmm_real(0), &c, workspace,
                        sizeof workspace, NULL, NULL);
}

static void only_products_that_read_a_run_it(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    (void)state;
    (void)prepare(executor, plan, SPMM_OP_N, 1, SPMM_PREPARE_ANY_WIDTH);
    assert_int_equal(multiply(executor, plan, 1), SPMM_OK);
    assert_int_equal(multiply(executor, plan, 0), SPMM_OK);
    assert_int_equal(fake_driver.calls[FAKE_launch], 1);
    for (int i = 0; i < 2; i++) {
        fake_driver.fails = i == 0 ? FAKE_launch : FAKE_context_push;
        assert_int_equal(multiply(executor, plan, 1), SPMM_ERR_DEVICE);
    }
    fake_driver.fails = FAKE_NONE;
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void new_values_end_its_use(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    float *values = malloc((size_t)plan->nnz * sizeof *values);
    (void)state;
    assert_non_null(values);
    for (int64_t q = 0; q < plan->nnz; q++)
        values[q] = (float)q;
    (void)prepare(executor, plan, SPMM_OP_N, 16384, 0);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    assert_false(is_operator(executor, plan, SPMM_OP_N, 16384));
    assert_int_equal(fake_driver.modules, 1); /* a CUDA graph may still use its kernel */
    fake_gpu.values = values;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_COMPILED, "");
    assert_true(is_operator(executor, plan, SPMM_OP_N, 16384));
    assert_int_equal(fake_driver.modules, 2);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    free(values);
}

static spmm_executor_t *changed;
static const void *changed_values;

static void change_values(void)
{
    assert_int_equal(spmm_executor_set_values(changed, changed_values, NULL, NULL), SPMM_OK);
}

static void values_that_change_meanwhile_make_it_stale(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = changed = executor_of(plan, SPMM_JIT_ON);
    (void)state;
    changed_values = plan->values;
    fake_driver.at_compile = change_values;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_STALE, "");
    assert_false(is_operator(executor, plan, SPMM_OP_N, 16384));
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.device_bytes, FAKE_GPU_BYTES); /* the code was freed */
    assert_true(info.peak_device_bytes > FAKE_GPU_PEAK);
    fake_driver.at_compile = NULL;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_LOADED, "");
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void a_driver_that_fails_changes_nothing(void **state)
{
    static const struct {
        enum fake_driver_call fails;
        const char *note;
    } cases[] = {
        {FAKE_device_get, "CUDA's driver does not know the GPU"},
        {FAKE_context_retain, "CUDA's driver does not know the GPU"},
        {FAKE_context_push, "CUDA's driver does not enter the GPU's context"},
        {FAKE_link_create, "the driver has no compiler"},
        {FAKE_link_add, "the driver does not compile the program"},
        {FAKE_link_complete, "the driver does not compile the program"},
        {FAKE_module_load, "the driver does not load what it compiled"},
        {FAKE_module_function, "the driver does not load what it compiled"},
        {FAKE_function_attribute, "the driver does not load what it compiled"},
    };
    spmm_plan_t *plan = plan_make(SPMM_F32);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        fake_driver.fails = cases[i].fails;
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, cases[i].note);
        fake_driver.fails = FAKE_NONE;
        assert_false(is_operator(executor, plan, SPMM_OP_N, 16384));
        spmm_executor_destroy(executor);
    }
    static const char *const notes[] = {"does not load", "impossible size", "impossible size", ""};
    for (int i = 0; i < 4; i++) {
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        fake_driver.threads_max = i == 0 ? 64 : 0;
        fake_driver.code_bytes = i == 1 ? (size_t)SPMMI_JIT_FILE_MAX + 1 : 0;
        fake_driver.code_is_empty = i == 2;
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0),
               i < 3 ? SPMM_PREPARED_NOT : SPMM_PREPARED_COMPILED, notes[i]);
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
}

/* The driver refuses code from the cache that it accepted before, as after a driver update. */
static void code_that_the_driver_refuses_is_compiled_again(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        static const spmm_prepared_t how[] = {SPMM_PREPARED_COMPILED, SPMM_PREPARED_NOT, SPMM_PREPARED_NOT,
                                              SPMM_PREPARED_COMPILED};
        spmm_executor_t *executor = executor_of(plan, turn == 2 ? SPMM_JIT_LOAD : SPMM_JIT_ON);
        fake_driver.fails = turn == 1 ? FAKE_module_load : FAKE_NONE;
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), how[turn], "");
        fake_driver.fails = FAKE_NONE;
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
}

/* Without a disk cache the operator is compiled each time, and the note has the reason. */
static void without_a_disk_cache_there_is_a_note(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    (void)state;
    (void)setenv("SPMM_CACHE_DIR", "", 1);
    for (int turn = 0; turn < 2; turn++) {
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_COMPILED,
               "no disk cache: SPMM_CACHE_DIR is empty");
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
}

static void without_the_drivers_library_nothing_changes(void **state)
{
    static const char *const files[] = {"libspmm_there_is_no_such_library.so", "libm.so.6"};
    static const char *const notes[] = {"CUDA's driver cannot be loaded", "CUDA's driver lacks a function"};
    spmm_plan_t *plan = plan_make(SPMM_F32);
    (void)state;
    fake_driver_gone();
    for (int i = 0; i < 2; i++) {
        spmmi_jit_driver_file_hook = files[i];
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, notes[i]);
        assert_int_equal(multiply(executor, plan, 1), SPMM_OK);
        spmm_executor_destroy(executor);
    }
    spmmi_jit_driver_file_hook = NULL;
    spmm_plan_destroy(plan);
}

static void plans_and_products_without_operators_are_told(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    expect(prepare(executor, plan, SPMM_OP_N, 8191, 0), SPMM_PREPARED_NOT, "at least 8192 columns");
    expect(prepare_layout(executor, plan, SPMM_OP_N, 16384, SPMM_COL_MAJOR, 0), SPMM_PREPARED_NOT,
           "row-major products");
    spmm_dense_t b, c;
    spmm_preparation_t result = {.struct_size = sizeof result};
    describe(plan, SPMM_OP_N, 16384, &b, &c);
    c.layout = SPMM_COL_MAJOR;
    c.ld = c.rows;
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_OK);
    expect(result, SPMM_PREPARED_NOT, "row-major products");
    executor->has_values = false;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, "no values yet");
    spmm_executor_destroy(executor);
    options.force_kernel = "rows/row-split";
    options.jit = SPMM_JIT_ON;
    parts_make(plan);
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, "a kernel is forced");
    spmm_executor_destroy(executor);
    plan->parts[0].flags |= SPMMI_PART_PERMUTES_OUTPUT;
    executor = executor_of(plan, SPMM_JIT_ON);
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, "permutes the rows of C");
    spmm_executor_destroy(executor);
    plan->parts[0].flags &= ~(uint32_t)SPMMI_PART_PERMUTES_OUTPUT;
    executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, "operators are for GPUs");
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

TEST_PATTERN(corner, i == 0 && j == 0)
TEST_PATTERN(nothing, i < 0)

/* Matrices that are too large, or without entries. */
static void matrices_without_operators_are_told(void **state)
{
    static const struct {
        struct test_pattern pattern;
        int is_copied; /* whether an executor takes memory for a copy of the pattern */
        const char *note;
    } cases[] = {{{"rows", 8193, 2, corner}, 0, "more than 8192 rows or columns"},
                 {{"columns", 2, 8193, corner}, 0, "more than 8192 rows or columns"},
                 {{"nothing", 5, 5, nothing}, 1, "it has no nonzeros"}};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_matrix *a = test_matrix_of(&cases[i].pattern, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_plan_build(a, options);
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_NOT, cases[i].note);
        assert_int_equal(spmmi_jit_bytes(plan, SPMM_JIT_ON) > spmmi_jit_bytes(plan, SPMM_JIT_OFF),
                         cases[i].is_copied);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void bad_arguments_are_refused(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_preparation_t result = {.struct_size = sizeof result}, unset = {.struct_size = 0};
    spmm_dense_t b, c;
    spmm_diag_t diag;
    (void)state;
    describe(plan, SPMM_OP_N, 16384, &b, &c);
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 2, &result, &diag),
                     SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "flags is 0x2, expected 0 or SPMM_PREPARE_ANY_WIDTH");
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &unset, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "struct_size of the preparation is 0: it was not initialised");
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "the result is NULL");
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, NULL, 0, &result, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_executor_prepare(NULL, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_ERR_ARGUMENT);
    fake_gpu.values = NULL;
    spmmi_jit_values_change(executor->jit);
    assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_ERR_DEVICE);
    spmm_executor_destroy(executor);
    options.jit = (spmm_jit_level_t)4;
    executor = NULL;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag),
                     SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "jit is 4, expected a level of spmm_jit_level_t");
    spmm_plan_destroy(plan);
}

static void without_memory_products_run_as_before(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F64);
    int is_done = 0;
    (void)state;
    for (int64_t k = 0; !is_done; k++) {
        spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
        spmm_preparation_t result = {.struct_size = sizeof result};
        spmm_dense_t b, c;
        const int64_t live = spmmi_alloc_live();
        describe(plan, SPMM_OP_T, 16384, &b, &c);
        // The disk cache is off: an allocation failure in it is a miss, after which the operator is made.
        (void)setenv("SPMM_CACHE_DIR", "", 1);
        spmmi_alloc_fail_at(k, 0);
        const spmm_status_t status = spmm_executor_prepare(executor, SPMM_OP_T, &b, &c, 0, &result, NULL);
        is_done = spmmi_alloc_count() <= k;
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_ERR_MEMORY ? k == 0 : status == SPMM_OK);
        assert_int_equal(result.how, is_done ? SPMM_PREPARED_COMPILED : SPMM_PREPARED_NOT);
        assert_true(is_done || status != SPMM_OK || strncmp(result.note, "out of memory", 13) == 0);
        assert_int_equal(spmmi_alloc_live(), live + is_done);
        spmm_executor_destroy(executor);
        assert_true(k < 50);
    }
    spmm_plan_destroy(plan);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_operator_is_compiled_once_and_then_loaded),
        CASE(another_compute_capability_is_compiled_for),
        CASE(products_of_operators_have_the_bits_of_rows),
        CASE(an_operator_is_of_the_executors_type),
        CASE(each_types_of_operands_have_their_operator),
        CASE(only_products_that_read_a_run_it),
        CASE(new_values_end_its_use),
        CASE(values_that_change_meanwhile_make_it_stale),
        CASE(a_driver_that_fails_changes_nothing),
        CASE(code_that_the_driver_refuses_is_compiled_again),
        CASE(without_a_disk_cache_there_is_a_note),
        CASE(without_the_drivers_library_nothing_changes),
        CASE(plans_and_products_without_operators_are_told),
        CASE(matrices_without_operators_are_told),
        CASE(bad_arguments_are_refused),
        CASE(without_memory_products_run_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
