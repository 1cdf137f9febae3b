// SPDX-License-Identifier: Apache-2.0
// Adds the sums of the stretches of long entries (spgemm_long.cu) in order, and writes C.
#pragma once
#include "spgemm_arithmetic.cuh"
#include "spgemm_launch.h"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

// Adds sums of stretches in order: the stretches of a piece, then the pieces.
template <typename Real> struct LongSum {
    Real total, piece;
    bool has_total, has_piece;

    __device__ __forceinline__ void add(Real sum, bool begins)
    {
        if (begins && has_piece) {
            total = has_total ? total + piece : piece;
            has_total = true;
        }
        piece = begins ? sum : piece + sum;
        has_piece = true;
    }

    // Returns the sum. has_gaps: there are pieces without products, whose sum 0 is added.
    __device__ __forceinline__ Real end(bool has_gaps) const
    {
        const Real sum = has_total ? total + piece : piece;
        return has_gaps ? sum + Real(0) : sum;
    }
};

// Which stretches of an entry are the first ones of a piece. This reads only tables, so it may run before the
// sums are written.
struct LongBegins {
    const spmmi_spgemm_stretch *stretches;
    uint32_t bits = 0; // of the first 32 stretches

    __device__ __forceinline__ LongBegins(const spmmi_spgemm_long_tables &tables,
                                          const spmmi_spgemm_long &entry)
        : stretches(tables.stretches + entry.first)
    {
#pragma unroll 8
        for (uint32_t s = 0; s < min(entry.count, 32u); s++)
            bits |= stretches[s].count / SPMMI_SPGEMM_BEGINS << s;
    }

    __device__ __forceinline__ bool is_first(uint32_t s) const
    {
        return s < 32 ? bits >> s & 1 : (stretches[s].count & SPMMI_SPGEMM_BEGINS) != 0;
    }
};

// Computes an entry; `sums` begins with its first stretch. Sums are read side by side.
template <typename Real>
__device__ __forceinline__ void put_long(const spmmi_spgemm_long &entry, const LongBegins &begins,
                                         const Real *sums, const Operands<Real> &values)
{
    constexpr uint32_t TOGETHER = 8;
    LongSum<Real> sum = {Real(0), Real(0), false, false};
#pragma unroll 1
    for (uint32_t first = 0; first < entry.count; first += TOGETHER) {
        Real some[TOGETHER];
#pragma unroll
        for (uint32_t s = 0; s < TOGETHER; s++)
            some[s] = first + s < entry.count ? sums[first + s] : Real(0);
#pragma unroll
        for (uint32_t s = 0; s < TOGETHER; s++)
            if (first + s < entry.count)
                sum.add(some[s], begins.is_first(first + s));
    }
    put(values.c + entry.out, values.alpha, sum.end(entry.has_gaps != 0), values.beta);
}

} // namespace spgemm
} // namespace spmmi
