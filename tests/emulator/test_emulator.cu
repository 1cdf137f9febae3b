// SPDX-License-Identifier: Apache-2.0
// The emulator itself: what it gives each thread block, and that it reports what can never end or is not allowed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/shared/async.cuh"
#include "kernels/shared/cluster.cuh"
#include "kernels/shared/launch.cuh"

extern "C" {
#include <cmocka.h>
}

namespace {

constexpr unsigned THREADS = 64, BLOCKS = 16;

// Blocks that wait for each other at different barriers.
__global__ void miss_a_barrier()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        emulator::meet_block(1, 0, false);
}

__global__ void meet_at_different_functions()
{
    if (threadIdx.x % 2 == 0)
        __syncwarp();
    else
        (void)__ballot_sync(~0u, 1);
}

__global__ void take_much()
{
    __shared__ volatile char most[48 * 1024 + 1];
    most[threadIdx.x] = 1;
}

// out: of each block the sum of its threads, by what others wrote to shared memory.
__global__ void sum_threads(unsigned *out)
{
    __shared__ unsigned sum, turns[THREADS];
    if (threadIdx.x == 0)
        sum = 0;
    turns[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned own = turns[THREADS - 1 - threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        own += __shfl_xor_sync(~0u, own, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// out: of each thread whether shared memory had what the block before it wrote, or a copy that was not waited for.
__global__ void read_too_early(const unsigned *from, unsigned *out)
{
    __shared__ unsigned value[THREADS];
    unsigned early = value[threadIdx.x] == from[threadIdx.x];
    spmmi::copy_async(&value[threadIdx.x], from + threadIdx.x);
    spmmi::commit_copies();
    early |= value[threadIdx.x] == from[threadIdx.x];
    spmmi::wait_for_copies<0>();
    out[threadIdx.x] = 2 * early + (value[threadIdx.x] == from[threadIdx.x]);
}

// out: of each block the number that the next one of its cluster has.
__global__ void read_neighbours(unsigned *out)
{
    __shared__ unsigned own;
    if (threadIdx.x == 0)
        own = blockIdx.x;
    spmmi::cluster_sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = spmmi::load_of_block(&own, (spmmi::cluster_rank() + 1) % spmmi::cluster_blocks());
    spmmi::cluster_sync();
}

// What the launch wrote to stderr before it was aborted.
template <typename Kernel> void expect_report(Kernel kernel, const char *words)
{
    int ends[2];
    char text[4096] = "";
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)signal(SIGABRT, SIG_DFL);
        (void)spmmi::launch_kernel(kernel, dim3(1), THREADS, 0, nullptr, false);
        _exit(0);
    }
    (void)close(ends[1]);
    for (ssize_t got;
         length + 1 < sizeof text && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    (void)close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_non_null(strstr(text, words));
}

void what_can_never_end_is_reported(void **)
{
    expect_report(miss_a_barrier, "deadlock in ");
    expect_report(meet_at_different_functions, "lanes of a warp are at __syncwarp and at __ballot_sync");
    expect_report(take_much, "bytes of shared memory, 49152 are allowed");
}

struct Memory {
    unsigned *data;
    Memory()
    {
        assert_int_equal(cudaMalloc(reinterpret_cast<void **>(&data), THREADS * sizeof *data), cudaSuccess);
        assert_int_equal(cudaMemset(data, 0, THREADS * sizeof *data), cudaSuccess);
    }
    ~Memory()
    {
        (void)cudaFree(data);
    }
};

void threads_of_a_block_share_memory(void **)
{
    const Memory out;
    assert_int_equal(spmmi::launch_kernel(sum_threads, dim3(BLOCKS), THREADS, 0, nullptr, false, out.data),
                     cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned block = 0; block < BLOCKS; block++)
        assert_int_equal(out.data[block], THREADS * (THREADS - 1) / 2);
}

void shared_memory_begins_without_values_and_copies_are_late(void **)
{
    const Memory from, out;
    assert_int_equal(
        spmmi::launch_kernel(read_too_early, dim3(2), THREADS, 0, nullptr, false, from.data, out.data),
        cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned thread = 0; thread < THREADS; thread++)
        assert_int_equal(out.data[thread], 1);
}

void blocks_of_a_cluster_read_each_other(void **)
{
    const Memory out;
    assert_int_equal(spmmi::launch_clusters(read_neighbours, BLOCKS, 4, THREADS, 0, nullptr, out.data),
                     cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned block = 0; block < BLOCKS; block++)
        assert_int_equal(out.data[block], block / 4 * 4 + (block + 1) % 4);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_never_end_is_reported),
        cmocka_unit_test(threads_of_a_block_share_memory),
        cmocka_unit_test(shared_memory_begins_without_values_and_copies_are_late),
        cmocka_unit_test(blocks_of_a_cluster_read_each_other),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
