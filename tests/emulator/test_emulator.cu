// SPDX-License-Identifier: Apache-2.0
// Tests of the emulator: each thread block gets its own memory, and errors and kernels that can never end are
// reported.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "kernels/shared/async.cuh"
#include "kernels/shared/cluster.cuh"
#include "kernels/shared/launch.cuh"

extern "C" {
#include <cmocka.h>
}

namespace {

constexpr unsigned THREADS = 64, BLOCKS = 16;

__global__ void do_nothing()
{
}

// The warps wait at different barriers, so this never ends.
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

// The lanes are at two calls of the same function.
__global__ void meet_at_different_calls()
{
    if (threadIdx.x % 2 == 0)
        (void)__shfl_xor_sync(~0u, threadIdx.x, 1);
    else
        (void)__shfl_xor_sync(~0u, threadIdx.x, 2);
}

__global__ void read_lanes_that_have_ended()
{
    if (threadIdx.x % 32 < 16)
        (void)__shfl_down_sync(~0u, threadIdx.x, 1);
}

__global__ void copy_what_is_not_aligned()
{
    __shared__ __align__(16) unsigned from[THREADS], to[THREADS];
    spmmi::copy_async<16>(to + 1, static_cast<const void *>(from));
}

__global__ void take_much()
{
    __shared__ volatile char most[48 * 1024 + 1];
    most[threadIdx.x] = 1;
}

// out: for each block the sum of its thread numbers, read from what other threads wrote to shared memory.
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

// out: for each thread whether shared memory had values of the previous block, or of a copy before it was
// waited for.
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

// out: values that the first thread refills, without a barrier, while other threads still read them.
__global__ void refill_too_early(const unsigned *from, unsigned *out)
{
    __shared__ unsigned value[THREADS];
    value[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < THREADS; i++)
            spmmi::copy_async(&value[i], from + i);
    __syncwarp();
    out[threadIdx.x] = value[threadIdx.x];
    __syncthreads();
    spmmi::commit_copies();
    spmmi::wait_for_copies<0>();
}

// out: the value that the first thread wrote, read without a barrier.
__global__ void read_without_a_barrier(const unsigned *from, unsigned *out)
{
    __shared__ unsigned first;
    if (threadIdx.x == 0)
        first = from[0];
    out[threadIdx.x] = first;
}

// The first thread reads a word that another warp, which waited only for its own lanes, may have overwritten.
__global__ void write_ahead(const unsigned *from, unsigned *out)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = from[0];
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = word;
    if (threadIdx.x >= 32) {
        __syncwarp();
        word = from[threadIdx.x];
    }
}

// out: for each block the number of the next block of its cluster.
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

// Runs the kernel in a child process, which must abort and report these words on stderr.
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
        (void)cudaDeviceSynchronize();
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
    expect_report(miss_a_barrier, "deadlock in (anonymous namespace)::miss_a_barrier()");
    expect_report(meet_at_different_functions, "lanes of a warp are at __");
    expect_report(meet_at_different_calls, "lanes of a warp are at __shfl_xor_sync of line ");
    expect_report(read_lanes_that_have_ended, "reads lane 16, which is not there");
    expect_report(copy_what_is_not_aligned, " is not aligned");
    expect_report(take_much, "bytes of shared memory, 49152 are allowed");
}

