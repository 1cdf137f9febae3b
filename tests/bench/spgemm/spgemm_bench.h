/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products on a GPU beside cuSPARSE: what the parts of the program share. All times are in ms. */
#ifndef SPGEMM_BENCH_H
#define SPGEMM_BENCH_H

#include <cuda_runtime_api.h>
#include <spmm/spmm.h>

/* A matrix on the host and the GPU; row pointers and columns of 32 bits, as cuSPARSE wants them. */
struct bench_matrix {
    int64_t rows, cols, nnz;
    int *row_ptr, *col_ind; /* of the GPU */
    void *values;           /* of the GPU, in the type of the case */
    void *host_values;
};

/* A product of two matrices and what is right. */
struct bench_case {
    const char *name, *form;
    spmm_dtype_t dtype;
    struct bench_matrix a, b;
    uint64_t products;
    int64_t nnz; /* of C */
    int *row_ptr, *col_ind;
    const void *right; /* values of C by the CPU */
    double *bound;     /* of each: by which another order of sums may differ */
    double seconds;    /* that a method may take for its repeats */
};

/* What a method did; a line of the output. */
struct bench_row {
    const char *method;
    double cold, warm;   /* median behind a flush of the L2 cache; mean of a row of calls. -1: none */
    double setup;        /* before the first values */
    uint64_t peak, kept; /* bytes of the GPU beyond A and B, C counted */
    const char *verdict; /* "bits", "bound", or what is wrong */
    int repeats;         /* 1: ten results had the same bits; 0: they differed; -1: not asked */
};

void bench_require(int is_done, const char *what);
void bench_print(const struct bench_case *c, const struct bench_row *row);
double bench_now(void);

/* Bytes that cudaMalloc has given this program: now, and at most since the last reset. */
void bench_memory_reset(void);
uint64_t bench_memory_now(void), bench_memory_peak(void);

/* Times of calls that only enqueue in the default stream. */
typedef void (*bench_call)(void *context);
void bench_time(bench_call call, void *context, double seconds, struct bench_row *row);
/* Results on the GPU beside the right ones; columns NULL: not asked. Fills verdict. */
void bench_judge(const struct bench_case *c, const int *row_ptr, const int *columns, const void *values,
                 struct bench_row *row);
/* Ten calls: have they the same bits? */
int bench_repeats(const struct bench_case *c, bench_call call, void *context, void *values);

/* Rows of cuSPARSE's methods. */
void bench_cusparse(const struct bench_case *c);

#endif
