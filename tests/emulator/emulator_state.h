// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the emulator: the running thread blocks, and what their threads wait for.
#pragma once
#include "emulator.h"

namespace emulator {

constexpr unsigned WARP = 32, BARRIERS = 16;
constexpr int POISON = 0xa5;

// A wait of the lanes of one mask for each other. Two arrays of values are used in turn, because no lane can
// be two meetings ahead of another.
struct Meeting {
    uint32_t mask, arrived;
    Call call;
    unsigned turn;
    uint64_t values[2][WARP];
    uint32_t there[2];
};

struct Warp {
    uint32_t alive;
    std::vector<Meeting> meetings;
};

struct Barrier {
    unsigned arrived, wanted;
    unsigned says, said[2];
    unsigned turn;
    std::vector<Fiber *> waiting;
};

struct Variable { // the layout that the compiler gives the control object of a thread_local variable
    size_t bytes, align;
    uintptr_t number; // 0 if not yet numbered
    const void *value;
};

struct Shared {
    void *memory;
    size_t bytes;
    Variable *variable;
};

struct BlockState : Block {
    unsigned alive;
    std::vector<Warp> warps;
    Barrier barriers[BARRIERS];
    std::vector<Shared> variables; // shared memory, indexed by number
    size_t shared_bytes;
};

struct Cluster {
    std::vector<BlockState> blocks;
    Barrier barrier;
    unsigned alive;
};

extern Cluster cluster;
extern std::vector<Fiber> fibers;
extern std::deque<Fiber *> ready;
extern const void *kernel_address;
extern size_t dynamic_bytes;

inline BlockState &state_of(const Fiber &fiber)
{
    return cluster.blocks[fiber.block->rank];
}

// Lets others run until another thread makes this one ready. name describes the wait in reports.
void wait_for(const char *name);
// Ends a thread. This may complete waits of other threads.
void end_thread();
[[noreturn]] void report_deadlock();

} // namespace emulator
