/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments at and beyond the limits that executors accept: NULL pointers, sizes beyond the address space,
 * device numbers. test_executor.c has what spmm_execute refuses for ordinary products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <spmm/executor.h>

#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "format/plan.h"
#include "tests/support/plan_build.h"

#define REFUSES(call) assert_int_equal(call, SPMM_ERR_ARGUMENT)

struct scene {
    spmm_plan_t *plan; /* for a 130 x 130 matrix */
    spmm_executor_t *executor;
    float room[3 * 130 * 4];
};

static int set_up(void **state)
{
    static struct scene scene;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    scene.plan = test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0});
    test_matrix_free(a);
    assert_int_equal(spmm_executor_create(scene.plan, SPMM_DEVICE_CPU, NULL, &scene.executor, NULL), SPMM_OK);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    spmm_executor_destroy(scene->executor);
    spmm_plan_destroy(scene->plan);
    return 0;
}

static void pointers_that_are_null(void **state)
{
    const struct scene *s = *state;
    const spmm_dense_t d = {NULL, 130, 4, 130, SPMM_COL_MAJOR, SPMM_F32};
    uint64_t bytes = 0;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    char name[8] = "x";
    REFUSES(spmm_executor_memory_bytes(NULL, SPMM_DEVICE_CPU, NULL, &bytes, &bytes, NULL));
    REFUSES(spmm_executor_workspace_bytes(s->executor, SPMM_OP_N, &d, &d, NULL, NULL));
    REFUSES(spmm_executor_workspace_bytes(NULL, SPMM_OP_N, &d, &d, &bytes, NULL));
    REFUSES(spmm_executor_info(NULL, SPMM_OP_N, &d, &d, &info, NULL));
    REFUSES(spmm_executor_info(s->executor, SPMM_OP_N, &d, NULL, &info, NULL));
    REFUSES(spmm_executor_info(s->executor, SPMM_OP_N, NULL, &d, &info, NULL));
    REFUSES(spmm_executor_set_values(NULL, s->room, NULL, NULL));
    REFUSES(spmm_executor_set_values(s->executor, NULL, NULL, NULL));
    REFUSES(spmm_device_name(SPMM_DEVICE_CPU, name, 0));
    assert_int_equal(name[0], 'x');
}

static void devices_that_are_none(void **state)
{
    const struct scene *s = *state;
    const int count = spmm_device_count();
    uint64_t bytes = 0;
    char name[64];
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_executor_memory_bytes(s->plan, count, NULL, &bytes, &bytes, &diag),
                     SPMM_ERR_NO_DEVICE);
    assert_non_null(strstr(diag.text, count == 0 ? "there is no GPU: built without SPMM_CUDA, or no driver"
                                                 : "counted from 0"));
    assert_int_equal(spmm_device_name(count, name, sizeof name), SPMM_ERR_NO_DEVICE);
    REFUSES(spmm_device_name(SPMM_DEVICE_AUTO, name, sizeof name));
    REFUSES(spmm_executor_memory_bytes(s->plan, SPMM_DEVICE_AUTO - 1, NULL, &bytes, &bytes, NULL));
    assert_int_equal(spmm_executor_memory_bytes(s->plan, SPMM_DEVICE_AUTO, NULL, &bytes, &bytes, NULL),
                     SPMM_OK);
    REFUSES(spmm_kernel_at(-1, &(spmm_kernel_info_t){.struct_size = sizeof(spmm_kernel_info_t)}));
    int kernels = 0;
    while (spmm_kernel_at(kernels, &(spmm_kernel_info_t){.struct_size = sizeof(spmm_kernel_info_t)}) ==
           SPMM_OK)
        kernels++;
    assert_in_range(kernels, 2, 1000);
}

/* The leading dimension separates 130 rows, or 4 columns if the columns are contiguous. */
static void matrices_past_the_address_space(void **state)
{
    struct scene *s = *state;
    static const struct {
        spmm_layout_t layout;
        int64_t ld;
    } cases[] = {
        {SPMM_ROW_MAJOR, INT64_C(142998016075267842)},  /* (rows - 1) ld is 2^64 + 2 */
        {SPMM_COL_MAJOR, INT64_C(6148914691236517205)}, /* 3 ld is 2^64 - 1, so the last column overflows */
        {SPMM_ROW_MAJOR, INT64_C(1) << 56},             /* the elements fit, their bytes do not */
        {SPMM_ROW_MAJOR, INT64_C(1) << 54}}; /* above 2^63 bytes, too many for a pointer difference */
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        spmm_dense_t d[2] = {{s->room, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32},
                             {s->room + 2 * 130 * 4, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32}};
        d[i % 2].layout = cases[i / 2].layout;
        d[i % 2].ld = cases[i / 2].ld;
        assert_int_equal(spmm_execute(s->executor, SPMM_OP_N, spmm_real(1), &d[0], spmm_real(0), &d[1], NULL,
                                      0, NULL, NULL),
                         SPMM_ERR_TOO_LARGE);
        uint64_t bytes = 0; /* data is not accessed */
        assert_int_equal(spmm_executor_workspace_bytes(s->executor, SPMM_OP_N, &d[0], &d[1], &bytes, NULL),
                         SPMM_ERR_TOO_LARGE);
    }
}