// Must run before the first kernel of this process, because that kernel reads the order.
void an_unknown_order_is_refused(void **)
{
    const char *const named = getenv("EMULATOR_ORDER");
    const std::string kept = named != nullptr ? named : "";
    assert_int_equal(setenv("EMULATOR_ORDER", "behind", 1), 0);
    expect_report(do_nothing, "EMULATOR_ORDER is behind");
    assert_int_equal(
        named != nullptr ? setenv("EMULATOR_ORDER", kept.c_str(), 1) : unsetenv("EMULATOR_ORDER"), 0);
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

// Runs a kernel with one word per thread; `from` has the values 1, 2, 3, ..
template <typename Kernel> void run_with_values(Kernel kernel, const Memory &from, const Memory &out)
{
    for (unsigned i = 0; i < THREADS; i++)
        from.data[i] = i + 1;
    assert_int_equal(spmmi::launch_kernel(kernel, dim3(1), THREADS, 0, nullptr, false, from.data, out.data),
                     cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

void a_copy_leaves_no_old_values(void **)
{
    const Memory from, out;
    run_with_values(refill_too_early, from, out);
    assert_int_not_equal(out.data[1], from.data[1]);
}

// Returns EMULATOR_ORDER, or "".
const char *order()
{
    const char *const named = getenv("EMULATOR_ORDER");
    return named != nullptr ? named : "";
}

// The missing barrier has no effect if the first thread writes first.
void other_orders_show_a_missing_barrier(void **)
{
    const Memory from, out;
    run_with_values(read_without_a_barrier, from, out);
    bool is_shown = false;
    for (unsigned i = 0; i < THREADS; i++)
        is_shown |= out.data[i] != from.data[0];
    assert_int_equal(is_shown, strcmp(order(), "") != 0 && strcmp(order(), "ahead") != 0);
}

void a_warp_ahead_shows_a_missing_barrier(void **)
{
    const Memory from, out;
    run_with_values(write_ahead, from, out);
    if (strncmp(order(), "random", 6) != 0)
        assert_int_equal(out.data[0] != from.data[0], strcmp(order(), "ahead") == 0);
}

void count_up(void *count)
{
    ++*static_cast<int *>(count);
}

// A stream waits for the record of an event before the wait, not for a later record of the same event.
void streams_wait_for_the_record_before(void **)
{
    cudaStream_t streams[3];
    cudaEvent_t event;
    int counts[2] = {0, 0};
    for (cudaStream_t &stream : streams)
        assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreate(&event), cudaSuccess);
    assert_int_equal(cudaLaunchHostFunc(streams[0], count_up, &counts[0]), cudaSuccess);
    assert_int_equal(cudaEventRecord(event, streams[0]), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(streams[1], event, 0), cudaSuccess);
    assert_int_equal(cudaLaunchHostFunc(streams[2], count_up, &counts[1]), cudaSuccess);
    assert_int_equal(cudaEventRecord(event, streams[2]), cudaSuccess);
    const int at_once = getenv("EMULATOR_STREAMS") == nullptr;
    assert_int_equal(counts[0], at_once);
    assert_int_equal(cudaStreamSynchronize(streams[1]), cudaSuccess);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], at_once);
    assert_int_equal(cudaEventSynchronize(event), cudaSuccess);
    assert_int_equal(counts[1], 1);
    assert_int_equal(cudaEventDestroy(event), cudaSuccess);
    for (cudaStream_t stream : streams)
        assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
}

void only_one_attribute_allows_more_shared_memory(void **)
{
    constexpr int bytes = 64 * 1024;
    const auto launch = [] {
        return spmmi::launch_kernel(do_nothing, dim3(1), THREADS, (unsigned)bytes, nullptr, false);
    };
    assert_int_equal(cudaFuncSetAttribute(do_nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
                     cudaSuccess);
    assert_int_not_equal(cudaFuncSetAttribute(do_nothing, cudaFuncAttributeRequiredClusterWidth, bytes),
                         cudaSuccess);
    assert_int_not_equal(launch(), cudaSuccess);
    assert_int_equal(cudaFuncSetAttribute(do_nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                     cudaSuccess);
    assert_int_equal(launch(), cudaSuccess);
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
        cmocka_unit_test(an_unknown_order_is_refused),
        cmocka_unit_test(what_can_never_end_is_reported),
        cmocka_unit_test(threads_of_a_block_share_memory),
        cmocka_unit_test(shared_memory_begins_without_values_and_copies_are_late),
        cmocka_unit_test(a_copy_leaves_no_old_values),
        cmocka_unit_test(other_orders_show_a_missing_barrier),
        cmocka_unit_test(a_warp_ahead_shows_a_missing_barrier),
        cmocka_unit_test(streams_wait_for_the_record_before),
        cmocka_unit_test(only_one_attribute_allows_more_shared_memory),
        cmocka_unit_test(blocks_of_a_cluster_read_each_other),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
