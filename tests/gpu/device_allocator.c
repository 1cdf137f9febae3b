/* SPDX-License-Identifier: Apache-2.0 */
/* See device_allocator.h. */
#include "device_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"

#define ALIGN 256
#define GUARD 256
#define GUARD_BYTE 0x5a

struct test_runtime_calls test_runtime_calls;

/* Names that the linker option --wrap defines. */
// NOLINTBEGIN(bugprone-reserved-identifier)
cudaError_t __real_cudaMalloc(void **memory, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes);
cudaError_t __real_cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __real_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t __wrap_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);

cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes)
{
    test_runtime_calls.takes++;
    if (test_runtime_calls.fail_mallocs > 0) {
        test_runtime_calls.fail_mallocs--;
        return cudaErrorMemoryAllocation;
    }
    return __real_cudaMalloc(memory, bytes);
}

cudaError_t __wrap_cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    test_runtime_calls.takes++;
    return __real_cudaMallocFromPoolAsync(memory, bytes, pool, stream);
}

cudaError_t __wrap_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    test_runtime_calls.trims++;
    return __real_cudaMemPoolTrimTo(pool, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)

/* Notes an error, for which test_device_user_close fails the test: no function of an allocator may leave
 * by longjmp. */
static void expect(struct test_device_user *user, int is_right, const char *wrong)
{
    if (!is_right && user->wrong == NULL)
        user->wrong = wrong;
}

static void expect_call(struct test_device_user *user, size_t bytes, int device)
{
    int current = -1;
    expect(user, bytes > 0, "a block without bytes");
    expect(user, device == 0, "another device");
    expect(user, cudaGetDevice(&current) == cudaSuccess && current == device, "the device is not current");
}

static void *allocate(void *context, size_t bytes, int device, void *stream)
{
    struct test_device_user *user = context;
    const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN + ALIGN + GUARD;
    void *base = NULL;
    expect_call(user, bytes, device);
    user->takes++;
    if (user->takes == user->fail_at)
        return NULL;
    expect(user, user->count < TEST_BLOCKS_MAX, "more blocks than the test has room for");
    if (user->count == TEST_BLOCKS_MAX || __real_cudaMalloc(&base, whole) != cudaSuccess)
        return NULL;
    char *const memory = (char *)base + user->shift;
    expect(user,
           cudaMemsetAsync(base, GUARD_BYTE, whole, stream) == cudaSuccess &&
               cudaMemsetAsync(memory, 0xff, bytes, stream) == cudaSuccess,
           "fresh memory cannot be written");
    user->blocks[user->count++] = (struct test_device_block){memory, bytes, user->shift, stream, 1};
    user->held++;
    user->held_bytes += bytes;
    return memory;
}

/* Takes a block back and fills it with NaN in the stream. Work that still uses the block, or uses it later
 * in another stream, reads NaN. */
static void release(void *context, void *memory, size_t bytes, int device, void *stream)
{
    struct test_device_user *user = context;
    expect_call(user, bytes, device);
    for (int i = 0; i < user->count; i++) {
        struct test_device_block *b = &user->blocks[i];
        if (b->memory != memory)
            continue;
        expect(user, b->is_held, "a block is given back twice");
        expect(user, b->bytes == bytes, "a block is given back with other bytes");
        expect(user, b->stream == stream || user->any_stream, "a block is given back in another stream");
        expect(user, cudaMemsetAsync(memory, 0xff, bytes, stream) == cudaSuccess, "no block to write");
        b->is_held = 0;
        user->held--;
        user->held_bytes -= bytes;
        return;
    }
    expect(user, 0, "a block is given back that was never taken");
}

spmm_device_allocator_t test_device_allocator(struct test_device_user *user)
{
    return (spmm_device_allocator_t){sizeof(spmm_device_allocator_t), allocate, release, user};
}

static void block_close(const struct test_device_block *b)
{
    char guard[GUARD], found[GUARD];
    memset(guard, GUARD_BYTE, sizeof guard);
    TEST_CUDA(cudaMemcpy(found, b->memory + b->bytes, GUARD, cudaMemcpyDeviceToHost));
    assert_memory_equal(found, guard, GUARD);
    TEST_CUDA(cudaFree(b->memory - b->shift));
}

void test_device_user_close(struct test_device_user *user)
{
    TEST_CUDA(cudaDeviceSynchronize());
    if (user->wrong != NULL)
        fail_msg("the library's use of the allocator is wrong: %s", user->wrong);
    assert_int_equal(user->held, 0);
    assert_int_equal(user->held_bytes, 0);
    for (int i = 0; i < user->count; i++)
        block_close(&user->blocks[i]);
    user->count = 0;
    user->takes = 0;
}
