// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/barrier.cuh with the behaviour of sm_90. Copies that signal a barrier are done
// immediately.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "async.cuh"

namespace spmmi {

using Barrier = uint64_t; // in shared memory

// The contents of a barrier.
struct BarrierState {
    int32_t bytes;     // bytes that this phase still waits for
    uint16_t missing;  // missing arrivals
    uint16_t arrivals; // arrivals per phase; the highest bit is the parity of the current phase
};
static_assert(sizeof(BarrierState) == sizeof(Barrier), "a word");
constexpr uint16_t BARRIER_PARITY = 0x8000;

inline void change_barrier(Barrier *barrier, int32_t bytes, uint16_t arrivals)
{
    BarrierState state = bits_as<BarrierState>(*barrier);
    if (arrivals > state.missing)
        emulator::stop("more arrivals at a barrier in shared memory than it waits for");
    state.bytes += bytes;
    state.missing -= arrivals;
    if (state.missing == 0 && state.bytes == 0) {
        state.arrivals ^= BARRIER_PARITY;
        state.missing = state.arrivals & ~BARRIER_PARITY;
    }
    *barrier = bits_as<Barrier>(state);
}

inline void init_barrier(Barrier *barrier, uint32_t arrivals)
{
    *barrier = bits_as<Barrier>(BarrierState{0, (uint16_t)arrivals, (uint16_t)arrivals});
}

inline void fence_barriers()
{
}

inline void publish_barriers()
{
    __syncthreads();
}

inline void publish_writes()
{
}

inline void arrive(Barrier *barrier)
{
    change_barrier(barrier, 0, 1);
}

inline void wait_for_phase(Barrier *barrier, uint32_t parity)
{
    while (bits_as<BarrierState>(*barrier).arrivals / BARRIER_PARITY == parity % 2)
        emulator::give_way();
}

inline void arrive_after_copies(Barrier *barrier)
{
    emulator::wait_for_copies(-1);
    arrive(barrier);
}

constexpr uint32_t SPAN_ARRIVALS = 1;

inline void arrive_and_expect(Barrier *barrier, uint32_t bytes)
{
    change_barrier(barrier, (int32_t)bytes, 1);
}

inline void copy_bulk(void *shared, const void *global, uint32_t bytes, Barrier *barrier)
{
    if (((uintptr_t)shared | (uintptr_t)global | bytes) % 16 != 0)
        emulator::stop("a bulk copy of %u bytes from %p to %p is not aligned", bytes, global, shared);
    memcpy(shared, global, bytes);
    change_barrier(barrier, -(int32_t)bytes, 0);
}

inline void copy_span(void *shared, const void *global, uint32_t bytes, Barrier *barrier, uint32_t thread,
                      uint32_t)
{
    if (thread != 0)
        return;
    arrive_and_expect(barrier, bytes);
    copy_bulk(shared, global, bytes, barrier);
}

inline void wait_for_span(Barrier *barrier, uint32_t parity)
{
    wait_for_phase(barrier, parity);
}

} // namespace spmmi
