// SPDX-License-Identifier: Apache-2.0
// Graphs: the work that was submitted to a stream during its capture is enqueued again at each launch.
#include "emulated_streams.h"

using namespace emulator;

struct CUgraph_st {
    std::vector<Work> work;
};

struct CUgraphExec_st {
    std::vector<Work> work;
};

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    const Guard guard(runtime_lock);
    if (stream_of(stream) == stream_of(nullptr))
        return emulator::remember(cudaErrorStreamCaptureUnsupported);
    stream->capture = new std::vector<Work>;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const Guard guard(runtime_lock);
    *graph = new CUgraph_st{*stream->capture};
    delete stream->capture;
    stream->capture = nullptr;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
    drain_all();
    delete executable;
    return cudaSuccess;
}

} // extern "C"
