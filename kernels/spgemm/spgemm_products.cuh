// SPDX-License-Identifier: Apache-2.0
// Products whose factors are in shared memory.
#pragma once
#include "spgemm_arithmetic.cuh"

namespace spmmi {
namespace spgemm {

template <typename Real> struct alignas(2 * sizeof(Real)) Product {
    Real a, b;
};

// Adds `count` products to a sum, one after the other.
template <typename Real>
__device__ __forceinline__ Real add_in_order(const Product<Real> *products, uint32_t count, Real sum)
{
#pragma unroll 8
    for (uint32_t t = 0; t < count; t++)
        sum = fused(products[t].a, products[t].b, sum);
    return sum;
}

} // namespace spgemm
} // namespace spmmi
