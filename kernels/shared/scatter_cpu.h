/* SPDX-License-Identifier: Apache-2.0 */
/* Puts values of A into the positions of a packed layout, on the CPU. */
#ifndef SPMMI_CPU_SCATTER_H
#define SPMMI_CPU_SCATTER_H

#include <spmm/common.h>

/* out[map[q]] = values[q] for nnz values of dtype, except those whose position is SPMMI_NONE. */
void spmmi_cpu_scatter(spmm_dtype_t dtype, int64_t nnz, const uint32_t *map, const void *values, void *out);

#endif
