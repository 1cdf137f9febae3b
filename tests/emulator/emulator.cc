// SPDX-License-Identifier: Apache-2.0
// Fibers, what they wait for, and shared memory. One kernel runs at a time, whoever launched it.
#include "emulator.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <random>
#include <vector>

dim3 gridDim, blockDim;

namespace emulator {

Fiber *running;
unsigned cluster_size;

namespace {

constexpr size_t STACK_BYTES = 256 * 1024;
constexpr unsigned WARP = 32, BARRIERS = 16;
constexpr int POISON = 0xa5;
constexpr unsigned SECONDS_MAX = 120; // of a kernel
constexpr size_t DYNAMIC =
    3; // the size of a variable that stands for dynamic shared memory: emulated_shared.cc

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
    bool says, said[2];
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

std::recursive_mutex lock;
Cluster cluster;
std::vector<Fiber> fibers;
std::deque<Fiber *> ready;
void *main_stack;
const Body *body;
const void *kernel_address;
size_t dynamic_bytes, shared_max, variable_count;
uint64_t switches, switches_max;
std::mt19937_64 shuffle_source;
enum Order { FORWARD, REVERSE, RANDOM } order;

// Saves what a function must keep, and goes on where the other stack stood.
extern "C" void emulator_switch(void **from, void *to);
asm(".text\n.globl emulator_switch\nemulator_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

const char *kernel_name()
{
    Dl_info info;
    if (!dladdr(kernel_address, &info) || info.dli_sname == nullptr)
        return "a kernel without a name";
    const char *name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr);
    return name != nullptr ? name : info.dli_sname;
}

BlockState &state_of(const Fiber &fiber)
{
    return cluster.blocks[fiber.block->rank];
}

Fiber *next_ready()
{
    if (order == RANDOM)
        std::swap(ready.front(), ready[shuffle_source() % ready.size()]);
    Fiber *const next = ready.front();
    ready.pop_front();
    return next;
}

// Goes on with another fiber, or where the kernel was launched.
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

void wait_for(const char *name)
{
    running->waits_for = name;
    leave();
    running->waits_for = nullptr;
}

void check_same(const Call &a, const Call &b)
{
    if (strcmp(a.name, b.name) != 0)
        stop("lanes of a warp are at %s and at %s", a.name, b.name);
    if (a.line != b.line)
        stop("lanes of a warp are at %s of line %u and of line %u", a.name, a.line, b.line);
}

bool ends_if_complete(BlockState &block, unsigned warp, Meeting &meeting)
{
    const uint32_t wanted = meeting.mask & block.warps[warp].alive;
    if (meeting.arrived == 0 || meeting.arrived != wanted)
        return false;
    meeting.there[meeting.turn] = meeting.arrived;
    for (unsigned lane = 0; lane < WARP; lane++) {
        Fiber *const fiber = &fibers[block.first_fiber + warp * WARP + lane];
        if ((meeting.arrived >> lane & 1) && fiber != running)
            ready.push_back(fiber);
    }
    meeting.arrived = 0;
    meeting.turn ^= 1;
    return true;
}

bool ends_if_complete(Barrier &barrier, unsigned alive)
{
    if (barrier.arrived == 0 || barrier.arrived != (barrier.wanted != 0 ? barrier.wanted : alive))
        return false;
    barrier.said[barrier.turn] = barrier.says;
    for (Fiber *fiber : barrier.waiting)
        ready.push_back(fiber);
    barrier.waiting.clear();
    barrier.arrived = 0;
    barrier.says = false;
    barrier.turn ^= 1;
    return true;
}

bool meet_at(Barrier &barrier, unsigned wanted, unsigned alive, bool says, const char *name)
{
    const unsigned turn = barrier.turn;
    if (barrier.arrived > 0 && barrier.wanted != wanted)
        stop("threads wait for %u and for %u threads at %s", barrier.wanted, wanted, name);
    barrier.wanted = wanted;
    barrier.says |= says;
    barrier.arrived++;
    if (!ends_if_complete(barrier, alive)) {
        barrier.waiting.push_back(running);
        wait_for(name);
    }
    return barrier.said[turn];
}

// A thread has ended: others may have waited for it alone.
void end_thread()
{
    BlockState &block = state_of(*running);
    const unsigned warp = running->number / WARP;
    block.alive--;
    cluster.alive--;
    block.warps[warp].alive &= ~(1u << running->lane);
    for (Meeting &meeting : block.warps[warp].meetings)
        (void)ends_if_complete(block, warp, meeting);
    if (block.alive > 0)
        for (Barrier &barrier : block.barriers)
            (void)ends_if_complete(barrier, block.alive);
    if (cluster.alive > 0)
        (void)ends_if_complete(cluster.barrier, cluster.alive);
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
        top[0] =
            reinterpret_cast<void *>(fiber_main); // below it the six registers; above it no return address
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

[[noreturn]] void report_deadlock()
{
    fprintf(stderr, "emulator: deadlock in %s\n", kernel_name());
    for (const BlockState &block : cluster.blocks)
        for (unsigned i = 0; i < blockDim.x * blockDim.y * blockDim.z; i++) {
            const Fiber &fiber = fibers[block.first_fiber + i];
            if (fiber.waits_for != nullptr && strcmp(fiber.waits_for, "the next block") != 0)
                fprintf(stderr, "block %u %u thread %u waits at %s\n", block.index.x, block.index.y, i,
                        fiber.waits_for);
        }
    abort();
}

// The blocks of one cluster, or one block.
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
    if (order == REVERSE)
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
    order = named == nullptr                   ? FORWARD
            : strcmp(named, "reverse") == 0    ? REVERSE
            : strncmp(named, "random", 6) == 0 ? RANDOM
                                               : FORWARD;
    if (order == RANDOM)
        shuffle_source.seed(strtoull(named + 6, nullptr, 10));
    switches_max = steps != nullptr ? strtoull(steps, nullptr, 10) : UINT64_MAX;
    signal(SIGALRM, say_slow);
}

uint64_t cluster_at(uint64_t turn, uint64_t count, const std::vector<uint64_t> &shuffled)
{
    return order == FORWARD ? turn : order == REVERSE ? count - 1 - turn : shuffled[turn];
}

} // namespace

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
}

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "emulator: %s", kernel_address != nullptr ? kernel_name() : "no kernel");
    if (running != nullptr)
        fprintf(stderr, ", block %u %u, thread %u", running->block->index.x, running->block->index.y,
                running->number);
    fputs(": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    abort();
}

