/* SPDX-License-Identifier: Apache-2.0 */
/* See arithmetic.h. */
#include "arithmetic.h"

#include "families.h"
#include "number.h"

struct arithmetic arithmetic_of_kernel(const char *kernel, spmm_dtype_t dtype)
{
    static const spmm_compute_t rounded[] = {SPMM_COMPUTE_TF32, SPMM_COMPUTE_3XTF32};
    struct arithmetic found = {(spmm_compute_t)dtype, 0};
    for (size_t c = 0; c < sizeof rounded / sizeof *rounded; c++)
        if (families_has_word(kernel, spmm_compute_name(rounded[c])))
            found.compute = rounded[c];
    found.is_tensor = !families_has_word(kernel, "cpu") &&
                      (families_of_kernel(kernel).uses_tensor_cores || families_has_word(kernel, "tensor") ||
                       found.compute != (spmm_compute_t)dtype);
    return found;
}

struct accuracy accuracy_of(struct arithmetic arithmetic, spmm_dtype_t dtype)
{
    const int cuts_off = arithmetic.is_tensor && dtype != SPMM_F64;
    const int is_split = arithmetic.compute == SPMM_COMPUTE_3XTF32;
    const int is_f16 = arithmetic.compute == SPMM_COMPUTE_F16;
    struct accuracy a = {.unit = dtype == SPMM_F64 ? 0x1p-53
                                 : cuts_off        ? 0x1p-23
                                                   : 0x1p-24,
                         .roundings = is_split ? 3.0 : 1.0,
                         .growth = 1.0L,
                         .tiny = !cuts_off ? 0.0L
                                 : is_f16  ? 0x1p-32L
                                           : 0x1p-144L,
                         .eta = dtype == SPMM_F64    ? 0x1p-1074L
                                : cuts_off && is_f16 ? 0x1p-51L
                                                     : 0x1p-149L};
    if (is_split || arithmetic.compute == SPMM_COMPUTE_TF32) {
        a.input = is_split ? 0x1p-21L + 0x1p-40L : 0x1p-10L + 0x1p-22L;
        a.growth = 1.0L + 0x1p-8L;
        a.tiny += 0x1p-136L;
    }
    return a;
}

double small_factor(spmm_dtype_t dtype)
{
    return value_type(dtype)->small;
}
