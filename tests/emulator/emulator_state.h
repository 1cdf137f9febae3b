// SPDX-License-Identifier: Apache-2.0
// What the files of the emulator share: the thread blocks that run, and what their threads wait for.
#pragma once
#include "emulator.h"

namespace emulator {

constexpr unsigned WARP = 32, BARRIERS = 16;
constexpr int POISON = 0xa5;

// Lanes of one mask that wait for each other. Values lie in two arrays in turn: nobody is two meetings ahead.
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

struct Variable { // as the compiler writes it for each thread_local variable
    size_t bytes, align;
    uintptr_t number; // 0: it has none yet
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
    std::vector<Shared> variables; // shared memory, by number
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

// Lets others run until somebody makes this thread ready. name: what it waits for.
void wait_for(const char *name);
// A thread has ended: others may have waited for it alone.
void end_thread();
[[noreturn]] void report_deadlock();

} // namespace emulator
