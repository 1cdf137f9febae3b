// SPDX-License-Identifier: Apache-2.0
// Fibers, and the order of thread blocks and threads. Only one kernel runs at a time, even with several host
// threads.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <random>

#include "emulator_state.h"

dim3 gridDim, blockDim;

namespace emulator {

Fiber *running;
unsigned cluster_size;
Cluster cluster;
std::vector<Fiber> fibers;
std::deque<Fiber *> ready;
const void *kernel_address;
size_t dynamic_bytes;

namespace {

constexpr size_t STACK_BYTES = 256 * 1024;
constexpr unsigned SECONDS_MAX = 120; // limit for a kernel

std::recursive_mutex lock;
void *main_stack;
const Body *body;
size_t shared_max;
uint64_t switches, switches_max;
std::mt19937_64 shuffle_source;
enum Order { FORWARD, REVERSE, RANDOM, AHEAD } order;

// Saves the callee-saved registers and continues on the other stack.
extern "C" void emulator_switch(void **from, void *to);
asm(".text\n.globl emulator_switch\nemulator_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

Fiber *next_ready()
{
    if (order == RANDOM)
        std::swap(ready.front(), ready[shuffle_source() % ready.size()]);
    Fiber *const next = order == AHEAD ? ready.back() : ready.front();
    if (order == AHEAD)
        ready.pop_back();
    else
        ready.pop_front();
    return next;
}

// Continues with another fiber, or in run_cluster if no fiber is ready.
void leave()
{
    Fiber *const from = running;
    if (++switches > switches_max)
        stop("it stands still: more than %llu switches of threads", (unsigned long long)switches_max);
    if (ready.empty()) {
        running = nullptr;
        emulator_switch(&from->stack_pointer, main_stack);
    } else {
        running = next_ready();
        if (running != from)
            emulator_switch(&from->stack_pointer, running->stack_pointer);
    }
}

void fiber_main()
{
    for (;;) {
        (*body)();
        wait_for_copies(-1);
        end_thread();
        wait_for("the next block");
    }
}

void make_fibers(size_t count)
{
    for (size_t i = fibers.size(); i < count; i++) {
        void *const stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED)
            stop("no memory for the stack of a thread");
        void **const top = reinterpret_cast<void **>(static_cast<char *>(stack) + STACK_BYTES) - 8;
        memset(top - 8, 0, 16 * sizeof *top);
        top[0] = reinterpret_cast<void *>(fiber_main); // six registers below it, no return address above it
        Fiber fiber = {};
        fiber.stack_pointer = top - 6;
        fibers.push_back(fiber);
    }
}

void open_block(BlockState &block, unsigned threads)
{
    block.alive = threads;
    block.warps.assign((threads + WARP - 1) / WARP, Warp());
    for (Barrier &barrier : block.barriers)
        barrier = Barrier();
    block.shared_bytes = dynamic_bytes;
    for (unsigned i = 0; i < threads; i++) {
        Fiber &fiber = fibers[block.first_fiber + i];
        fiber.block = &block;
        fiber.number = i;
        fiber.lane = i % WARP;
        fiber.thread = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
        block.warps[i / WARP].alive |= 1u << i % WARP;
        ready.push_back(&fiber);
    }
}

void close_block(BlockState &block)
{
    for (const Shared &shared : block.variables)
        free(shared.memory);
    block.variables.clear();
    if (block.shared_bytes > shared_max)
        stop("%zu bytes of shared memory, %zu are allowed", block.shared_bytes, shared_max);
}

// Runs the blocks of one cluster, or one block.
void run_cluster(uint64_t first)
{
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    cluster.blocks.resize(cluster_size);
    cluster.barrier = Barrier();
    cluster.alive = threads * cluster_size;
    for (unsigned rank = 0; rank < cluster_size; rank++) {
        BlockState &block = cluster.blocks[rank];
        const uint64_t number = first + rank;
        block.index = {(unsigned)(number % gridDim.x), (unsigned)(number / gridDim.x % gridDim.y),
                       (unsigned)(number / gridDim.x / gridDim.y)};
        block.rank = rank;
        block.first_fiber = rank * ((threads + WARP - 1) / WARP * WARP);
        open_block(block, threads);
    }
    if (order == REVERSE || order == AHEAD) // AHEAD takes the last ready fiber next
        std::reverse(ready.begin(), ready.end());
    running = next_ready();
    emulator_switch(&main_stack, running->stack_pointer);
    if (cluster.alive > 0)
        report_deadlock();
    for (BlockState &block : cluster.blocks)
        close_block(block);
}

extern "C" void say_slow(int)
{
    stop("it has not ended after %u seconds", SECONDS_MAX);
}

void read_settings()
{
    const char *const named = getenv("EMULATOR_ORDER"), *const steps = getenv("EMULATOR_SWITCHES");
    if (named == nullptr)
        order = FORWARD;
    else if (strcmp(named, "reverse") == 0)
        order = REVERSE;
    else if (strcmp(named, "ahead") == 0)
        order = AHEAD;
    else if (strncmp(named, "random", 6) == 0)
        order = RANDOM;
    else
        stop("EMULATOR_ORDER is %s: expected reverse, ahead, or random and a number", named);
    if (order == RANDOM)
        shuffle_source.seed(strtoull(named + 6, nullptr, 10));
    switches_max = steps != nullptr ? strtoull(steps, nullptr, 10) : UINT64_MAX;
    signal(SIGALRM, say_slow);
}

uint64_t cluster_at(uint64_t turn, uint64_t count, const std::vector<uint64_t> &shuffled)
{
    return order == RANDOM ? shuffled[turn] : order == REVERSE ? count - 1 - turn : turn;
}

} // namespace

void wait_for(const char *name)
{
    running->waits_for = name;
    leave();
    running->waits_for = nullptr;
}

void give_way()
{
    if (order == AHEAD) // runs after all others
        ready.push_front(running);
    else
        ready.push_back(running);
    leave();
}

void run(const Launch &launch)
{
    const std::lock_guard<std::recursive_mutex> guard(lock);
    static const bool is_read = (read_settings(), true);
    (void)is_read;
    body = &launch.body;
    kernel_address = launch.kernel;
    dynamic_bytes = launch.dynamic_bytes;
    shared_max = launch.shared_max;
    gridDim = launch.grid;
    blockDim = launch.block;
    cluster_size = launch.cluster;
    switches = 0;
    const size_t threads = ((size_t)blockDim.x * blockDim.y * blockDim.z + WARP - 1) / WARP * WARP;
    make_fibers(threads * cluster_size);
    const uint64_t clusters = (uint64_t)gridDim.x * gridDim.y * gridDim.z / cluster_size;
    std::vector<uint64_t> shuffled(order == RANDOM ? clusters : 0);
    for (uint64_t i = 0; i < shuffled.size(); i++)
        shuffled[i] = i;
    std::shuffle(shuffled.begin(), shuffled.end(), shuffle_source);
    alarm(SECONDS_MAX);
    for (uint64_t turn = 0; turn < clusters; turn++)
        run_cluster(cluster_size * cluster_at(turn, clusters, shuffled));
    alarm(0);
    kernel_address = nullptr;
}

} // namespace emulator
