// SPDX-License-Identifier: Apache-2.0
// Runs CUDA kernels on the CPU, for correctness alone. A kernel is compiled as C++ with headers of this folder before
// those of CUDA and of kernels/shared. Threads of a block are fibers: each runs until it waits for others. Thread
// blocks run one after the other, those of a cluster together. __shared__ is thread_local, and __emutls_get_address
// gives each thread block its own. A kernel that can never end is reported, with its name.
//
// EMULATOR_ORDER    reverse: thread blocks, and threads at their start, from the last to the first; random, random7:
//                   both in a random order, of this seed; ahead: threads that others let go on run first, so that a
//                   warp runs ahead of the others as far as barriers let it
// EMULATOR_STREAMS  late: work of streams is done when something waits for it, not at once
// EMULATOR_SWITCHES most switches of threads in a kernel
#pragma once
#include <cuda_runtime_api.h>
#include <stdint.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

extern dim3 gridDim, blockDim; // of the kernel that runs

namespace emulator {

// Of the GPU; SHARED_USUAL: what a kernel has without an attribute.
constexpr size_t MEMORY_BYTES = (size_t)16 << 30, SHARED_USUAL = 48 * 1024, SHARED_MAX = 227 * 1024;

// For cudaGetLastError; returns it.
cudaError_t remember(cudaError_t error);

struct Copy {
    void *to;
    const void *from;
    unsigned bytes, room;
};

struct Block;
struct Fiber { // a thread
    void *stack_pointer;
    Block *block;
    uint3 thread;
    unsigned number, lane;                // of the block, of the warp
    const char *waits_for;                // for reports
    std::vector<Copy> copies;             // of no group yet
    std::deque<std::vector<Copy>> groups; // that were not waited for
};

struct Block {
    uint3 index;
    unsigned rank, first_fiber; // of the cluster
};

extern Fiber *running;
extern unsigned cluster_size;

// What a kernel does in one thread.
using Body = std::function<void()>;
cudaError_t launch(const cudaLaunchConfig_t &config, const void *kernel, Body body);

struct Launch {
    dim3 grid, block;
    unsigned cluster;
    size_t dynamic_bytes, shared_max; // shared memory: dynamic, and what the kernel may have in all
    const void *kernel;
    Body body;
};
void run(const Launch &launch);

struct Call {
    const char *name; // of the function
    unsigned line;    // 0: lanes at any line meet
};

// Waits for the lanes of the mask, those that have ended left out: the values of all, by lane. there: who has come.
const uint64_t *meet(uint32_t mask, Call call, uint64_t value, uint32_t *there = nullptr);
// Waits for `threads` threads of the block, 0: all that have not ended, at barrier number `which`. Returns how many of
// them said so.
unsigned meet_block(unsigned which, unsigned threads, bool says);
void meet_cluster();
// A copy of one thread that is done when it waits for it, poison until then; behind `bytes` of `room` come zeros.
void copy_late(void *to, const void *from, unsigned bytes, unsigned room);
void commit_copies();
// Until all but the last `pending` groups of copies are done; -1: those that are no group yet too.
void wait_for_copies(int pending);
// Lets others run: for loops that wait for memory.
void give_way();
const void *memory_of_rank(const void *memory, unsigned rank);
[[noreturn]] void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace emulator
