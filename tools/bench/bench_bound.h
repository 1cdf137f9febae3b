/* SPDX-License-Identifier: Apache-2.0 */
/* A lower bound of the time of a product on a GPU: docs/testing.md has the formula. */
#ifndef SPMM_TOOLS_BENCH_BOUND_H
#define SPMM_TOOLS_BENCH_BOUND_H

#include "tools/compute/host_csr.h"

/* Rates in 10^9 bytes/s. */
struct bound_rates {
    double copy;   /* reads from and writes to DRAM */
    double gather; /* reads of rows of B from the L2 cache */
};
/* Returns the rates of a device, or NULL if it has not been measured. name is the result of
 * spmm_device_name. */
const struct bound_rates *bench_bound_rates(const char *name);

/* The properties of op(A) that the bound depends on, for one value type. */
struct bound_matrix {
    int64_t rows, nnz;
    int64_t used_cols; /* columns with an entry, that is rows of B that are read */
    int value_bytes;   /* 0 for a pattern */
};
struct bound_matrix bench_bound_matrix(const struct host_csr *a, int has_values);

double bench_bound_us(const struct bound_rates *rates, const struct bound_matrix *a, int64_t n, int b_bytes,
                      int c_bytes);

#endif
