// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/mma.cuh. Sums are rounded once, whereas tensor cores truncate more often.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

// The values of a register in all lanes of the warp.
template <typename T> struct OfLanes {
    T of[32];
    explicit OfLanes(T own, unsigned line = __builtin_LINE())
    {
        const uint64_t *values = emulator::meet(~0u, {"mma", line}, bits_as<uint64_t>(own));
        for (int lane = 0; lane < 32; lane++)
            of[lane] = bits_as<T>(values[lane]);
    }
};

// Computes d += a b over `depth` columns of a. a(row, k) and b(k, column) return elements, which they read
// from the registers of the lanes.
template <typename Sum, typename A, typename B> void add_dots(Sum (&d)[4], int depth, A a, B b)
{
    const int g = (int)emulator::running->lane / 4, t = (int)emulator::running->lane % 4;
    for (int i = 0; i < 4; i++) {
        double sum = (double)d[i];
        for (int k = 0; k < depth; k++)
            sum += a(g + i / 2 * 8, k) * b(k, 2 * t + i % 2);
        d[i] = (Sum)sum;
    }
}

template <typename Half> double half_at(uint32_t word, int k)
{
    return (double)(float)bits_as<Half>((uint16_t)(word >> k % 2 * 16));
}

inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    const OfLanes<uint32_t> as[] = {OfLanes(a[0]), OfLanes(a[1]), OfLanes(a[2]), OfLanes(a[3])};
    const OfLanes<uint32_t> bs[] = {OfLanes(b[0]), OfLanes(b[1])};
    const auto number = [](uint32_t bits) { return (double)__uint_as_float(bits & ~0x1fffu); };
    add_dots(
        d, 8, [&](int row, int k) { return number(as[row / 8 + k / 4 * 2].of[row % 8 * 4 + k % 4]); },
        [&](int k, int column) { return number(bs[k / 4].of[column * 4 + k % 4]); });
}

inline void mma_f64(double (&d)[4], const double (&a)[4], const double (&b)[2])
{
    const OfLanes<double> as[] = {OfLanes(a[0]), OfLanes(a[1]), OfLanes(a[2]), OfLanes(a[3])};
    const OfLanes<double> bs[] = {OfLanes(b[0]), OfLanes(b[1])};
    add_dots(
        d, 8, [&](int row, int k) { return as[row / 8 + k / 4 * 2].of[row % 8 * 4 + k % 4]; },
        [&](int k, int column) { return bs[k / 4].of[column * 4 + k % 4]; });
}

template <typename Half> void mma_halves(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    const OfLanes<uint32_t> as[] = {OfLanes(a[0]), OfLanes(a[1]), OfLanes(a[2]), OfLanes(a[3])};
    const OfLanes<uint32_t> bs[] = {OfLanes(b0), OfLanes(b1)};
    add_dots(
        d, 16,
        [&](int row, int k) { return half_at<Half>(as[row / 8 + k / 8 * 2].of[row % 8 * 4 + k % 8 / 2], k); },
        [&](int k, int column) { return half_at<Half>(bs[k / 8].of[column * 4 + k % 8 / 2], k); });
}

template <typename Half> void mma_halves(float (&d)[4], const uint32_t (&a)[2], uint32_t b)
{
    const OfLanes<uint32_t> as[] = {OfLanes(a[0]), OfLanes(a[1])};
    const OfLanes<uint32_t> bs(b);
    add_dots(
        d, 8, [&](int row, int k) { return half_at<Half>(as[row / 8].of[row % 8 * 4 + k / 2], k); },
        [&](int k, int column) { return half_at<Half>(bs.of[column * 4 + k / 2], k); });
}

} // namespace spmmi
