// SPDX-License-Identifier: Apache-2.0
// Memory of the emulated GPU: blocks, which are filled with poison first, copies and fills.
#include <stdlib.h>
#include <string.h>

#include <map>
#include <string>

#include "emulated_streams.h"

using namespace emulator;

namespace {

constexpr size_t POISON_MAX = (size_t)64 << 20, ALIGN = 512;
constexpr int POISON = 0xcd;

struct Span {
    size_t bytes;
    cudaMemoryType type;
};

std::map<uintptr_t, Span> blocks; // device memory and pinned host memory
size_t taken;

// Returns the block that contains an address, or NULL.
const std::pair<const uintptr_t, Span> *find(const void *p)
{
    auto at = blocks.upper_bound((uintptr_t)p);
    if (at == blocks.begin())
        return nullptr;
    --at;
    return (uintptr_t)p < at->first + at->second.bytes ? &*at : nullptr;
}

// Checks that a copy to or from a block stays inside the block.
void check_span(const void *p, size_t bytes)
{
    const auto *block = find(p);
    if (block != nullptr && (uintptr_t)p + bytes > block->first + block->second.bytes)
        emulator::stop("a copy of %zu bytes leaves a block of %zu", bytes, block->second.bytes);
}

cudaError_t take(void **out, size_t bytes, cudaMemoryType type)
{
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
    drain_all();
    if (block != nullptr)
        release(block);
    return cudaSuccess;
}

// Copies a matrix. As on a GPU, a copy from pageable memory has read its source when the call returns, and a
// copy to pageable memory is complete.
cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 cudaStream_t stream)
{
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
    check_span(to, bytes);
    submit(stream, [=] { memset(to, value, bytes); });
    return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
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
    const Guard guard(runtime_lock);
    blocks[(uintptr_t)block] = {bytes, cudaMemoryTypeHost};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *block)
{
    const Guard guard(runtime_lock);
    blocks.erase((uintptr_t)block);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *block)
{
    const Guard guard(runtime_lock);
    const auto *found = find(block);
    *flags = 0;
    return emulator::remember(
        found != nullptr && found->second.type == cudaMemoryTypeHost ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p)
{
    const Guard guard(runtime_lock);
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
    return error != cudaSuccess ? error : wait_for(stream_of(nullptr));
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

} // extern "C"
