/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's device allocator that checks how the library uses it. It sets all bits of fresh and of
 * released blocks, in the order of the stream. It never hands out an address twice, and a guard of 256
 * bytes after each block must stay unchanged. */
#ifndef TEST_DEVICE_ALLOCATOR_H
#define TEST_DEVICE_ALLOCATOR_H

#include <spmm/executor.h>

#define TEST_BLOCKS_MAX 512

struct test_device_block {
    char *memory; /* address that the library got */
    size_t bytes, shift;
    void *stream;
    int is_held;
};

/* State and settings of the allocator. All fields are 0 by default. */
struct test_device_user {
    long fail_at;   /* number of the call of allocate that fails, counted from 1; 0: none */
    size_t shift;   /* distance in bytes of each address from a multiple of 256 */
    int any_stream; /* whether a block may be released in a stream other than the one of its allocation */
    long takes, held;
    size_t held_bytes;
    const char *wrong; /* the first wrong use by the library, or NULL */
    int count;
    struct test_device_block blocks[TEST_BLOCKS_MAX];
};

spmm_device_allocator_t test_device_allocator(struct test_device_user *user);
/* Fails the test if the library used the allocator wrongly, still holds a block or wrote after the end of
 * one. Frees all memory. */
void test_device_user_close(struct test_device_user *user);

/* Counters of CUDA runtime calls. Programs that use them are linked with --wrap for these functions. */
struct test_runtime_calls {
    long takes;        /* cudaMalloc and cudaMallocFromPoolAsync, without the calls of test allocators */
    long trims;        /* cudaMemPoolTrimTo */
    long fail_mallocs; /* number of the next calls of cudaMalloc that fail for lack of memory */
};
extern struct test_runtime_calls test_runtime_calls;

#endif
