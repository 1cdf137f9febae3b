// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: the operands of a product in its value type.
#pragma once
#include "spgemm_arithmetic.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

template <typename Real> struct Operands {
    const Real *left, *right, *diagonal;
    Real *c, *partials;
    Real alpha, beta;
};

template <typename Real> Operands<Real> operands_of(const spmmi_spgemm_operands *o)
{
    return {static_cast<const Real *>(o->left),
            static_cast<const Real *>(o->right),
            static_cast<const Real *>(o->diagonal),
            static_cast<Real *>(o->c),
            static_cast<Real *>(o->partials),
            static_cast<Real>(o->alpha),
            static_cast<Real>(o->beta)};
}

// Returns entry p of the left factor, multiplied by its element of the diagonal if SCALED. SCALED is a
// template parameter: even if a predicate skips the multiplication, it would wait for its operand, and so
// would all loads after it.
template <typename Real, bool SCALED>
__device__ __forceinline__ Real left_value(const Operands<Real> &values, const int32_t *k_of, uint32_t p)
{
    const Real a = values.left[p];
    return SCALED ? times(a, values.diagonal[__ldg(k_of + p)]) : a;
}

} // namespace spgemm
} // namespace spmmi
