// SPDX-License-Identifier: Apache-2.0
// Streams of the emulated GPU. Work is done when it is enqueued or, with EMULATOR_STREAMS=late, when
// something waits for it.
#pragma once
#include <deque>
#include <mutex>
#include <vector>

#include "emulator.h"

using Work = std::function<void()>;

struct CUstream_st {
    bool is_blocking; // it and the legacy stream wait for each other
    std::deque<Work> queue;
    std::vector<Work> *capture; // NULL if the stream is not being captured
};

namespace emulator {

using Guard = std::lock_guard<std::recursive_mutex>;

extern std::recursive_mutex runtime_lock; // protects all data of the runtime functions

CUstream_st *stream_of(cudaStream_t stream);
void submit(cudaStream_t to, Work work);
// Do the pending work of one stream, or of all streams.
void drain(CUstream_st *stream);
void drain_all();
cudaError_t wait_for(CUstream_st *stream);

} // namespace emulator
