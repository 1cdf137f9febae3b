// SPDX-License-Identifier: Apache-2.0
// Runs CUDA kernels on the CPU, to check their correctness. A kernel is compiled as C++ with headers of this
// folder in front of those of CUDA and kernels/shared. The threads of a block are fibers, and each runs until
// it waits for others. Thread blocks run one after another, those of a cluster together. __shared__ is
// thread_local, and __emutls_get_address returns the memory of each thread block. A kernel that can never end
// is reported with its name.
//
// EMULATOR_ORDER    order of thread blocks, and of threads at their start: reverse: from the last to the
//                   first; random, random7: random, with this seed; ahead: threads that others release run
//                   first, so that a warp runs as far ahead of the others as barriers allow
// EMULATOR_STREAMS  late: work of streams is done when something waits for it, not immediately
// EMULATOR_SWITCHES maximum number of switches between threads in a kernel
#pragma once
#include <cuda_runtime_api.h>
#include <stdint.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

extern dim3 gridDim, blockDim; // of the running kernel

namespace emulator {

// Limits of the GPU. SHARED_USUAL: shared memory of a kernel without an attribute.
constexpr size_t MEMORY_BYTES = (size_t)16 << 30, SHARED_USUAL = 48 * 1024, SHARED_MAX = 227 * 1024;

// Stores the error for cudaGetLastError, and returns it.
cudaError_t remember(cudaError_t error);

struct Copy {
    void *to;
    const void *from;
    unsigned bytes, room;
};

struct Block;
struct Fiber { // one thread
    void *stack_pointer;
    Block *block;
    uint3 thread;
    unsigned number, lane;                // in the block; in the warp
    const char *waits_for;                // used in reports
    std::vector<Copy> copies;             // not yet committed to a group
    std::deque<std::vector<Copy>> groups; // committed, not yet waited for
};

struct Block {
    uint3 index;
    unsigned rank, first_fiber; // in the cluster
};

extern Fiber *running;
extern unsigned cluster_size;

// The work of a kernel in one thread.
using Body = std::function<void()>;
cudaError_t launch(const cudaLaunchConfig_t &config, const void *kernel, Body body);

struct Launch {
    dim3 grid, block;
    unsigned cluster;
    size_t dynamic_bytes, shared_max; // dynamic shared memory; maximum of all shared memory of the kernel
    const void *kernel;
    Body body;
};
void run(const Launch &launch);

struct Call {
    const char *name; // name of the function
    unsigned line;    // 0: lanes at any line can meet
};

// Waits for the lanes of the mask, except those that have ended. Returns the values of all lanes, by lane.
// *there becomes the mask of the lanes that met.
const uint64_t *meet(uint32_t mask, Call call, uint64_t value, uint32_t *there = nullptr);
// Waits at barrier number `which` for `threads` threads of the block; 0: for all that have not ended. Returns
// the number of threads with says = true.
unsigned meet_block(unsigned which, unsigned threads, bool says);
void meet_cluster();
// Starts an asynchronous copy of one thread, which is done when the thread waits for it; until then the
// destination is poison. The rest of `room` bytes after `bytes` becomes zero.
void copy_late(void *to, const void *from, unsigned bytes, unsigned room);
void commit_copies();
// Waits until all but the last `pending` groups of copies are done; -1: all copies, including uncommitted
// ones.
void wait_for_copies(int pending);
// Lets other threads run: for loops that wait for a change in memory.
void give_way();
const void *memory_of_rank(const void *memory, unsigned rank);
[[noreturn]] void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace emulator
