/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel computes a product, and the accuracy that follows from it: the table of docs/accuracy.md. */
#ifndef SPMM_TOOLS_ARITHMETIC_H
#define SPMM_TOOLS_ARITHMETIC_H

#include <spmm/plan.h>

struct arithmetic {
    spmm_compute_t compute; /* 0: the compute type that equals the value type */
    int is_tensor;          /* whether it runs on tensor cores, which truncate f32 sums */
};

/* Derives the arithmetic from a kernel's name as spmm_executor_info reports it. dtype is the value type. */
struct arithmetic arithmetic_of_kernel(const char *kernel, spmm_dtype_t dtype);

/* The constants of the error bound, with their names in docs/accuracy.md. */
struct accuracy {
    double unit, roundings; /* u: unit roundoff; K: number of roundings per entry of a row */
    long double input;      /* d: relative error of a product due to rounded factors */
    long double growth;     /* s: factor by which rounded factors may enlarge the products that are summed */
    long double tiny;       /* e: absolute error of a factor that is too small for a relative bound */
    long double eta;        /* eta: absolute error of a rounding (underflow) */
};
struct accuracy accuracy_of(struct arithmetic arithmetic, spmm_dtype_t dtype);
/* Returns w: a product can have the error e only if one of its factors is nonzero and smaller than w. */
double small_factor(spmm_dtype_t dtype);

#endif
