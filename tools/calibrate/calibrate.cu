// SPDX-License-Identifier: Apache-2.0
// Rates of a GPU. Each kernel does only one kind of work. Indices are computed by a hash, so that nothing
// else is read. Results are stored only if they have a value that does not occur, so that the compiler keeps
// the work.
#include "calibrate.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

namespace {

constexpr int THREADS = 256, TURNS = 7, IN_FLIGHT = 8;
constexpr uint64_t MEBI = 1 << 20, POOL = 1024 * MEBI;
constexpr int LOOPS = 1000;

__device__ __forceinline__ uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ __forceinline__ float number_of(float x)
{
    return x;
}
__device__ __forceinline__ float number_of(float2 x)
{
    return x.x + x.y;
}
__device__ __forceinline__ float number_of(float4 x)
{
    return x.x + x.y + x.z + x.w;
}
__device__ __forceinline__ float number_of(double x)
{
    return (float)x;
}
__device__ __forceinline__ float number_of(short x)
{
    return (float)x;
}

// LANES lanes read a row of LANES words in random order. A group reads `count` rows, IN_FLIGHT of them at a
// time. CACHED: through the L1 cache.
template <typename Word, int LANES, bool CACHED>
__global__ void __launch_bounds__(THREADS) gather(const Word *set, uint32_t rows, int count, float *out)
{
    const uint32_t group = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    for (int i = 0; i < count; i += IN_FLIGHT) {
        Word x[IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++) {
            const Word *p = set + (uint64_t)__umulhi(hash(group * 9781u + i + u), rows) * LANES + lane;
            x[u] = CACHED ? __ldg(p) : __ldcg(p);
        }
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            sum += number_of(x[u]);
    }
    if (sum == 1.5f)
        *out = sum;
}

template <typename Word, int LANES>
__global__ void __launch_bounds__(THREADS) scatter(Word *set, uint32_t rows, int count)
{
    const uint32_t group = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    for (int i = 0; i < count; i++)
        set[(uint64_t)__umulhi(hash(group * 9781u + i), rows) * LANES + lane] = Word{};
}

// Each lane reads values of random rows from consecutive columns, as a gather does with column-major B.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    strided(const T *set, uint32_t rows, int columns, int count, float *out)
{
    const uint32_t thread = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < count; i += IN_FLIGHT) {
        T x[IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            x[u] =
                __ldcg(set + __umulhi(hash(thread * 9781u + i), rows) + (uint64_t)((i + u) % columns) * rows);
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            sum += number_of(x[u]);
    }
    if (sum == 1.5f)
        *out = sum;
}

__global__ void __launch_bounds__(THREADS) read_shared(float *out)
{
    __shared__ float4 words[2 * THREADS];
    words[threadIdx.x] = words[threadIdx.x + THREADS] = make_float4(threadIdx.x, 1, 2, 3);
    __syncthreads();
    float4 sum = make_float4(0, 0, 0, 0);
    uint32_t at = threadIdx.x;
    for (int i = 0; i < LOOPS; i++) {
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++) {
            const float4 x = words[(at + u * 32) % (2 * THREADS)];
            sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
        }
        at = (at + THREADS + 32) % (2 * THREADS);
    }
    if (sum.x + sum.y + sum.z + sum.w == 1.5f)
        *out = sum.x;
}

template <typename T> __global__ void __launch_bounds__(THREADS) multiply_add(float *out, T x, T y)
{
    T a[IN_FLIGHT];
    for (int u = 0; u < IN_FLIGHT; u++)
        a[u] = T(threadIdx.x + u);
    for (int i = 0; i < LOOPS; i++) {
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            a[u] = fma(a[u], x, y);
    }
    T sum = 0;
    for (int u = 0; u < IN_FLIGHT; u++)
        sum += a[u];
    if (sum == T(1.5))
        *out = (float)sum;
}

enum Mma { TF32, F16, F64 };
template <Mma KIND>
__global__ void __launch_bounds__(THREADS) multiply_tiles(float *out, uint32_t a, uint32_t b)
{
    float c[4][4] = {};
    double d[4][2] = {};
    a += threadIdx.x % 2;
    const double x = a, y = b;
    for (int i = 0; i < LOOPS; i++) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if constexpr (KIND == TF32)
                asm volatile(
                    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
                    "{%5,%5}, {%0,%1,%2,%3};"
                    : "+f"(c[u][0]), "+f"(c[u][1]), "+f"(c[u][2]), "+f"(c[u][3])
                    : "r"(a), "r"(b));
            else if constexpr (KIND == F16)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
                    "{%5,%5}, {%0,%1,%2,%3};"
                    : "+f"(c[u][0]), "+f"(c[u][1]), "+f"(c[u][2]), "+f"(c[u][3])
                    : "r"(a), "r"(b));
            else
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                             : "+d"(d[u][0]), "+d"(d[u][1])
                             : "d"(x), "d"(y));
        }
    }
    float sum = 0;
    for (int u = 0; u < 4; u++)
        sum += c[u][0] + c[u][1] + c[u][2] + c[u][3] + (float)(d[u][0] + d[u][1]);
    if (sum == 1.5f)
        *out = sum;
}

