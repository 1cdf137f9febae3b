/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor does about a GPU, with a GPU that answers as each case says: this file stands in for
 * executor/cuda/cuda_none.c, so it is of builds without CUDA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "executor/cuda/cuda_backend.h"
#include "format/base/diag.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

static struct {
    int count, runs;
    spmm_status_t name, memory, create;
} gpu;

/* create fails with this, so no executor on the GPU ever lives. */
#define CREATED SPMM_ERR_DEVICE

int spmmi_cuda_device_count(void)
{
    return gpu.count;
}

int spmmi_cuda_device_runs(int device)
{
    return device < gpu.count && gpu.runs;
}

spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size)
{
    (void)snprintf(text, size, "GPU %d", device);
    return gpu.name;
}

uint32_t spmmi_cuda_target(int device)
{
    (void)device;
    return 90;
}

static spmm_status_t answer(spmm_status_t status, spmm_diag_t *diag)
{
    return status == SPMM_OK ? SPMM_OK
                             : spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, 0}, "the GPU says no");
}

spmm_status_t spmmi_cuda_memory_bytes(const spmm_plan_t *plan, int device, const char *force_kernel,
                                      uint64_t *device_bytes, spmm_diag_t *diag)
{
    (void)plan, (void)device, (void)force_kernel;
    *device_bytes = 1000;
    return answer(gpu.memory, diag);
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const char *force_kernel,
                                struct spmmi_cuda **cuda, spmm_diag_t *diag)
{
    (void)plan, (void)device, (void)force_kernel;
    *cuda = NULL;
    return answer(CREATED, diag);
}

void spmmi_cuda_destroy(struct spmmi_cuda *cuda)
{
    (void)cuda;
}

uint64_t spmmi_cuda_device_bytes(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return 0;
}

const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return NULL;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    (void)cuda, (void)values, (void)stream;
    return answer(SPMM_ERR_DEVICE, diag);
}

uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product)
{
    (void)cuda, (void)variant, (void)product;
    return 0;
}

spmm_status_t spmmi_cuda_execute(const struct spmmi_cuda *cuda, int variant,
                                 const struct spmmi_product *product, void *workspace, void *stream,
                                 spmm_diag_t *diag)
{
    (void)cuda, (void)variant, (void)product, (void)workspace, (void)stream;
    return answer(SPMM_ERR_DEVICE, diag);
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size)
{
    (void)cuda, (void)variant, (void)product, (void)text, (void)size;
}

static const struct spmmi_backend no_backend;
const struct spmmi_kernel spmmi_cuda_kernels[] = {
    {"cuda/rows/row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, &no_backend},
    {NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL},
};

static int errors;

static void count_errors(void *context, spmm_log_level_t level, const char *text)
{
    (void)context, (void)text;
    errors += level == SPMM_LOG_ERROR;
}

static spmm_plan_t *plan_make(void)
{
    static const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, options);
    test_matrix_free(a);
    return plan;
}

static void auto_is_the_gpu_where_it_runs_the_plan_else_the_cpu(void **state)
{
    static const struct {
        int count, runs;
        spmm_status_t memory;
        const char *kernel;
        int is_gpu;
    } cases[] = {
        {0, 0, SPMM_OK, NULL, 0},
        {1, 1, SPMM_OK, NULL, 1},
        {1, 0, SPMM_OK, NULL, 0},
        {2, 1, SPMM_ERR_UNSUPPORTED, NULL, 0},
        {1, 1, SPMM_ERR_TOO_LARGE, NULL, 0},
        {1, 1, SPMM_ERR_PLAN_FEATURE, NULL, 0},
        {1, 1, SPMM_ERR_MEMORY, NULL, 1},
        {1, 1, SPMM_ERR_ARGUMENT, NULL, 1},
        {1, 1, SPMM_OK, "rows/row-split", 1},
        {1, 1, SPMM_OK, "rows/nonzero-split", 0}, /* which this GPU has not */
        {1, 1, SPMM_OK, "cpu/rows/row-split", 0},
    };
    spmm_plan_t *plan = plan_make();
    (void)state;
    spmm_log_set(count_errors, NULL, SPMM_LOG_ERROR);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *executor = NULL;
        spmm_diag_t diag;
        uint64_t device_bytes = 0;
        gpu.count = cases[i].count, gpu.runs = cases[i].runs, gpu.memory = cases[i].memory;
        gpu.name = SPMM_OK;
        options.force_kernel = cases[i].kernel;
        errors = 0;
        const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_AUTO, &options, &executor, &diag);
        if (status != (cases[i].is_gpu ? CREATED : SPMM_OK))
            fail_msg("case %zu: %s", i, spmm_status_name(status));
        assert_int_equal(errors, cases[i].is_gpu); /* the trial is no error */
        spmm_executor_destroy(executor);
        const spmm_status_t counted =
            spmm_executor_memory_bytes(plan, SPMM_DEVICE_AUTO, &options, NULL, &device_bytes, &diag);
        assert_int_equal(counted, cases[i].is_gpu ? cases[i].memory : SPMM_OK);
        assert_int_equal(device_bytes, cases[i].is_gpu && counted == SPMM_OK ? 1000 : 0);
    }
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    spmm_plan_destroy(plan);
}

static void a_device_without_a_name_is_told(void **state)
{
    spmm_plan_t *plan = plan_make();
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    (void)state;
    gpu.count = gpu.runs = 1;
    gpu.name = SPMM_ERR_NO_DEVICE;
    assert_int_equal(spmm_executor_create(plan, 0, NULL, &executor, &diag), SPMM_ERR_NO_DEVICE);
    assert_int_equal(diag.status, SPMM_ERR_NO_DEVICE);
    assert_non_null(strstr(diag.text, "device 0 has no name"));
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_the_gpu_where_it_runs_the_plan_else_the_cpu),
        cmocka_unit_test(a_device_without_a_name_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
