// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: what a product multiplies, in its type.
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

// Entry p of the left factor, times that of the diagonal. The compiler knows whether there is one: the multiplication
// would wait for its operand even where a predicate switches it off, and with it all loads behind it.
template <typename Real, bool SCALED>
__device__ __forceinline__ Real left_value(const Operands<Real> &values, const int32_t *k_of, uint32_t p)
{
    const Real a = values.left[p];
    return SCALED ? times(a, values.diagonal[__ldg(k_of + p)]) : a;
}

} // namespace spgemm
} // namespace spmmi
