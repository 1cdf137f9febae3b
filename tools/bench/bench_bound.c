/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_bound.h. */
#include "bench_bound.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_BYTES 4
#define START_US 2.5 /* time of a launch within a sequence of launches */

const struct bound_rates *bench_bound_rates(const char *name)
{
    /* The highest rates that were measured, for gathers from 4 MiB or more. The rates of a device profile are
     * a few percent lower: they are what the model expects of usual accesses, but nothing may be faster than
     * a bound. */
    static const struct {
        const char *word;
        struct bound_rates rates;
    } devices[] = {{"H200", {4250.0, 8800.0}}, {"H100 80GB HBM3", {3000.0, 8400.0}}};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        if (strstr(name, devices[d].word) != NULL)
            return &devices[d].rates;
    return NULL;
}

struct bound_matrix bench_bound_matrix(const struct host_csr *a, int has_values)
{
    struct bound_matrix matrix = {a->rows, a->nnz, 0, has_values ? (int)spmm_dtype_size(a->dtype) : 0};
    char *is_used = calloc((size_t)a->cols + 1, 1);
    for (int64_t p = 0; is_used != NULL && p < a->nnz; p++) {
        matrix.used_cols += !is_used[a->col_ind[p]];
        is_used[a->col_ind[p]] = 1;
    }
    free(is_used); /* if memory is short, no row of B counts, and the bound is lower */
    return matrix;
}

double bench_bound_us(const struct bound_rates *rates, const struct bound_matrix *a, int64_t n, int b_bytes,
                      int c_bytes)
{
    const double nnz = (double)a->nnz;
    const double of_a = nnz * (INDEX_BYTES + a->value_bytes) + ((double)a->rows + 1.0) * INDEX_BYTES;
    const double of_b = (double)a->used_cols * (double)n * b_bytes;
    const double of_c = (double)a->rows * (double)n * c_bytes;
    const double moved = (of_a + of_b + of_c) / rates->copy;
    const double gathered = nnz * (double)n * b_bytes / rates->gather;
    return 1e-3 * (moved > gathered ? moved : gathered) + START_US;
}
