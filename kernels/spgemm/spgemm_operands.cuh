// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: what a product multiplies, in its type.
#pragma once
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

} // namespace spgemm
} // namespace spmmi
