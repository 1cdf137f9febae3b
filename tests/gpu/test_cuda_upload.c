/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of every size reach the device completely, through pinned slots and without them, from several
 * threads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "cuda_product.h"
#include "executor/cuda/cuda_upload.h"

#define MIB ((uint64_t)1 << 20)

static uint32_t number_at(uint64_t i)
{
    return (uint32_t)(i * 2654435761u + (i >> 32));
}

static void fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    (void)source;
    for (uint64_t i = 0; i < count; i++)
        ((uint32_t *)to)[i] = number_at(first + i);
}

/* Checks that `count` numbers reach the device and that the number after them stays unchanged. is_filled:
 * a callback makes the numbers during the upload. */
static void go(uint64_t count, int is_filled)
{
    uint32_t *device = NULL, *host = malloc((size_t)(count + 1) * sizeof *host);
    assert_non_null(host);
    TEST_CUDA(cudaMalloc((void **)&device, (size_t)(count + 64) * sizeof *device));
    TEST_CUDA(cudaMemset(device, 0x5a, (size_t)(count + 64) * sizeof *device));
    fill(NULL, 0, count, host);
    assert_int_equal(is_filled ? spmmi_cuda_upload(device, count, sizeof *device, fill, NULL, NULL)
                               : spmmi_cuda_copy_array(device, host, count, sizeof *device, NULL),
                     SPMM_OK);
    memset(host, 0, (size_t)(count + 1) * sizeof *host);
    TEST_CUDA(cudaMemcpy(host, device, (size_t)(count + 1) * sizeof *host, cudaMemcpyDeviceToHost));
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++)
        wrong += host[i] != number_at(i);
    assert_int_equal(wrong, 0);
    assert_int_equal(host[count], 0x5a5a5a5au);
    TEST_CUDA(cudaFree(device));
    free(host);
}

/* Sizes of the arrays of a list. Some are copied from memory, some filled by a callback, some empty. */
static const uint64_t list_counts[] = {5, 0, MIB / 4 + 1, 3, 3 * MIB + 7, 0, 1, MIB / 2};
#define LISTED (sizeof list_counts / sizeof list_counts[0])

static void job_note(void *context, int index)
{
    ((int *)context)[index]++;
}

static void list_check(uint32_t *const *device, const uint32_t *host, uint32_t *back)
{
    for (size_t i = 0; i < LISTED; i++) {
        const size_t bytes = (size_t)(list_counts[i] + 1) * sizeof *back;
        TEST_CUDA(cudaMemcpy(back, device[i], bytes, cudaMemcpyDeviceToHost));
        assert_memory_equal(back, host, bytes - sizeof *back);
        assert_int_equal(back[list_counts[i]], 0x5a5a5a5au);
        TEST_CUDA(cudaFree(device[i]));
    }
}

/* Uploads several arrays together, with jobs that run concurrently. */
static void go_as_a_list(void)
{
    uint32_t *device[LISTED], *host = malloc(4 * MIB * sizeof *host), *back = malloc(4 * MIB * sizeof *back);
    int jobs[5] = {0};
    struct spmmi_uploads all = {.job = job_note, .context = jobs, .job_count = 5};
    assert_true(host != NULL && back != NULL);
    fill(NULL, 0, 4 * MIB, host);
    for (size_t i = 0; i < LISTED; i++) {
        const size_t bytes = (size_t)(list_counts[i] + 1) * sizeof *host;
        TEST_CUDA(cudaMalloc((void **)&device[i], bytes));
        TEST_CUDA(cudaMemset(device[i], 0x5a, bytes));
        spmmi_upload_add(&all, device[i], list_counts[i], sizeof *host, i % 3 == 1 ? NULL : fill, host);
    }
    assert_int_equal(spmmi_cuda_upload_all(&all, NULL), SPMM_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(jobs[i], 1);
    list_check(device, host, back);
    free(host);
    free(back);
}

static void go_all(void)
{
    static const uint64_t counts[] = {0,           1,           MIB / 4 - 1, MIB / 4, MIB / 2 - 1,
                                      MIB / 2,     MIB / 2 + 1, 2 * MIB - 1, 2 * MIB, 8 * MIB + 77,
                                      40 * MIB + 3};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int is_filled = 0; is_filled < 2; is_filled++)
            go(counts[i], is_filled);
    go_as_a_list();
}

static void arrays_arrive_without_pinned_memory(void **state)
{
    (void)state;
    spmmi_cuda_upload_pins_hook = 0;
    go_all();
    spmmi_cuda_upload_pins_hook = 1;
}

static void arrays_arrive_through_slots(void **state)
{
    (void)state;
    go_all();
}

static void *go_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < 6; i++)
        go(3 * MIB + (uint64_t)i, i % 2);
    return NULL;
}

static void threads_do_not_disturb_one_another(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, go_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void a_bad_address_is_an_error(void **state)
{
    static uint32_t host[64];
    (void)state;
    assert_int_equal(spmmi_cuda_copy_array((void *)16, host, 64, sizeof *host, NULL), SPMM_ERR_DEVICE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_arrive_without_pinned_memory),
        cmocka_unit_test(arrays_arrive_through_slots),
        cmocka_unit_test(threads_do_not_disturb_one_another),
        cmocka_unit_test(a_bad_address_is_an_error),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