static void products_at_a_limit(void **state)
{
    struct scene *s = *state;
    spmm_dense_t b = {s->room, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32}, c = b;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    c.data = s->room + 2 * 130 * 4;
    for (int extra = 0; extra < 2; extra++) {
        const int64_t n = SPMMI_N_MAX + extra;
        const spmm_dense_t wide = {NULL, 130, n, n, SPMM_ROW_MAJOR, SPMM_F32};
        assert_int_equal(spmm_executor_info(s->executor, SPMM_OP_N, &wide, &wide, &info, NULL),
                         extra == 0 ? SPMM_OK : SPMM_ERR_TOO_LARGE);
    }
    for (int side = 0; side < 2; side++) {
        spmm_dense_t d[2] = {b, c};
        d[side].data = (void *)(UINTPTR_MAX - 1023); /* 2,080 bytes from here pass the end */
        REFUSES(spmm_execute(s->executor, SPMM_OP_N, spmm_real(1), &d[0], spmm_real(0), &d[1], NULL, 0, NULL,
                             NULL));
    }
    b.layout = (spmm_layout_t)2; /* an invalid layout; ld = 130 is enough for both layouts */
    b.ld = 130;
    REFUSES(spmm_executor_info(s->executor, SPMM_OP_N, &b, &c, &info, NULL));
    b.layout = SPMM_ROW_MAJOR;
    b.cols = c.cols = -1;
    REFUSES(spmm_execute(s->executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, NULL, 0, NULL, NULL));
}

/* Products in which B or C has no elements. B may overlap C if it is not read. */
static void nothing_to_multiply(void **state)
{
    struct scene *s = *state;
    static const char *const matrices[] = {"0 x 5", "5 x 0"};
    spmm_dense_t b = {s->room, 130, 0, 0, SPMM_ROW_MAJOR, SPMM_F32}, c = b;
    assert_int_equal(
        spmm_execute(s->executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, NULL, 0, NULL, NULL),
        SPMM_OK);
    b.cols = c.cols = b.ld = c.ld = 4;
    b.data = s->room + 1;
    assert_int_equal(
        spmm_execute(s->executor, SPMM_OP_N, spmm_real(0), &b, spmm_real(0), &c, NULL, 0, NULL, NULL),
        SPMM_OK);
    for (int i = 0; i < 2; i++) {
        struct test_matrix *a = test_matrix_named(matrices[i], TEST_VALUES_REAL);
        const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
        spmm_plan_t *plan = test_plan_build(a, options);
        spmm_executor_t *executor = NULL;
        b = (spmm_dense_t){s->room, a->cols, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
        c = (spmm_dense_t){s->room + 1, a->rows, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &executor, NULL), SPMM_OK);
        assert_int_equal(
            spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, NULL, 0, NULL, NULL),
            SPMM_OK);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void no_memory_to_transpose(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("sparse", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    struct spmmi_op_pattern pattern;
    for (int k = 0; k < 4; k++) { /* three arrays and the counters of the transposition */
        spmmi_alloc_fail_at(k, 0);
        spmm_diag_t diag = {.status = SPMM_OK};
        const spmm_status_t status = spmmi_op_pattern_open(plan, SPMM_OP_T, &pattern, &diag);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, SPMM_ERR_MEMORY);
        assert_non_null(strstr(diag.text, "out of memory"));
        spmmi_op_pattern_close(&pattern);
    }
    assert_int_equal(spmmi_op_pattern_bytes(plan, SPMM_OP_N), 0);
    assert_int_equal(spmmi_op_pattern_own_bytes(plan, SPMM_OP_N), 0);
    assert_true(spmmi_op_pattern_bytes(plan, SPMM_OP_T) > spmmi_op_pattern_own_bytes(plan, SPMM_OP_T));
    assert_true(spmmi_op_pattern_own_bytes(plan, SPMM_OP_T) > 0);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void factors_are_real(void **state)
{
    struct scene *s = *state;
    const spmm_dense_t b = {s->room, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {s->room + 2 * 130 * 4, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_scalar_t one = spmm_real(1), complex = {1, 1};
    REFUSES(spmm_execute(s->executor, SPMM_OP_N, complex, &b, one, &c, NULL, 0, NULL, NULL));
    REFUSES(spmm_execute(s->executor, SPMM_OP_N, one, &b, complex, &c, NULL, 0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_that_are_null),
        cmocka_unit_test(devices_that_are_none),
        cmocka_unit_test(matrices_past_the_address_space),
        cmocka_unit_test(products_at_a_limit),
        cmocka_unit_test(factors_are_real),
        cmocka_unit_test(nothing_to_multiply),
        cmocka_unit_test(no_memory_to_transpose),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
