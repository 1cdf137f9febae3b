// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime of one GPU that is not there: memory, streams, events and graphs. Work of a stream is done when it
// is enqueued, or with EMULATOR_STREAMS=late when something waits for it.
#include <stdlib.h>
#include <string.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator.h"

using Work = std::function<void()>;

struct CUstream_st {
    bool is_blocking; // waits for the legacy stream, which waits for it
    std::deque<Work> queue;
    std::vector<Work> *capture; // NULL: none
};

// One call of cudaEventRecord, which those wait for that came before the next one.
struct Record {
    CUstream_st *stream;
    bool is_reached;
};

struct CUevent_st {
    std::shared_ptr<Record> last; // NULL: none yet
};

struct CUgraph_st {
    std::vector<Work> work;
};

struct CUgraphExec_st {
    std::vector<Work> work;
};

namespace {

constexpr size_t POISON_MAX = (size_t)64 << 20, ALIGN = 512;
constexpr int POISON = 0xcd;

struct Block {
    size_t bytes;
    cudaMemoryType type;
};

std::recursive_mutex lock;
std::map<uintptr_t, Block> blocks;        // of the device, and pinned ones of the host
std::map<const void *, size_t> shared_of; // kernels that may have more dynamic shared memory than others
size_t taken;
CUstream_st legacy = {false, {}, nullptr};
std::vector<CUstream_st *> streams;

using Guard = std::lock_guard<std::recursive_mutex>;

bool is_late()
{
    static const char *const named = getenv("EMULATOR_STREAMS");
    return named != nullptr && strcmp(named, "late") == 0;
}

CUstream_st *stream_of(cudaStream_t stream)
{
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ? &legacy
                                                                                            : stream;
}

void drain(CUstream_st *stream)
{
    while (!stream->queue.empty()) {
        const Work work = std::move(stream->queue.front());
        stream->queue.pop_front();
        work();
    }
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

// The block that an address lies in; NULL: none.
const std::pair<const uintptr_t, Block> *find(const void *p)
{
    auto at = blocks.upper_bound((uintptr_t)p);
    if (at == blocks.begin())
        return nullptr;
    --at;
    return (uintptr_t)p < at->first + at->second.bytes ? &*at : nullptr;
}

// What is copied to or from a block lies inside.
void check_span(const void *p, size_t bytes)
{
    const auto *block = find(p);
    if (block != nullptr && (uintptr_t)p + bytes > block->first + block->second.bytes)
        emulator::stop("a copy of %zu bytes leaves a block of %zu", bytes, block->second.bytes);
}

cudaError_t take(void **out, size_t bytes, cudaMemoryType type)
{
    const Guard guard(lock);
    *out = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > emulator::MEMORY_BYTES - taken || posix_memalign(out, ALIGN, bytes) != 0)
        return emulator::remember(cudaErrorMemoryAllocation);
    memset(*out, POISON, bytes < POISON_MAX ? bytes : POISON_MAX);
    blocks[(uintptr_t)*out] = {bytes, type};
    taken += bytes;
    return cudaSuccess;
}

void release(void *block)
{
    const auto at = blocks.find((uintptr_t)block);
    if (at == blocks.end())
        emulator::stop("%p is freed, which is no block", block);
    taken -= at->second.bytes;
    blocks.erase(at);
    free(block);
}

cudaError_t release_now(void *block)
{
    const Guard guard(lock);
    drain_all();
    if (block != nullptr)
        release(block);
    return cudaSuccess;
}

// Copies from pageable memory have left it when the call returns, and those to it are done.
cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 cudaStream_t stream)
{
    const Guard guard(lock);
    if (width == 0 || height == 0)
        return cudaSuccess;
    check_span(to, (height - 1) * to_pitch + width);
    check_span(from, (height - 1) * from_pitch + width);
    const auto rows = [=](const char *source) {
        for (size_t i = 0; i < height; i++)
            memmove(static_cast<char *>(to) + i * to_pitch, source + i * from_pitch, width);
    };
    const bool is_captured = stream_of(stream)->capture != nullptr;
    if (find(from) == nullptr && !is_captured) {
        const std::string kept(static_cast<const char *>(from), (height - 1) * from_pitch + width);
        submit(stream, [=] { rows(kept.data()); });
    } else {
        submit(stream, [=] { rows(static_cast<const char *>(from)); });
    }
    if (find(to) == nullptr && !is_captured)
        drain(stream_of(stream));
    return cudaSuccess;
}

cudaError_t fill(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const Guard guard(lock);
    check_span(to, bytes);
    submit(stream, [=] { memset(to, value, bytes); });
    return cudaSuccess;
}

cudaError_t wait_for(CUstream_st *stream)
{
    const Guard guard(lock);
    if (stream->capture != nullptr)
        return emulator::remember(cudaErrorStreamCaptureUnsupported);
    drain(stream);
    return cudaSuccess;
}

