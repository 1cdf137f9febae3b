// SPDX-License-Identifier: Apache-2.0
// See emulated_streams.h. Also implements events, which one stream records and other streams wait for.
#include "emulated_streams.h"

#include <stdlib.h>
#include <string.h>

#include <memory>

using namespace emulator;

// One call of cudaEventRecord. A wait refers to the latest record before it.
struct Record {
    CUstream_st *stream;
    bool is_reached;
};

struct CUevent_st {
    std::shared_ptr<Record> last; // NULL if not yet recorded
};

std::recursive_mutex emulator::runtime_lock;

namespace {

CUstream_st legacy = {false, {}, nullptr};
std::vector<CUstream_st *> streams;

bool is_late()
{
    static const char *const named = getenv("EMULATOR_STREAMS");
    return named != nullptr && strcmp(named, "late") == 0;
}

void do_first(CUstream_st *stream)
{
    const Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    work();
}

void reach(const Record *record)
{
    while (record != nullptr && !record->is_reached) {
        if (record->stream->queue.empty())
            emulator::stop("an event is waited for that nobody reaches");
        do_first(record->stream);
    }
}

} // namespace

namespace emulator {

CUstream_st *stream_of(cudaStream_t stream)
{
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ? &legacy
                                                                                            : stream;
}

void drain(CUstream_st *stream)
{
    while (!stream->queue.empty())
        do_first(stream);
}

void drain_all()
{
    for (CUstream_st *stream : streams)
        drain(stream);
    drain(&legacy);
}

void submit(cudaStream_t to, Work work)
{
    CUstream_st *const stream = stream_of(to);
    if (stream->capture != nullptr) {
        stream->capture->push_back(std::move(work));
        return;
    }
    if (stream->is_blocking)
        drain(&legacy);
    for (CUstream_st *other : streams)
        if (stream == &legacy && other->is_blocking)
            drain(other);
    stream->queue.push_back(std::move(work));
    if (!is_late())
        drain(stream);
}

cudaError_t wait_for(CUstream_st *stream)
{
    const Guard guard(runtime_lock);
    if (stream->capture != nullptr)
        return emulator::remember(cudaErrorStreamCaptureUnsupported);
    drain(stream);
    return cudaSuccess;
}

} // namespace emulator

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    const Guard guard(runtime_lock);
    *stream = new CUstream_st{flags != cudaStreamNonBlocking, {}, nullptr};
    streams.push_back(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const Guard guard(runtime_lock);
    drain(stream);
    for (size_t i = 0; i < streams.size(); i++)
        if (streams[i] == stream) {
            streams.erase(streams.begin() + (ptrdiff_t)i);
            break;
        }
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for(stream_of(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for(stream_of(stream));
}

cudaError_t cudaDeviceSynchronize(void)
{
    const Guard guard(runtime_lock);
    drain_all();
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    const Guard guard(runtime_lock);
    submit(stream, [=] { function(data); });
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new CUevent_st{nullptr};
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const Guard guard(runtime_lock);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const Guard guard(runtime_lock);
    const auto record = std::make_shared<Record>(Record{stream_of(stream), false});
    event->last = record;
    submit(stream, [=] { record->is_reached = true; });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const Guard guard(runtime_lock);
    reach(event->last.get());
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const Guard guard(runtime_lock);
    const auto record = event->last;
    submit(stream, [=] { reach(record.get()); });
    return cudaSuccess;
}

} // extern "C"