__global__ void nothing()
{
}

// Runs the measurements. Keeps the first error; after an error nothing is measured.
struct Bench {
    char *pool = nullptr;
    float *out = nullptr;
    cudaEvent_t from = nullptr, to = nullptr;
    int multiprocessors = 0;
    cudaError_t error = cudaSuccess;

    void check(cudaError_t e)
    {
        if (error == cudaSuccess)
            error = e;
    }

    // Returns the median time of a launch in seconds.
    template <typename Launch> double seconds(Launch launch, int turns = TURNS)
    {
        float ms[64] = {};
        for (int t = -1; t < turns && error == cudaSuccess; t++) {
            check(cudaEventRecord(from));
            launch();
            check(cudaGetLastError());
            check(cudaEventRecord(to));
            check(cudaEventSynchronize(to));
            if (t >= 0 && error == cudaSuccess)
                check(cudaEventElapsedTime(&ms[t], from, to));
        }
        std::sort(ms, ms + turns);
        return error == cudaSuccess ? std::max(1e-3 * ms[turns / 2], 1e-9) : 1;
    }
};

int blocks(const Bench &b)
{
    return b.multiprocessors * 8;
}

template <typename Word, int LANES, bool CACHED> double gather_gbs(Bench &b, uint64_t set, uint64_t bytes)
{
    const uint64_t row = sizeof(Word) * LANES, groups = (uint64_t)blocks(b) * THREADS / LANES;
    const int count = (int)std::max<uint64_t>(bytes / row / groups / IN_FLIGHT, 1) * IN_FLIGHT;
    const double s = b.seconds([&] {
        gather<Word, LANES, CACHED>
            <<<blocks(b), THREADS>>>((const Word *)b.pool, (uint32_t)(set / row), count, b.out);
    });
    return 1e-9 * (double)(groups * count * row) / s;
}

template <typename Word, int LANES> double scatter_gbs(Bench &b)
{
    const uint64_t row = sizeof(Word) * LANES, groups = (uint64_t)blocks(b) * THREADS / LANES;
    const int count = (int)std::max<uint64_t>(64 * MEBI / row / groups, 1);
    const double s = b.seconds(
        [&] { scatter<Word, LANES><<<blocks(b), THREADS>>>((Word *)b.pool, (uint32_t)(POOL / row), count); });
    return 1e-9 * (double)(groups * count * row) / s;
}

template <typename T> double strided_gbs(Bench &b)
{
    constexpr int COLUMNS = 32, COUNT = 64;
    const uint32_t rows = (uint32_t)(32 * MEBI / COLUMNS / sizeof(T));
    const double s = b.seconds(
        [&] { strided<T><<<blocks(b), THREADS>>>((const T *)b.pool, rows, COLUMNS, COUNT, b.out); });
    return 1e-9 * (double)blocks(b) * THREADS * COUNT * sizeof(T) / s;
}

template <typename Word, int LANES> void gather_column(Bench &b, calibration *c)
{
    const int r = c->row_count++;
    c->row_bytes[r] = sizeof(Word) * LANES;
    for (int s = 0; s < c->set_count; s++)
        c->gather_gbs[s][r] = gather_gbs<Word, LANES, false>(b, (uint64_t)(c->set_mib[s] * MEBI), 256 * MEBI);
}

void measure_tables(Bench &b, calibration *c)
{
    static const double sets[] = {4, 8, 16, 32, 64, 128, 256, 1024};
    c->set_count = sizeof sets / sizeof *sets;
    std::copy(sets, sets + c->set_count, c->set_mib);
    gather_column<float, 1>(b, c);
    gather_column<float2, 1>(b, c);
    gather_column<float4, 1>(b, c);
    gather_column<float4, 2>(b, c);
    gather_column<float4, 4>(b, c);
    gather_column<float4, 8>(b, c);
    gather_column<float4, 16>(b, c);
    gather_column<float4, 32>(b, c);

    const double scatter[] = {scatter_gbs<float, 1>(b),   scatter_gbs<float2, 1>(b),
                              scatter_gbs<float4, 1>(b),  scatter_gbs<float4, 2>(b),
                              scatter_gbs<float4, 4>(b),  scatter_gbs<float4, 8>(b),
                              scatter_gbs<float4, 16>(b), scatter_gbs<float4, 32>(b)};
    c->scatter_count = c->row_count;
    std::copy(c->row_bytes, c->row_bytes + c->row_count, c->scatter_bytes);
    std::copy(scatter, scatter + c->row_count, c->scatter_gbs);

    const double strided[] = {strided_gbs<short>(b), strided_gbs<float>(b), strided_gbs<double>(b)};
    c->strided_count = 3;
    for (int i = 0; i < 3; i++) {
        c->strided_bytes[i] = 2 << i;
        c->strided_gbs[i] = strided[i];
    }
}

