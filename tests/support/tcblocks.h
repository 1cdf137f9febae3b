/* SPDX-License-Identifier: Apache-2.0 */
/* Families that store A as operands of tensor cores. */
#ifndef TEST_TCBLOCKS_H
#define TEST_TCBLOCKS_H

#include "format/family.h"

static inline int test_is_tcblocks(spmm_family_t family)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    return row != NULL && row->compute == SPMMI_COMPUTE_TENSOR;
}

#endif
