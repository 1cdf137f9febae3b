/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's device allocator that watches what the library does with it. Fresh memory and what was given back have all
 * bits set, in the stream; nothing is handed out twice, and 256 bytes behind each block must stay as they are. */
#ifndef TEST_DEVICE_ALLOCATOR_H
#define TEST_DEVICE_ALLOCATOR_H

#include <spmm/executor.h>

#define TEST_BLOCKS_MAX 512

struct test_device_block {
    char *memory; /* what was handed out */
    size_t bytes, shift;
    void *stream;
    int is_held;
};

/* All 0 at first, as long as it is not told otherwise. */
struct test_device_user {
    long fail_at;   /* the call of allocate that refuses, from 1 on; 0: none */
    size_t shift;   /* bytes that addresses lie past a multiple of 256 */
    int any_stream; /* blocks may come back in another stream than that of allocate */
    long takes, held;
    size_t held_bytes;
    const char *wrong; /* what the library did wrong first */
    int count;
    struct test_device_block blocks[TEST_BLOCKS_MAX];
};

spmm_device_allocator_t test_device_allocator(struct test_device_user *user);
/* Fails the test where the library did something wrong, holds a block or wrote behind one, and frees all memory. */
void test_device_user_close(struct test_device_user *user);

/* Programs that count are linked with --wrap for these functions of the runtime. */
struct test_runtime_calls {
    long takes;        /* cudaMalloc and cudaMallocFromPoolAsync, but for those of test allocators */
    long trims;        /* cudaMemPoolTrimTo */
    long fail_mallocs; /* so many calls of cudaMalloc find no memory */
};
extern struct test_runtime_calls test_runtime_calls;

#endif