template <Mma KIND> double mma_gflops(Bench &b, double operations)
{
    const double s = b.seconds([&] { multiply_tiles<KIND><<<blocks(b), THREADS>>>(b.out, 0u, 0u); });
    return 1e-9 * operations * 4 * LOOPS * blocks(b) * (THREADS / 32) / s;
}

void measure_rates(Bench &b, calibration *c)
{
    const double threads = (double)blocks(b) * THREADS;
    c->launch_us = 1e6 * b.seconds([] { nothing<<<1, 32>>>(); }, 31);
    c->copy_gbs = 1e-9 * POOL / b.seconds([&] {
        b.check(cudaMemcpyAsync(b.pool + POOL / 2, b.pool, POOL / 2, cudaMemcpyDeviceToDevice));
    });
    c->shared_gbs = 1e-9 * threads * LOOPS * IN_FLIGHT * sizeof(float4) /
                    b.seconds([&] { read_shared<<<blocks(b), THREADS>>>(b.out); });
    // The working set is smaller than the cache of a multiprocessor.
    c->l1_gbs = gather_gbs<float4, 32, true>(b, MEBI / 8, 1024 * MEBI);
    const double operations = 1e-9 * 2 * threads * LOOPS * IN_FLIGHT;
    c->fma_f32_gflops =
        operations / b.seconds([&] { multiply_add<float><<<blocks(b), THREADS>>>(b.out, 0.5f, 0.25f); });
    c->fma_f64_gflops =
        operations / b.seconds([&] { multiply_add<double><<<blocks(b), THREADS>>>(b.out, 0.5, 0.25); });
    c->mma_tf32_gflops = mma_gflops<TF32>(b, 2.0 * 16 * 8 * 8);
    c->mma_f16_gflops = mma_gflops<F16>(b, 2.0 * 16 * 8 * 16);
    c->mma_f64_gflops = mma_gflops<F64>(b, 2.0 * 8 * 8 * 4);
}

int attribute(Bench &b, cudaDeviceAttr which, int device)
{
    int value = 0;
    b.check(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

void ask(Bench &b, int device, calibration *c)
{
    cudaDeviceProp properties;
    b.check(cudaSetDevice(device));
    b.check(cudaGetDeviceProperties(&properties, device));
    if (b.error != cudaSuccess)
        return;
    b.multiprocessors = properties.multiProcessorCount;
    snprintf(c->what, sizeof c->what, "%.80s", properties.name);
    c->target = properties.major * 10 + properties.minor;
    snprintf(c->name, sizeof c->name, "sm_%d", c->target);
    c->multiprocessors = properties.multiProcessorCount;
    c->clock_ghz = 1e-6 * attribute(b, cudaDevAttrClockRate, device);
    c->l2_mib = properties.l2CacheSize / (double)MEBI;
    c->shared_sm_kib = properties.sharedMemPerMultiprocessor / 1024.0;
    c->shared_block_kib = properties.sharedMemPerBlockOptin / 1024.0;
    // The runtime does not report the size of L1. L1 and shared memory are parts of one memory, whose size in
    // KiB is a power of two or three quarters of one.
    c->l1_kib = c->shared_sm_kib > 200 ? 256 : c->shared_sm_kib > 128 ? 192 : 128;
    c->registers_sm = properties.regsPerMultiprocessor;
    const int lanes = c->target == 80 ? 64 : 128;
    c->peak_gflops = 2.0 * lanes * c->multiprocessors * c->clock_ghz;
    // The clock is in kHz and the bus width in bits; there are two transfers per clock.
    c->peak_gbs = 2e-6 * attribute(b, cudaDevAttrMemoryClockRate, device) *
                  attribute(b, cudaDevAttrGlobalMemoryBusWidth, device) / 8;
}

} // namespace

extern "C" int calibrate_cuda(int device, struct calibration *c)
{
    Bench b;
    ask(b, device, c);
    b.check(cudaMalloc((void **)&b.pool, POOL));
    b.check(cudaMalloc((void **)&b.out, sizeof *b.out));
    b.check(cudaEventCreate(&b.from));
    b.check(cudaEventCreate(&b.to));
    if (b.error == cudaSuccess)
        b.check(cudaMemset(b.pool, 0, POOL));
    if (b.error == cudaSuccess)
        measure_rates(b, c);
    if (b.error == cudaSuccess)
        measure_tables(b, c);
    if (c->peak_gbs <= 0) // some drivers do not report the memory clock
        c->peak_gbs = c->copy_gbs;
    (void)cudaEventDestroy(b.from);
    (void)cudaEventDestroy(b.to);
    (void)cudaFree(b.out);
    (void)cudaFree(b.pool);
    return (int)b.error;
}
