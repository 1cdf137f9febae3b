// SPDX-License-Identifier: Apache-2.0
// Found in front of CUDA's header of this name. Defines the functions of device code for kernels compiled as
// C++.
#pragma once
#include_next <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "emulator.h"

#undef __shared__
#define __shared__ thread_local
#undef __launch_bounds__
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define threadIdx (emulator::running->thread)
#define blockIdx (emulator::running->block->index)
#define cudaLaunchKernelEx emulated_launch

template <typename... Parameters, typename... Arguments>
cudaError_t emulated_launch(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                            Arguments... arguments)
{
    const std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
    return emulator::launch(*config, reinterpret_cast<const void *>(kernel),
                            [=] { std::apply(kernel, values); });
}

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

using std::isfinite;

template <typename A, typename B> std::common_type_t<A, B> min(A a, B b)
{
    return a < b ? a : b;
}

template <typename A, typename B> std::common_type_t<A, B> max(A a, B b)
{
    return a < b ? b : a;
}

template <typename To, typename From> To bits_as(From from)
{
    To to = To();
    memcpy(&to, &from, std::min(sizeof to, sizeof from));
    return to;
}

inline void __syncthreads()
{
    (void)emulator::meet_block(0, 0, false);
}

inline int __syncthreads_or(int says)
{
    return emulator::meet_block(0, 0, says != 0) > 0;
}

inline int __syncthreads_count(int says)
{
    return (int)emulator::meet_block(0, 0, says != 0);
}

inline void __syncwarp(unsigned mask = ~0u)
{
    (void)emulator::meet(mask, {"__syncwarp", 0}, 0);
}

inline void __threadfence()
{
}

template <typename T> T __ldg(const T *p)
{
    return *p;
}

template <typename T> T __ldcg(const T *p)
{
    return *p;
}

// The last argument of warp functions is the line of their caller: lanes that meet must be at the same call.
using Call = emulator::Call;

// Returns the value of lane `from`, or x if the segment has no such lane.
template <typename T> T shuffle(unsigned mask, Call call, T x, unsigned from, bool is_there)
{
    uint32_t there;
    const uint64_t *values = emulator::meet(mask, call, bits_as<uint64_t>(x), &there);
    if (!is_there)
        return x;
    if (!(there >> from & 1))
        emulator::stop("%s of the mask %08x reads lane %u, which is not there", call.name, mask, from);
    return bits_as<T>(values[from]);
}

template <typename T>
T __shfl_sync(unsigned mask, T x, int lane, int width = 32, unsigned line = __builtin_LINE())
{
    const unsigned own = emulator::running->lane, base = own & ~(unsigned)(width - 1);
    return shuffle(mask, {"__shfl_sync", line}, x, base + ((unsigned)lane & (unsigned)(width - 1)), true);
}

template <typename T>
T __shfl_up_sync(unsigned mask, T x, unsigned delta, int width = 32, unsigned line = __builtin_LINE())
{
    const unsigned own = emulator::running->lane, in_segment = own & (unsigned)(width - 1);
    return shuffle(mask, {"__shfl_up_sync", line}, x, own - delta, in_segment >= delta);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T x, unsigned delta, int width = 32, unsigned line = __builtin_LINE())
{
    const unsigned own = emulator::running->lane, in_segment = own & (unsigned)(width - 1);
    return shuffle(mask, {"__shfl_down_sync", line}, x, own + delta, in_segment + delta < (unsigned)width);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T x, int bits, int width = 32, unsigned line = __builtin_LINE())
{
    const unsigned own = emulator::running->lane, other = own ^ (unsigned)bits;
    return shuffle(mask, {"__shfl_xor_sync", line}, x, other,
                   other / (unsigned)width <= own / (unsigned)width);
}

// Joins the values of all lanes.
template <typename T, typename Join> T reduce(unsigned mask, Call call, T x, Join join)
{
    uint32_t there;
    const uint64_t *values = emulator::meet(mask, call, bits_as<uint64_t>(x), &there);
    T sum = x;
    for (unsigned lane = 0; lane < 32; lane++)
        if (lane != emulator::running->lane && (there >> lane & 1))
            sum = join(sum, bits_as<T>(values[lane]));
    return sum;
}

