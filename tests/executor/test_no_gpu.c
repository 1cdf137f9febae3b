/* SPDX-License-Identifier: Apache-2.0 */
/* A build without CUDA: every function about a GPU returns an answer (executor/cuda/cuda_none.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "executor/cuda/cuda_backend.h"

static void there_is_no_gpu(void **state)
{
    struct spmmi_cuda *cuda = (struct spmmi_cuda *)state; /* must become NULL */
    spmm_diag_t diag = {.status = SPMM_OK};
    struct spmmi_needs needs = spmmi_needs_new(0, 0);
    const struct spmmi_first_values first = {0, 0};
    char text[8] = "x";
    assert_int_equal(spmmi_cuda_device_count(), 0);
    assert_int_equal(spmmi_cuda_device_runs(0), 0);
    assert_int_equal(spmmi_cuda_target(0), 0);
    assert_int_equal(spmmi_cuda_device_name(0, text, sizeof text), SPMM_ERR_NO_DEVICE);
    assert_int_equal(spmmi_cuda_needs(NULL, 0, NULL, first, &needs, &diag), SPMM_ERR_NO_DEVICE);
    assert_int_equal(needs.device, 0);
    assert_int_equal(spmmi_cuda_create(NULL, 0, NULL, first, &cuda, &diag), SPMM_ERR_NO_DEVICE);
    assert_null(cuda);
    assert_non_null(strstr(diag.text, "this build has no GPU support"));
    const struct spmmi_cuda_bytes of = spmmi_cuda_bytes(NULL);
    assert_int_equal(of.held + of.peak + of.pool + of.host, 0);
    assert_null(spmmi_cuda_parts(NULL));
    assert_null(spmmi_cuda_memory(NULL));
    assert_int_equal(spmmi_cuda_set_values(NULL, NULL, NULL, &diag), SPMM_ERR_NO_DEVICE);
    assert_int_equal(spmmi_cuda_values_open(NULL, NULL, &diag), SPMM_ERR_NO_DEVICE);
    assert_null(spmmi_cuda_values(NULL));
    assert_int_equal(spmmi_cuda_values_read(NULL, NULL, NULL, &diag), SPMM_ERR_NO_DEVICE);
    assert_int_equal(spmmi_cuda_workspace_bytes(NULL, 0, NULL), 0);
    assert_int_equal(spmmi_cuda_execute(NULL, 0, NULL, NULL, NULL, &diag), SPMM_ERR_NO_DEVICE);
    spmmi_cuda_kernel(NULL, 0, NULL, text, 0);
    assert_string_equal(text, "x");
    spmmi_cuda_kernel(NULL, 0, NULL, text, sizeof text);
    assert_string_equal(text, "");
    spmmi_cuda_destroy(NULL);
    assert_null(spmmi_cuda_kernels[0].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_no_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
