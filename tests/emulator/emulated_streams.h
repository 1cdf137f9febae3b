// SPDX-License-Identifier: Apache-2.0
// Streams of the CUDA runtime of one GPU that is not there. Work of a stream is done when it is enqueued, or with
// EMULATOR_STREAMS=late when something waits for it.
#pragma once
#include <deque>
#include <mutex>
#include <vector>

#include "emulator.h"

using Work = std::function<void()>;

struct CUstream_st {
    bool is_blocking; // waits for the legacy stream, which waits for it
    std::deque<Work> queue;
    std::vector<Work> *capture; // NULL: none
};

namespace emulator {

using Guard = std::lock_guard<std::recursive_mutex>;

extern std::recursive_mutex runtime_lock; // for all that the functions of the runtime share

CUstream_st *stream_of(cudaStream_t stream);
void submit(cudaStream_t to, Work work);
// Do the work of one stream, or of all.
void drain(CUstream_st *stream);
void drain_all();
cudaError_t wait_for(CUstream_st *stream);

} // namespace emulator
