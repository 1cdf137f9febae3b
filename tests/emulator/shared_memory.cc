// SPDX-License-Identifier: Apache-2.0
// Shared memory: finds each variable's memory in a thread block, and makes asynchronous copies to it.
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "emulator_state.h"

namespace emulator {

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

namespace {

size_t variable_count;

// The size of the variables that represent dynamic shared memory: emulated_shared.cc.
constexpr size_t DYNAMIC = 3;

// Returns the memory of a variable in a block.
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

// The compiler calls this function to find a thread_local variable.
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
