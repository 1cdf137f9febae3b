/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) in CSR with its values, which any family on the CPU may read: one object per op of an executor. */
#ifndef SPMMI_CPU_OPERAND_H
#define SPMMI_CPU_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "executor/backend.h"

struct spmmi_cpu_operand {
    int64_t rows, cols, nnz;
    spmm_dtype_t dtype;
    int64_t *row_ptr;
    int32_t *col_ind;
    void *values;
    int64_t *map; /* op T: position of each nonzero in A; else NULL */
    bool is_scattered;
};

/* Returns true if rows of B are seldom in a cache when the nonzeros of a CSR matrix
 * are processed in order. */
bool spmmi_is_scattered(const int32_t *col_ind, int64_t nnz);

/* The kind of this object for spmmi_shared_use. */
extern const struct spmmi_shared_kind spmmi_cpu_operand_kind;

#endif
