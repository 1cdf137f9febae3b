/* SPDX-License-Identifier: Apache-2.0 */
/* How a product is computed, and how exactly that is: the table of docs/accuracy.md. */
#ifndef SPMM_TOOLS_ARITHMETIC_H
#define SPMM_TOOLS_ARITHMETIC_H

#include <spmm/plan.h>

struct arithmetic {
    spmm_compute_t compute; /* 0: that of the value type */
    int is_tensor;          /* on tensor cores, which cut sums of f32 off */
};

/* What the name that spmm_executor_info gives a kernel says of it. */
struct arithmetic arithmetic_of_kernel(const char *kernel, spmm_dtype_t dtype);

/* The constants of the bound, as docs/accuracy.md names them. */
struct accuracy {
    double unit, roundings; /* u, and K of them for each entry of a row */
    long double input;      /* d: relative error of a product of rounded factors */
    long double growth;     /* s: how much larger than the products those may be that are summed */
    long double tiny;       /* e: absolute error of a factor that is too small for a relative one */
    long double eta;        /* eta: absolute error of a rounding */
};
struct accuracy accuracy_of(struct arithmetic arithmetic, spmm_dtype_t dtype);
/* w: only products with a factor that is smaller, but not 0, may have the error e. */
double small_factor(spmm_dtype_t dtype);

#endif
