/* SPDX-License-Identifier: Apache-2.0 */
/* How the family of a part cuts its units into blocks, as the catalogue of the CPU says. */
#ifndef SPMM_TESTS_FRAGMENT_KIND_OF_H
#define SPMM_TESTS_FRAGMENT_KIND_OF_H

#include "executor/backend.h"
#include "kernels/tcblock/fragment_pack.h"

static inline const struct spmmi_fragment_kind *test_fragment_kind_of(const struct spmmi_part *part)
{
    return spmmi_kernel_of(spmmi_cpu_kernels, part)->backend->kind;
}

#endif
