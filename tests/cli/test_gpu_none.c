/* SPDX-License-Identifier: Apache-2.0 */
/* The tools in a build without CUDA: every request for a GPU is refused with a message
 * (tools/compute/gpu_none.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tools/compute/gpu.h"

static void every_request_is_refused(void **state)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    uint64_t bytes = 1;
    double ms = 1;
    void *block = state; /* must become NULL */
    void *pinned = state;
    struct gpu_event *event = (struct gpu_event *)state;
    const spmm_status_t refused[] = {
        gpu_select(0, &diag),
        gpu_memory_free(&bytes, &diag),
        gpu_alloc(&block, 8, &diag),
        gpu_alloc_pinned(&pinned, 8, &diag),
        gpu_copy(&bytes, &bytes, 0, &diag),
        gpu_fill(&bytes, 0, 0, &diag),
        gpu_synchronize(&diag),
        gpu_event_create(&event, &diag),
        gpu_event_record(NULL, &diag),
        gpu_event_elapsed(NULL, NULL, &ms, &diag),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(refused[i], SPMM_ERR_NO_DEVICE);
    assert_non_null(strstr(diag.text, "this build has no GPU support"));
    assert_non_null(strstr(gpu_absence(), "this build has no CUDA"));
    assert_null(block);
    assert_null(pinned);
    assert_null(event);
    assert_int_equal(bytes, 0);
    assert_true(ms == 0);
    gpu_free(NULL);
    gpu_free_pinned(NULL);
    gpu_event_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_request_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
