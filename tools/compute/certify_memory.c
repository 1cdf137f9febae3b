/* SPDX-License-Identifier: Apache-2.0 */
/* See certify_memory.h. */
#include "certify_memory.h"

#define LANES 8u /* sums of vectors come in so many, and with so many other numbers of the row */

uint64_t certify_memory_certifier(const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    const uint64_t entry_bytes = sizeof(int64_t) + sizeof(int32_t) + spmm_dtype_size(info->a_type);
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    for (int i = 0; i < info->variant_count && spmm_plan_variant(plan, i, &variant) == SPMM_OK; i++)
        if (variant.op == SPMM_OP_T)
            return (uint64_t)info->nnz * entry_bytes + ((uint64_t)info->cols + 1) * sizeof(int64_t);
    return 0;
}

uint64_t certify_memory_check(spmm_dtype_t a_type, int64_t b_rows, int64_t n, int vectors)
{
    const uint64_t used = n > 1 ? (uint64_t)vectors : 1;
    const uint64_t lanes = (used + LANES - 1) / LANES * LANES;
    const uint64_t sums = a_type == SPMM_F64 ? 2 : 1; /* with what each loses */
    return (uint64_t)b_rows * (sums * lanes + LANES) * sizeof(double);
}
