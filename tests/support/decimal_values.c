/* SPDX-License-Identifier: Apache-2.0 */
/* See decimal_values.h. */
#include "decimal_values.h"

#include <stdlib.h>

#include "matrices.h"
#include "plan_seal.h"

void test_decimal_values(spmm_plan_t *plan)
{
    static const double powers[] = {1e1, 1e2, 1e3, 1e4, 1e5};
    double *values = plan->values;
    if (plan->dtype != SPMM_F64)
        abort();
    for (int64_t p = 0; p < plan->nnz; p++) {
        const uint64_t bits = test_hash((uint64_t)p, 1);
        const double value = bits % 97 == 0 ? 0.0 : (double)(bits % 1000000) / powers[bits >> 32 & 3];
        values[p] = bits >> 63 != 0 ? -value : value;
    }
    test_plan_seal(plan);
}
