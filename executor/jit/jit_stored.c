/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_stored.h. */
#include "jit_stored.h"

#include <stddef.h>

/* bf16 is the upper half of f32, so a move widens it: cvt.f32.bf16 needs a newer target than sm_80. */
static const struct spmmi_jit_stored f32 = {.word = "f32"}, f64 = {.word = "f64"},
                                     f16 = {"b16", "cvt.f32.f16", "", "", "cvt.rn.f16.f32"},
                                     bf16 = {"b16", "mov.b32", "{0, ", "}", "cvt.rn.bf16.f32"};

const struct spmmi_jit_stored *spmmi_jit_stored_of(spmm_dtype_t dtype)
{
    switch (dtype) {
    case SPMM_F32:
        return &f32;
    case SPMM_F64:
        return &f64;
    case SPMM_F16:
        return &f16;
    case SPMM_BF16:
        return &bf16;
    }
    return NULL;
}
