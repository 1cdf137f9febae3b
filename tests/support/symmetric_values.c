/* SPDX-License-Identifier: Apache-2.0 */
/* See symmetric_values.h. */
#include "symmetric_values.h"

#include <string.h>

#include "matrices.h"
#include "plan_seal.h"

void test_symmetric_values(spmm_plan_t *plan, int is_skew)
{
    const size_t bytes = spmm_dtype_size(plan->dtype);
    for (int64_t i = 0; i < plan->rows; i++)
        for (int64_t p = plan->row_ptr[i]; p < plan->row_ptr[i + 1]; p++) {
            const int64_t j = plan->col_ind[p];
            const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
            uint8_t value[8] = {0};
            const uint64_t bits = test_hash(low, high);
            if (bits % 11 != 0)
                memcpy(value, &bits, sizeof value);
            if (bits % 13 == 0)
                memset(value, 0xff, sizeof value);
            value[bytes - 1] ^= is_skew && j < i ? 0x80 : 0;
            memcpy((uint8_t *)plan->values + (size_t)p * bytes, value, bytes);
        }
    test_plan_seal(plan);
}
