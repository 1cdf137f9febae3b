/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of device memory (executor/cuda/cuda_memory.h) without a GPU. With a caller's allocator: which
 * blocks are requested, refused and released. With the pool and cudaMalloc: what happens if they have no
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "executor/cuda/cuda_memory.h"
#include "executor/cuda/cuda_pool.h"
#include "fake_runtime.h"

struct user {
    void *next, *released;
    size_t bytes;
    int device, takes, gives;
    void *stream;
};

static void *allocate(void *context, size_t bytes, int device, void *stream)
{
    struct user *user = context;
    user->takes++;
    user->bytes = bytes;
    user->device = device;
    user->stream = stream;
    return user->next;
}

static void release(void *context, void *block, size_t bytes, int device, void *stream)
{
    struct user *user = context;
    user->gives++;
    user->released = block;
    assert_int_equal(bytes, user->bytes);
    assert_int_equal(device, user->device);
    assert_ptr_equal(stream, user->stream);
}

static void blocks_are_the_callers(void **state)
{
    static _Alignas(SPMMI_DEVICE_ALIGN) char room[2 * SPMMI_DEVICE_ALIGN];
    (void)state;
    struct user user = {.next = room};
    const spmm_device_allocator_t given = {sizeof given, allocate, release, &user};
    struct spmmi_device_memory memory;
    struct spmmi_device_block block;
    spmm_diag_t diag = {.text = ""};
    void *const stream = &user;
    assert_int_equal(spmmi_device_memory_open(&given, 3, &memory, NULL), SPMM_OK);
    assert_int_equal(spmmi_device_take(&memory, 0, stream, &block, NULL), SPMM_OK);
    assert_null(block.memory);
    spmmi_device_release(&block);
    assert_int_equal(user.takes + user.gives, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i == 0 ? spmmi_device_take(&memory, 77, stream, &block, NULL)
                                : spmmi_device_take_scratch(&memory, 77, stream, &block, NULL),
                         SPMM_OK);
        assert_ptr_equal(block.memory, room);
        assert_int_equal(user.bytes, 77);
        assert_int_equal(user.device, 3);
        assert_ptr_equal(user.stream, stream);
        spmmi_device_release(&block);
        assert_null(block.memory);
        spmmi_device_release(&block);
        assert_int_equal(user.gives, i + 1);
    }
    user.next = room + 128;
    assert_int_equal(spmmi_device_take(&memory, 100, stream, &block, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "expected a multiple of 256"));
    assert_null(block.memory);
    assert_int_equal(user.gives, 3);
    assert_ptr_equal(user.released, room + 128);
    user.next = NULL;
    diag = (spmm_diag_t){.text = ""};
    assert_int_equal(spmmi_device_take_scratch(&memory, 100, stream, &block, &diag), SPMM_ERR_DEVICE_MEMORY);
    assert_non_null(strstr(diag.text, "refused 100 bytes of GPU 3"));
    assert_null(block.memory);
    assert_int_equal(user.gives, 3);
}

/* Released blocks no longer count as held. Refused blocks never count. */
static void blocks_are_counted(void **state)
{
    static _Alignas(SPMMI_DEVICE_ALIGN) char room[SPMMI_DEVICE_ALIGN];
    (void)state;
    struct user user = {.next = room};
    const spmm_device_allocator_t given = {sizeof given, allocate, release, &user};
    struct spmmi_device_count count = {0, 0};
    struct spmmi_device_memory memory;
    struct spmmi_device_block a, b;
    assert_int_equal(spmmi_device_memory_open(&given, 0, &memory, NULL), SPMM_OK);
    assert_null(memory.count);
    memory.count = &count;
    assert_int_equal(spmmi_device_take(&memory, 70, NULL, &a, NULL), SPMM_OK);
    assert_int_equal(count.held, 70);
    assert_int_equal(spmmi_device_take_scratch(&memory, 30, NULL, &b, NULL), SPMM_OK);
    assert_int_equal(count.held, 100);
    spmmi_device_release(&b);
    spmmi_device_release(&b);
    assert_int_equal(count.held, 70);
    user.next = NULL;
    assert_int_equal(spmmi_device_take(&memory, 500, NULL, &b, NULL), SPMM_ERR_DEVICE_MEMORY);
    user.next = room;
    user.bytes = 70; /* the size with which release() gets block a */
    spmmi_device_release(&a);
    assert_int_equal(count.held, 0);
    assert_int_equal(count.peak, 100);
}

typedef spmm_status_t (*take_function)(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                       struct spmmi_device_block *block, spmm_diag_t *diag);

/* Takes a block while the first `refusals` allocations fail. Checks that the block comes from the runtime
 * function `call`, that the stream is synchronized and the pool trimmed before the second attempt, and that
 * there is no third. */
static void take_refused(take_function take, uint64_t bytes, const char *call, int refusals)
{
    static char stream;
    struct spmmi_device_memory memory;
    struct spmmi_device_block block;
    assert_int_equal(spmmi_device_memory_open(NULL, 0, &memory, NULL), SPMM_OK);
    fake_runtime_count();
    fake_runtime.refusals = refusals;
    assert_int_equal(take(&memory, bytes, &stream, &block, NULL),
                     refusals < 2 ? SPMM_OK : SPMM_ERR_DEVICE_MEMORY);
    assert_int_equal(block.memory != NULL, refusals < 2);
    assert_string_equal(fake_runtime.other, refusals < 2 ? call : "cudaGetLastError");
    assert_int_equal(fake_runtime.refusals, refusals > 2);
    assert_int_equal(fake_runtime.trims, refusals > 0);
    assert_ptr_equal(fake_runtime.waited, refusals > 0 ? &stream : NULL);
    spmmi_device_release(&block);
}

/* If an allocation fails, the stream is synchronized, so that memory freed in stream order is free, the pool
 * is trimmed, and the allocation is tried once more, but not twice. */
static void without_memory_the_pool_is_trimmed(void **state)
{
    (void)state;
    for (int refusals = 0; refusals <= 3; refusals++) {
        take_refused(spmmi_device_take_scratch, 100, "cudaMallocFromPoolAsync", refusals);
        take_refused(spmmi_device_take_scratch, SPMMI_POOL_BLOCK_MAX + 1, "cudaMalloc", refusals);
        take_refused(spmmi_device_take, 100, "cudaMalloc", refusals);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_the_callers),
                                       cmocka_unit_test(blocks_are_counted),
                                       cmocka_unit_test(without_memory_the_pool_is_trimmed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
