// SPDX-License-Identifier: Apache-2.0
// Waits of the lanes of a warp, the threads of a block and the blocks of a cluster for each other.
#include <string.h>

#include "emulator_state.h"

namespace emulator {

namespace {

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
    barrier.says = 0;
    barrier.turn ^= 1;
    return true;
}

unsigned meet_at(Barrier &barrier, unsigned wanted, unsigned alive, bool says, const char *name)
{
    const unsigned turn = barrier.turn;
    if (barrier.arrived > 0 && barrier.wanted != wanted)
        stop("threads wait for %u and for %u threads at %s", barrier.wanted, wanted, name);
    barrier.wanted = wanted;
    barrier.says += says;
    barrier.arrived++;
    if (!ends_if_complete(barrier, alive)) {
        barrier.waiting.push_back(running);
        wait_for(name);
    }
    return barrier.said[turn];
}

} // namespace

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

unsigned meet_block(unsigned which, unsigned threads, bool says)
{
    BlockState &block = state_of(*running);
    return meet_at(block.barriers[which], threads, block.alive, says, "a barrier of the block");
}

void meet_cluster()
{
    (void)meet_at(cluster.barrier, 0, cluster.alive, false, "a barrier of the cluster");
}

} // namespace emulator
