/* SPDX-License-Identifier: Apache-2.0 */
/* Returns how the family of a part divides its units into blocks, from the list of CPU kernels. */
#ifndef SPMM_TESTS_TCBLOCK_KIND_OF_H
#define SPMM_TESTS_TCBLOCK_KIND_OF_H

#include "executor/backend.h"
#include "kernels/tcblock/tcblock_pack.h"

static inline const struct spmmi_tcblock_kind *test_tcblock_kind_of(const struct spmmi_part *part)
{
    return spmmi_kernel_of(spmmi_cpu_kernels, part)->backend->kind;
}

#endif
