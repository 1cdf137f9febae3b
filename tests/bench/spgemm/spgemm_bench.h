/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of spgemm_bench, which compares sparse products on a GPU with cuSPARSE. All times
 * are in ms. */
#ifndef SPGEMM_BENCH_H
#define SPGEMM_BENCH_H

#include <cuda_runtime_api.h>
#include <spmm/spmm.h>

/* A matrix on the host and the GPU. Row pointers and columns have 32 bits, as cuSPARSE requires. */
struct bench_matrix {
    int64_t rows, cols, nnz;
    int *row_ptr, *col_ind; /* on the GPU */
    void *values;           /* on the GPU, in the type of the case */
    void *host_values;
};

/* A product of two matrices and its reference result. */
struct bench_case {
    const char *name, *form;
    spmm_dtype_t dtype;
    struct bench_matrix a, b;
    uint64_t products;
    int64_t nnz; /* nonzeros of C */
    int *row_ptr, *col_ind;
    const void *right; /* values of C from the CPU */
    double *bound;     /* for each value: the largest difference that another order of sums may cause */
    double seconds;    /* time limit for the repeats of a method */
};

/* The measurements of a method: one line of the output. */
struct bench_row {
    const char *method;
    /* Cold: median after a flush of the L2 cache; warm: mean of consecutive calls; -1: not measured. */
    double cold, warm;
    double setup;        /* time of the setup before the first values */
    uint64_t peak, kept; /* device memory in bytes without A and B, with C */
    const char *verdict; /* "bits", "bound", or a description of the error */
    int repeats;         /* 1: ten results had the same bits; 0: they differed; -1: not tested */
};

void bench_require(int is_done, const char *what);
void bench_print(const struct bench_case *c, const struct bench_row *row);
double bench_now(void);

/* The bytes that cudaMalloc has allocated for this program: now, and the maximum since the last reset. */
void bench_memory_reset(void);
uint64_t bench_memory_now(void), bench_memory_peak(void);

/* Measures the times of a call that only enqueues work in the default stream. */
typedef void (*bench_call)(void *context);
void bench_time(bench_call call, void *context, double seconds, struct bench_row *row);
/* Compares results on the GPU with the reference and sets the verdict. columns: NULL if they are not
 * compared. */
void bench_judge(const struct bench_case *c, const int *row_ptr, const int *columns, const void *values,
                 struct bench_row *row);
/* Returns whether ten calls give the same bits. */
int bench_repeats(const struct bench_case *c, bench_call call, void *context, void *values);

/* Prints the rows of cuSPARSE's methods. */
void bench_cusparse(const struct bench_case *c);

#endif