void reach(const Record *record)
{
    while (record != nullptr && !record->is_reached) {
        if (record->stream->queue.empty())
            emulator::stop("an event is waited for that nobody reaches");
        const Work work = std::move(record->stream->queue.front());
        record->stream->queue.pop_front();
        work();
    }
}

} // namespace

namespace emulator {

cudaError_t launch(const cudaLaunchConfig_t &config, const void *kernel, Body body)
{
    const Guard guard(lock);
    Launch launch = {config.gridDim,         config.blockDim, 1,   config.dynamicSmemBytes,
                     emulator::SHARED_USUAL, kernel,          body};
    for (unsigned i = 0; i < config.numAttrs; i++)
        if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
            launch.cluster = config.attrs[i].val.clusterDim.x;
    const uint64_t threads = (uint64_t)launch.block.x * launch.block.y * launch.block.z;
    if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0 || threads == 0 || threads > 1024 ||
        launch.grid.y > 65535 || launch.grid.z > 65535 || launch.grid.x > INT32_MAX)
        return emulator::remember(cudaErrorInvalidConfiguration);
    if (launch.cluster == 0 || launch.grid.x % launch.cluster != 0 || launch.cluster > 8)
        return emulator::remember(cudaErrorInvalidClusterSize);
    const auto found = shared_of.find(kernel);
    if (launch.dynamic_bytes > (found == shared_of.end() ? emulator::SHARED_USUAL : found->second))
        return emulator::remember(cudaErrorInvalidValue);
    if (found != shared_of.end())
        launch.shared_max = emulator::SHARED_MAX;
    submit(config.stream, [launch] { run(launch); });
    return cudaSuccess;
}

} // namespace emulator

extern "C" {

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    const Guard guard(lock);
    *free_bytes = emulator::MEMORY_BYTES - taken;
    *total = emulator::MEMORY_BYTES;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **block, size_t bytes)
{
    return take(block, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t, cudaStream_t)
{
    return take(block, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *block)
{
    return release_now(block);
}

cudaError_t cudaFreeAsync(void *block, cudaStream_t stream)
{
    const Guard guard(lock);
    submit(stream, [=] { release(block); });
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **block, size_t bytes, unsigned)
{
    return take(block, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaMallocHost(void **block, size_t bytes)
{
    return take(block, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaFreeHost(void *block)
{
    return release_now(block);
}

cudaError_t cudaHostRegister(void *block, size_t bytes, unsigned)
{
    const Guard guard(lock);
    blocks[(uintptr_t)block] = {bytes, cudaMemoryTypeHost};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *block)
{
    const Guard guard(lock);
    blocks.erase((uintptr_t)block);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *block)
{
    const Guard guard(lock);
    const auto *found = find(block);
    *flags = 0;
    return emulator::remember(
        found != nullptr && found->second.type == cudaMemoryTypeHost ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p)
{
    const Guard guard(lock);
    const auto *found = find(p);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = found != nullptr ? found->second.type : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    static int one;
    *pool = reinterpret_cast<cudaMemPool_t>(&one);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t)
{
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *value)
{
    *static_cast<uint64_t *>(value) = 0;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t)
{
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
    return copy(to, bytes, from, bytes, bytes, 1, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    const cudaError_t error = copy(to, bytes, from, bytes, bytes, 1, nullptr);
    return error != cudaSuccess ? error : wait_for(&legacy);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t stream)
{
    return copy(to, to_pitch, from, from_pitch, width, height, stream);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return fill(to, value, bytes, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return fill(to, value, bytes, nullptr);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    const Guard guard(lock);
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
    const Guard guard(lock);
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
    const Guard guard(lock);
    drain_all();
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    const Guard guard(lock);
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
    const Guard guard(lock);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const Guard guard(lock);
    const auto record = std::make_shared<Record>(Record{stream_of(stream), false});
    event->last = record;
    submit(stream, [=] { record->is_reached = true; });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const Guard guard(lock);
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
    const Guard guard(lock);
    const auto record = event->last;
    submit(stream, [=] { reach(record.get()); });
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    const Guard guard(lock);
    if (stream_of(stream) == &legacy)
        return emulator::remember(cudaErrorStreamCaptureUnsupported);
    stream->capture = new std::vector<Work>;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const Guard guard(lock);
    *graph = new CUgraph_st{*stream->capture};
    delete stream->capture;
    stream->capture = nullptr;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    const Guard guard(lock);
    *status =
        stream_of(stream)->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    *executable = new CUgraphExec_st{graph->work};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    const Guard guard(lock);
    for (const Work &work : executable->work)
        submit(stream, work);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    const Guard guard(lock);
    drain_all();
    delete executable;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    const Guard guard(lock);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess; // a hint
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value > emulator::SHARED_MAX)
        return emulator::remember(cudaErrorInvalidValue);
    shared_of[kernel] = (size_t)value;
    return cudaSuccess;
}

} // extern "C"
