/* SPDX-License-Identifier: Apache-2.0 */
/* A time that a product cannot go below on a GPU: docs/testing.md has the formula. */
#ifndef SPMM_TOOLS_BENCH_BOUND_H
#define SPMM_TOOLS_BENCH_BOUND_H

#include "tools/compute/host_csr.h"

/* 10^9 bytes/s. */
struct bound_rates {
    double copy;   /* from and to DRAM */
    double gather; /* rows of B from the L2 cache */
};
/* NULL for a device that has not been measured. name is what spmm_device_name says. */
const struct bound_rates *bench_bound_rates(const char *name);

/* op(A), of one value type. */
struct bound_matrix {
    int64_t rows, nnz;
    int64_t used_cols; /* that have an entry: rows of B that are read */
    int value_bytes;   /* 0: a pattern */
};
struct bound_matrix bench_bound_matrix(const struct host_csr *a, int has_values);

double bench_bound_us(const struct bound_rates *rates, const struct bound_matrix *a, int64_t n, int b_bytes,
                      int c_bytes);

#endif