const uint64_t *meet(uint32_t mask, Call call, uint64_t value, uint32_t *there)
{
    BlockState &block = state_of(*running);
    const unsigned number = running->number / WARP;
    Warp &warp = block.warps[number];
    size_t i = 0;
    if (!(mask >> running->lane & 1))
        stop("%s with the mask %08x by lane %u", call.name, mask, running->lane);
    while (i < warp.meetings.size() && warp.meetings[i].mask != mask)
        i++;
    if (i == warp.meetings.size()) {
        warp.meetings.push_back(Meeting());
        warp.meetings[i].mask = mask;
    }
    Meeting *meeting = &warp.meetings[i];
    const unsigned turn = meeting->turn;
    if (meeting->arrived != 0)
        check_same(meeting->call, call);
    meeting->call = call;
    meeting->values[turn][running->lane] = value;
    meeting->arrived |= 1u << running->lane;
    if (!ends_if_complete(block, number, *meeting))
        wait_for(call.name);
    meeting = &warp.meetings[i];
    if (there != nullptr)
        *there = meeting->there[turn];
    return meeting->values[turn];
}

bool meet_block(unsigned which, unsigned threads, bool says)
{
    BlockState &block = state_of(*running);
    return meet_at(block.barriers[which], threads, block.alive, says, "a barrier of the block");
}

void meet_cluster()
{
    (void)meet_at(cluster.barrier, 0, cluster.alive, false, "a barrier of the cluster");
}

void copy_late(void *to, const void *from, unsigned bytes, unsigned room)
{
    if (((uintptr_t)to | (uintptr_t)from) % room != 0)
        stop("a copy of %u bytes from %p to %p is not aligned", room, from, to);
    memset(to, POISON, room);
    running->copies.push_back({to, from, bytes, room});
}

void commit_copies()
{
    running->groups.push_back(std::move(running->copies));
    running->copies.clear();
}

void wait_for_copies(int pending)
{
    if (pending < 0 && !running->copies.empty())
        commit_copies();
    for (; (int)running->groups.size() > std::max(pending, 0); running->groups.pop_front())
        for (const Copy &copy : running->groups.front()) {
            memcpy(copy.to, copy.from, copy.bytes);
            memset(static_cast<char *>(copy.to) + copy.bytes, 0, copy.room - copy.bytes);
        }
}

void give_way()
{
    ready.push_back(running);
    leave();
}

namespace {

// The memory of a variable in a block.
char *memory_of(BlockState &block, Variable *variable)
{
    if (variable->number == 0)
        variable->number = ++variable_count;
    if (block.variables.size() < variable->number)
        block.variables.resize(variable_count);
    Shared &shared = block.variables[variable->number - 1];
    if (shared.memory != nullptr)
        return static_cast<char *>(shared.memory);
    const bool is_dynamic = variable->bytes == DYNAMIC;
    const size_t bytes = is_dynamic ? dynamic_bytes : variable->bytes;
    if (posix_memalign(&shared.memory, 1024, bytes + (bytes == 0)) != 0)
        stop("no memory for %zu bytes of shared memory", bytes);
    memset(shared.memory, POISON, bytes);
    shared.variable = variable;
    shared.bytes = bytes;
    block.shared_bytes += is_dynamic ? 0 : bytes;
    return static_cast<char *>(shared.memory);
}

} // namespace

// The compiler's name for what finds a thread_local variable.
extern "C" void *__emutls_get_address(void *variable)
{
    return memory_of(state_of(*running), static_cast<Variable *>(variable));
}

const void *memory_of_rank(const void *memory, unsigned rank)
{
    if (rank >= cluster.blocks.size())
        stop("block %u of a cluster of %zu", rank, cluster.blocks.size());
    for (const Shared &shared : state_of(*running).variables) {
        const ptrdiff_t at = static_cast<const char *>(memory) - static_cast<char *>(shared.memory);
        if (shared.memory != nullptr && at >= 0 && (size_t)at < shared.bytes)
            return memory_of(cluster.blocks[rank], shared.variable) + at;
    }
    stop("an address that is not of shared memory");
}

} // namespace emulator
