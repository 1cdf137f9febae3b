// SPDX-License-Identifier: Apache-2.0
// The sums of stretches of long entries (spgemm_long.cu), one after the other to C.
#pragma once
#include "spgemm_arithmetic.cuh"
#include "spgemm_launch.h"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

// Sums of stretches, in order.
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

    // has_gaps: there are pieces without products, whose sums are 0.
    __device__ __forceinline__ Real end(bool has_gaps) const
    {
        const Real sum = has_total ? total + piece : piece;
        return has_gaps ? sum + Real(0) : sum;
    }
};

// Of an entry.
template <typename Real>
__device__ __forceinline__ void put_long(const spmmi_spgemm_long_tables &tables,
                                         const spmmi_spgemm_long &entry, const Real *sums,
                                         const Operands<Real> &values)
{
    LongSum<Real> sum = {Real(0), Real(0), false, false};
#pragma unroll 8
    for (uint32_t s = entry.first; s < entry.first + entry.count; s++)
        sum.add(sums[s], (tables.stretches[s].count & SPMMI_SPGEMM_BEGINS) != 0);
    put(values.c + entry.out, values.alpha, sum.end(entry.has_gaps != 0), values.beta);
}

} // namespace spgemm
} // namespace spmmi
