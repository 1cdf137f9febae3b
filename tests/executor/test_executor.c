/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of the executor: statuses, options, memory reports, notes, life cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/backend.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"
#include "tests/support/scorecard.h"

static const struct test_plan_options both_ops = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 1, 0};

static spmm_executor_options_t cpu_options(void)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.threads = 2;
    return options;
}

static spmm_executor_t *executor_of(const spmm_plan_t *plan)
{
    const spmm_executor_options_t options = cpu_options();
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static void create_refuses_bad_arguments(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    const struct {
        int device, threads;
        const char *force_kernel;
        size_t struct_size;
        spmm_status_t status;
    } cases[] = {
        {SPMM_DEVICE_CPU, 0, NULL, sizeof(spmm_executor_options_t), SPMM_OK},
        {SPMM_DEVICE_AUTO, 1, "cpu/rows/row-split", sizeof(spmm_executor_options_t), SPMM_OK},
        {-3, 0, NULL, sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {1000, 0, NULL, sizeof(spmm_executor_options_t), SPMM_ERR_NO_DEVICE},
        {SPMM_DEVICE_CPU, -1, NULL, sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, 0, "rows/nonzero-split", sizeof(spmm_executor_options_t), SPMM_OK},
        {SPMM_DEVICE_CPU, 0, "cpu/rows/no-such", sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, 0, "cuda/rows/row-split", sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, 0, "rows", sizeof(spmm_executor_options_t), SPMM_OK},
        {SPMM_DEVICE_CPU, 0, "row", sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, 0, "rows/row-split/r8", sizeof(spmm_executor_options_t), SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, 0, NULL, 0, SPMM_ERR_ARGUMENT},
        {SPMM_DEVICE_CPU, -1, "no such", offsetof(spmm_executor_options_t, threads), SPMM_OK},
        {SPMM_DEVICE_CPU, 0, "no such", offsetof(spmm_executor_options_t, force_kernel), SPMM_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_executor_options_t options = {cases[i].struct_size,
                                                 cases[i].threads,
                                                 cases[i].force_kernel,
                                                 0,
                                                 0,
                                                 0,
                                                 0,
                                                 (spmm_dtype_t)0,
                                                 SPMM_JIT_AUTO,
                                                 NULL,
                                                 0,
                                                 0,
                                                 0,
                                                 0,
                                                 0,
                                                 0};
        spmm_executor_t *executor = (spmm_executor_t *)plan;
        spmm_diag_t diag;
        const spmm_status_t status = spmm_executor_create(plan, cases[i].device, &options, &executor, &diag);
        if (status != cases[i].status)
            fail_msg("case %zu: %s: %s", i, spmm_status_name(status), diag.text);
        assert_int_equal(diag.status, status);
        assert_true((executor != NULL) == (status == SPMM_OK));
        assert_true((diag.text[0] != '\0') == (status != SPMM_OK));
        spmm_executor_destroy(executor);
    }
    spmm_executor_t *executor = NULL;
    spmm_executor_options_t flag = SPMM_EXECUTOR_OPTIONS_INIT;
    flag.new_values = 2;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &flag, &executor, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_executor_create(NULL, SPMM_DEVICE_AUTO, NULL, &executor, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_AUTO, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_executor_destroy(NULL);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Products that break one rule each. `apply` changes a right product of the 130 x 130 arrow matrix with n =
 * 4. */
struct breach {
    const char *what;
    spmm_status_t status;
    void (*apply)(spmm_dense_t *b, spmm_dense_t *c);
};

#define BREACH(name, statement)                        \
    static void name(spmm_dense_t *b, spmm_dense_t *c) \
    {                                                  \
        (void)b, (void)c;                              \
        statement;                                     \
    }
BREACH(nothing, (void)0)
BREACH(b_rows_short, b->rows--)
BREACH(c_rows_long, c->rows++)
BREACH(columns_differ, c->cols--)
BREACH(b_rows_negative, b->rows = -1)
BREACH(b_ld_short, b->ld = 3)
BREACH(c_ld_short, c->ld = 3)
BREACH(c_ld_negative, c->ld = -8)
BREACH(b_layout_unknown, b->layout = (spmm_layout_t)7)
BREACH(b_type_other, b->type = SPMM_F64)
BREACH(types_of_another_plan, b->type = c->type = SPMM_F64)
BREACH(c_type_unknown, c->type = (spmm_dtype_t)9)
BREACH(b_data_null, b->data = NULL)
BREACH(c_data_null, c->data = NULL)
BREACH(c_data_odd, c->data = (char *)c->data + 2)
BREACH(b_is_c, b->data = c->data)
BREACH(b_ends_in_c, b->data = (float *)c->data - 130 * 4 + 1)
BREACH(b_begins_in_c, b->data = (float *)c->data + 130 * 4 - 1)
BREACH(b_touches_c, b->data = (float *)c->data + 130 * 4)
BREACH(ld_huge, c->ld = INT64_MAX)
BREACH(n_huge, b->cols = c->cols = b->ld = c->ld = INT64_C(1) << 32)

static const struct breach breaches[] = {
    {"nothing", SPMM_OK, nothing},
    {"B has a row too few", SPMM_ERR_SHAPE, b_rows_short},
    {"C has a row too many", SPMM_ERR_SHAPE, c_rows_long},
    {"B and C differ in columns", SPMM_ERR_SHAPE, columns_differ},
    {"rows of B negative", SPMM_ERR_ARGUMENT, b_rows_negative},
    {"ldb too short", SPMM_ERR_ARGUMENT, b_ld_short},
    {"ldc too short", SPMM_ERR_ARGUMENT, c_ld_short},
    {"ldc negative", SPMM_ERR_ARGUMENT, c_ld_negative},
    {"unknown layout", SPMM_ERR_ARGUMENT, b_layout_unknown},
    {"types without a kernel", SPMM_ERR_UNSUPPORTED, b_type_other},
    {"types of another plan", SPMM_ERR_TYPE, types_of_another_plan},
    {"C of no type", SPMM_ERR_ARGUMENT, c_type_unknown},
    {"B is NULL", SPMM_ERR_ARGUMENT, b_data_null},
    {"C is NULL", SPMM_ERR_ARGUMENT, c_data_null},
    {"C not aligned to its element", SPMM_ERR_ARGUMENT, c_data_odd},
    {"B is C", SPMM_ERR_OVERLAP, b_is_c},
    {"B ends in C", SPMM_ERR_OVERLAP, b_ends_in_c},
    {"B begins in C", SPMM_ERR_OVERLAP, b_begins_in_c},
    {"B begins where C ends", SPMM_OK, b_touches_c},
    {"C past the address space", SPMM_ERR_TOO_LARGE, ld_huge},
    {"too many columns", SPMM_ERR_TOO_LARGE, n_huge},
};

static void execute_gives_each_breach_its_status_and_leaves_c_alone(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    spmm_executor_t *executor = executor_of(plan);
    enum { ROOM = 130 * 4 };
    float *room = calloc(5 * ROOM, sizeof *room);
    assert_non_null(room);
    void *workspace = aligned_alloc(256, 1 << 20);
    for (size_t i = 0; i < sizeof breaches / sizeof breaches[0]; i++) {
        spmm_diag_t diag;
        spmm_dense_t b = {room, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
        spmm_dense_t c = {room + 2 * ROOM, 130, 4, 4, SPMM_ROW_MAJOR, SPMM_F32};
        breaches[i].apply(&b, &c);
        for (int j = 0; j < 5 * ROOM; j++)
            room[j] = 3;
        const spmm_status_t status = spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c,
                                                  workspace, 1 << 20, NULL, &diag);
        if (status != breaches[i].status)
            fail_msg("%s: %s", breaches[i].what, spmm_status_name(status));
        assert_int_equal(diag.status, status);
        assert_true((diag.text[0] != '\0') == (status != SPMM_OK));
        for (int j = 0; status != SPMM_OK && j < 5 * ROOM; j++)
            assert_true(room[j] == 3);
    }
    free(workspace);
    free(room);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void execute_refuses_what_the_plan_or_workspace_cannot_do(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("2 x 6000 short-fat", TEST_VALUES_REAL);
    struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 0, 1};
    spmm_plan_t *plan = test_plan_build(a, options);
    spmm_executor_t *executor = executor_of(plan);
    struct test_product product = {SPMM_OP_N, 5, SPMM_COL_MAJOR,  SPMM_COL_MAJOR, 0, 0, 0,
                                   1,         0, TEST_VALUES_REAL};
    struct test_dense b = test_product_b(a, SPMM_F32, &product), c = test_product_c(a, SPMM_F32, &product);
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b.view, &c.view, &bytes, NULL),
                     SPMM_OK);
    assert_true(bytes > 0);
    char *w = aligned_alloc(256, (bytes + 511) / 256 * 256);
    const struct {
        spmm_op_t op;
        double alpha;
        void *workspace;
        uint64_t bytes;
        spmm_status_t status;
    } cases[] = {
        {SPMM_OP_N, 1, w, bytes, SPMM_ERR_NO_VALUES},     {SPMM_OP_N, 0, NULL, bytes, SPMM_ERR_WORKSPACE},
        {SPMM_OP_N, 0, w, bytes - 1, SPMM_ERR_WORKSPACE}, {SPMM_OP_N, 0, w + 64, bytes, SPMM_ERR_WORKSPACE},
        {(spmm_op_t)2, 0, w, bytes, SPMM_ERR_ARGUMENT},   {SPMM_OP_N, 0, w, bytes, SPMM_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmm_execute(executor, cases[i].op, spmm_real(cases[i].alpha), &b.view, spmm_real(0),
                                      &c.view, cases[i].workspace, cases[i].bytes, NULL, NULL),
                         cases[i].status);
    product.op = SPMM_OP_T;
    struct test_dense bt = test_product_b(a, SPMM_F32, &product), ct = test_product_c(a, SPMM_F32, &product);
    assert_int_equal(spmm_execute(executor, SPMM_OP_T, spmm_real(1), &bt.view, spmm_real(0), &ct.view, w,
                                  bytes, NULL, NULL),
                     SPMM_ERR_NO_VARIANT);
    assert_int_equal(
        spmm_execute(NULL, SPMM_OP_N, spmm_real(1), &b.view, spmm_real(0), &c.view, w, bytes, NULL, NULL),
        SPMM_ERR_ARGUMENT);
    assert_int_equal(
        spmm_execute(executor, SPMM_OP_N, spmm_real(1), NULL, spmm_real(0), &c.view, w, bytes, NULL, NULL),
        SPMM_ERR_ARGUMENT);
    assert_int_equal(
        spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b.view, spmm_real(0), NULL, w, bytes, NULL, NULL),
        SPMM_ERR_ARGUMENT);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&bt);
    test_dense_free(&ct);
    free(w);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void alpha_0_needs_no_b_and_no_values(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 1};
    spmm_plan_t *plan = test_plan_build(a, options);
    spmm_executor_t *executor = executor_of(plan);
    const struct test_product product = {SPMM_OP_N, 3, SPMM_ROW_MAJOR,  SPMM_ROW_MAJOR, 0, 2, 0,
                                         0,         2, TEST_VALUES_REAL};
    struct test_dense c = test_product_c(a, SPMM_F64, &product), before = test_dense_copy(&c);
    const spmm_dense_t b = {NULL, a->cols, 3, 3, SPMM_ROW_MAJOR, SPMM_F64};
    assert_int_equal(
        spmm_execute(executor, SPMM_OP_N, spmm_real(0), &b, spmm_real(2), &c.view, NULL, 0, NULL, NULL),
        SPMM_OK);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < 3; j++)
            assert_true(test_dense_get(&c, i, j) == 2 * test_dense_get(&before, i, j));
    assert_true(test_dense_same_gaps(&before, &c));
    test_dense_free(&c);
    test_dense_free(&before);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void memory_report_before_equals_the_one_after(void **state)
{
    (void)state;
    const char *kernels[] = {NULL, "cpu/rows/row-split", "cpu/rows/nonzero-split"};
    for (int i = 0; i < test_matrix_count(); i++)
        for (int k = 0; k < 3; k++) {
            struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
            spmm_plan_t *plan = test_plan_build(a, both_ops);
            spmm_executor_options_t options = cpu_options();
            options.force_kernel = kernels[k];
            uint64_t host = 0, device = 1;
            assert_int_equal(
                spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &host, &device, NULL), SPMM_OK);
            assert_int_equal(device, 0);
            spmm_executor_t *executor = NULL;
            assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
            spmm_executor_info_t info = {.struct_size = sizeof info};
            assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
            assert_true(info.host_bytes <= host);
            assert_int_equal(info.device, SPMM_DEVICE_CPU);
            assert_true(info.device_name[0] != '\0' && info.kernel[0] == '\0');
            spmm_executor_destroy(executor);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

static void info_notes_a_fallback_and_only_then(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    plan->variants[0].n_min = 8;
    plan->variants[0].n_max = 16;
    plan->variants[0].layouts = SPMM_LAYOUTS_ROW_MAJOR;
    spmm_executor_t *executor = executor_of(plan);
    plan->variants[0].target = 90;
    spmm_executor_t *for_gpu = executor_of(plan);
    const struct {
        spmm_executor_t *executor;
        int64_t n;
        spmm_layout_t layout;
        int fallback;
    } cases[] = {{executor, 8, SPMM_ROW_MAJOR, 0},
                 {executor, 16, SPMM_ROW_MAJOR, 0},
                 {executor, 17, SPMM_ROW_MAJOR, 1},
                 {executor, 8, SPMM_COL_MAJOR, 1},
                 {for_gpu, 8, SPMM_ROW_MAJOR, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t d = {NULL, 300, cases[i].n, 300, cases[i].layout, SPMM_F32};
        spmm_executor_info_t info = {.struct_size = sizeof info};
        assert_int_equal(spmm_executor_info(cases[i].executor, SPMM_OP_N, &d, &d, &info, NULL), SPMM_OK);
        assert_int_equal(info.fallback, cases[i].fallback);
        assert_true((info.note[0] != '\0') == cases[i].fallback);
        assert_string_equal(info.kernel, "cpu/rows/nonzero-split");
    }
    const struct test_product product = {SPMM_OP_N, 33, SPMM_COL_MAJOR,  SPMM_COL_MAJOR, 0, 0, 0,
                                         1,         0,  TEST_VALUES_REAL};
    test_product_check(for_gpu, a, SPMM_F32, &product);
    spmm_executor_destroy(for_gpu);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void info_fills_no_more_than_the_caller_knows(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    spmm_executor_t *executor = executor_of(plan);
    spmm_executor_info_t info;
    memset(&info, 0x5a, sizeof info);
    info.struct_size = offsetof(spmm_executor_info_t, device_name);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.device, SPMM_DEVICE_CPU);
    for (size_t i = offsetof(spmm_executor_info_t, device_name); i < sizeof info; i++)
        assert_int_equal(((const unsigned char *)&info)[i], 0x5a);
    info.struct_size = 0;
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(diag.status, SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "struct_size of the info is 0"));
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void catalogue_and_devices_have_names(void **state)
{
    (void)state;
    spmm_kernel_info_t kernel = {.struct_size = sizeof kernel}, other = kernel;
    int count = 0;
    for (; spmm_kernel_at(count, &kernel) == SPMM_OK; count++) {
        char full[64];
        (void)snprintf(full, sizeof full, "%s/%s/%s", kernel.target, spmm_family_name(kernel.family),
                       spmm_schedule_name(kernel.schedule));
        assert_string_equal(kernel.name, full);
        for (int j = 0; j < count; j++) {
            assert_int_equal(spmm_kernel_at(j, &other), SPMM_OK);
            assert_string_not_equal(kernel.name, other.name);
        }
    }
    assert_true(count >= 2);
    assert_int_equal(spmm_kernel_at(-1, &kernel), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_kernel_at(0, NULL), SPMM_ERR_ARGUMENT);
    char name[8] = "";
    assert_int_equal(spmm_device_name(SPMM_DEVICE_CPU, name, sizeof name), SPMM_OK);
    assert_true(name[0] != '\0' && memchr(name, '\0', sizeof name) != NULL);
    assert_int_equal(spmm_device_name(spmm_device_count(), name, sizeof name), SPMM_ERR_NO_DEVICE);
    assert_int_equal(spmm_device_name(SPMM_DEVICE_AUTO, name, sizeof name), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_device_name(SPMM_DEVICE_CPU, NULL, 5), SPMM_ERR_ARGUMENT);
}

/* Checks which names find the kernel: its name, the name without target and the name with an instance do, the
 * name with the other target does not. */
static void is_found(const struct spmmi_kernel *kernels, const struct spmmi_kernel *kernel)
{
    const char *const rest = strchr(kernel->name, '/');
    char name[80];
    assert_ptr_equal(spmmi_kernel_find(kernels, kernel->name), kernel);
    assert_ptr_equal(spmmi_kernel_find(kernels, rest + 1), kernel);
    snprintf(name, sizeof name, "%s/p64/r8", kernel->name);
    assert_ptr_equal(spmmi_kernel_find(kernels, name), kernel);
    snprintf(name, sizeof name, "%s%s", strncmp(kernel->name, "cpu", 3) == 0 ? "cuda" : "cpu", rest);
    assert_null(spmmi_kernel_find(kernels, name));
    assert_int_equal(spmmi_kernel_find(kernels, spmm_family_name(kernel->family))->family, kernel->family);
}

static void kernels_are_found_with_and_without_their_target(void **state)
{
    (void)state;
    for (const struct spmmi_kernel *k = spmmi_cpu_kernels; k->name != NULL; k++)
        is_found(spmmi_cpu_kernels, k);
    for (const struct spmmi_kernel *k = spmmi_cuda_kernels; k->name != NULL; k++)
        is_found(spmmi_cuda_kernels, k);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    const char *kernels[] = {NULL, "cpu/rows/row-split", "cpu/tiled"};
    for (int f = 0; f < 3; f++) {
        spmm_executor_options_t options = cpu_options();
        options.force_kernel = kernels[f];
        const int64_t live = spmmi_alloc_live();
        spmm_status_t status = SPMM_ERR_MEMORY;
        int64_t k = 0;
        for (; status != SPMM_OK && k < 100; k++) {
            spmm_executor_t *executor = NULL;
            spmm_diag_t diag;
            spmmi_alloc_fail_at(k, 0);
            status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag);
            spmmi_alloc_fail_at(-1, 0);
            assert_true(status == SPMM_OK ||
                        (status == SPMM_ERR_MEMORY && executor == NULL && diag.text[0] != '\0'));
            spmm_executor_destroy(executor);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        assert_true(k > 8 && k < 100);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void execute_allocates_nothing(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, both_ops);
    spmm_executor_t *executor = executor_of(plan);
    for (int turn = 0; turn < 4; turn++) {
        const struct test_product product = {
            SPMM_OP_N, 17, (spmm_layout_t)(turn & 1), (spmm_layout_t)(turn >> 1), 0, 0, 0,
            1,         0,  TEST_VALUES_REAL};
        spmmi_alloc_fail_at(0, 1);
        test_product_check(executor, a, SPMM_F32, &product);
        assert_int_equal(spmmi_alloc_count(), 0);
        spmmi_alloc_fail_at(-1, 0);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_refuses_bad_arguments),
        cmocka_unit_test(execute_gives_each_breach_its_status_and_leaves_c_alone),
        cmocka_unit_test(execute_refuses_what_the_plan_or_workspace_cannot_do),
        cmocka_unit_test(alpha_0_needs_no_b_and_no_values),
        cmocka_unit_test(memory_report_before_equals_the_one_after),
        cmocka_unit_test(info_notes_a_fallback_and_only_then),
        cmocka_unit_test(info_fills_no_more_than_the_caller_knows),
        cmocka_unit_test(catalogue_and_devices_have_names),
        cmocka_unit_test(kernels_are_found_with_and_without_their_target),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(execute_allocates_nothing),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
