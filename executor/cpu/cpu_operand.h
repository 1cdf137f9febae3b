/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) in CSR with its values, as any family on the CPU may read it: one for each op of an executor. */
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
    int64_t *map; /* op = T: position in A of each nonzero */
    bool is_scattered;
};

/* Do rows of B seldom come from a cache? Of nonzeros of a CSR matrix in order. */
bool spmmi_is_scattered(const int32_t *col_ind, int64_t nnz);

/* For spmmi_shared_use. */
extern const struct spmmi_shared_kind spmmi_cpu_operand_kind;

#endif