inline unsigned __ballot_sync(unsigned mask, int x, unsigned line = __builtin_LINE())
{
    const unsigned own = x != 0 ? 1u << emulator::running->lane : 0u;
    return reduce(mask, {"__ballot_sync", line}, own, [](unsigned a, unsigned b) { return a | b; });
}

inline int __any_sync(unsigned mask, int x, unsigned line = __builtin_LINE())
{
    return reduce(mask, {"__any_sync", line}, x != 0, [](bool a, bool b) { return a || b; });
}

template <typename T> T __reduce_max_sync(unsigned mask, T x, unsigned line = __builtin_LINE())
{
    return reduce(mask, {"__reduce_max_sync", line}, x, [](T a, T b) { return a < b ? b : a; });
}

template <typename T> T __reduce_add_sync(unsigned mask, T x, unsigned line = __builtin_LINE())
{
    return reduce(mask, {"__reduce_add_sync", line}, x, [](T a, T b) { return (T)(a + b); });
}

inline unsigned __reduce_or_sync(unsigned mask, unsigned x, unsigned line = __builtin_LINE())
{
    return reduce(mask, {"__reduce_or_sync", line}, x, [](unsigned a, unsigned b) { return a | b; });
}

template <typename T> unsigned __match_any_sync(unsigned mask, T x, unsigned line = __builtin_LINE())
{
    uint32_t there, same = 0;
    const uint64_t *values = emulator::meet(mask, {"__match_any_sync", line}, bits_as<uint64_t>(x), &there);
    for (unsigned lane = 0; lane < 32; lane++)
        if ((there >> lane & 1) && bits_as<T>(values[lane]) == x)
            same |= 1u << lane;
    return same;
}

template <typename T, typename Change> T change_atomically(T *at, Change change)
{
    const T before = *at;
    *at = change(before);
    return before;
}

template <typename T, typename U> T atomicAdd(T *at, U x)
{
    return change_atomically(at, [=](T before) { return (T)(before + (T)x); });
}

template <typename T, typename U> T atomicSub(T *at, U x)
{
    return change_atomically(at, [=](T before) { return (T)(before - (T)x); });
}

template <typename T, typename U> T atomicMax(T *at, U x)
{
    return change_atomically(at, [=](T before) { return std::max(before, (T)x); });
}

template <typename T, typename U> T atomicMin(T *at, U x)
{
    return change_atomically(at, [=](T before) { return std::min(before, (T)x); });
}

template <typename T, typename U> T atomicOr(T *at, U x)
{
    return change_atomically(at, [=](T before) { return (T)(before | (T)x); });
}

template <typename T, typename U, typename V> T atomicCAS(T *at, U expected, V x)
{
    return change_atomically(at, [=](T before) { return before == (T)expected ? (T)x : before; });
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}

inline float __uint_as_float(unsigned x)
{
    return bits_as<float>(x);
}

inline unsigned __float_as_uint(float x)
{
    return bits_as<unsigned>(x);
}

inline long long __double_as_longlong(double x)
{
    return bits_as<long long>(x);
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const uint64_t both = (uint64_t)y << 32 | x;
    unsigned out = 0;
    for (int i = 0; i < 4; i++)
        out |= (unsigned)(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return out;
}

inline unsigned __vminu2(unsigned a, unsigned b)
{
    return std::min(a & 0xffff, b & 0xffff) | std::min(a >> 16, b >> 16) << 16;
}

inline float __fmaf_rn(float a, float b, float c)
{
    return std::fma(a, b, c);
}

inline double __fma_rn(double a, double b, double c)
{
    return std::fma(a, b, c);
}

inline float __fmul_rn(float a, float b)
{
    return a * b;
}

inline double __dmul_rn(double a, double b)
{
    return a * b;
}
