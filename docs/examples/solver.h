/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the solver examples: a plan that is loaded and ready to run, blocks of vectors, dense operations on
 * them (CBLAS on the CPU, cuBLAS on a GPU) and small dense problems (LAPACKE, always on the CPU). All values are
 * doubles. Every failure ends the program with a sentence and status 1. */
#ifndef EXAMPLE_SOLVER_H
#define EXAMPLE_SOLVER_H

#include <spmm/executor.h>

#define SOLVER_COLUMNS_MAX 96 /* most columns of a block, and most rows of a small matrix */
#define SOLVER_BLOCKS_MAX 12
typedef double solver_small[SOLVER_COLUMNS_MAX * SOLVER_COLUMNS_MAX];

/* A block of vectors, where the executor runs: rows x cols, row-major. Slices share the data. */
struct block {
    double *data;
    int64_t rows, cols, ld;
};

/* Memory and dense operations of a device. */
struct device {
    double *(*allocate)(uint64_t bytes); /* zeros, aligned to 256 bytes; NULL: there is no memory */
    void (*release)(double *data);
    void (*read)(double *host, const double *data, int64_t count);
    void (*write)(double *data, const double *host, int64_t count);
    void *(*upload)(const void *host, uint64_t bytes); /* into new memory, which release frees */
    /* g = x^T y, and y = x q + beta y; g and q are small, on the host, row-major without gaps */
    void (*gram)(const struct block *x, const struct block *y, double *g);
    void (*combine)(const struct block *x, const double *q, double beta, const struct block *y);
    /* y = alpha x + beta y */
    void (*add)(double alpha, const struct block *x, double beta, const struct block *y);
    void (*wait)(void);
    int number; /* the device number for spmm_product_create */
};
extern const struct device device_cpu;
const struct device *device_cuda(int number); /* NULL: this build has no CUDA */

struct solver {
    spmm_plan_t *plan;
    spmm_plan_info_t info;
    const uint32_t *permutation; /* row i of the plan is row permutation[i] of A; NULL: row i */
    spmm_executor_t *executor;
    const struct device *device;
    void *workspace; /* for products of up to SOLVER_COLUMNS_MAX columns, allocated once */
    uint64_t workspace_bytes;
    double *blocks[SOLVER_BLOCKS_MAX]; /* allocated by block_make, released by solver_close */
    int block_count;
    double started, ready, stopped;
    int iterations;
};

/* Reads the command line PROGRAM PLAN [--device N|cpu] and loads a plan of f64 with values. needs_square: the matrix
 * must be square; ops: N, or N and T. */
void solver_open(struct solver *solver, int argc, char **argv, int needs_square, int ops);
/* Removes this option and its number from the end of the command line and returns the number; 0: there is no such
 * option. */
int solver_take_count(int *argc, char **argv, const char *option);
/* The two steps of solver_open: finds the requested device, and loads this plan on it. */
const struct device *solver_device(int argc, char **argv);
void solver_open_on(struct solver *solver, const struct device *device, const char *path, int needs_square,
                    int ops);
/* Ends the iterations and their timing. Checks follow. */
void solver_iterated(struct solver *solver, int iterations);
/* Prints how long the iterations took, and frees everything. Returns the exit status: 0 if the checks of the program
 * passed. */
int solver_close(struct solver *solver, int is_right);
void solver_fail(const char *text);
/* Returns the seconds of a monotonic clock. */
double solver_seconds(void);
/* Ends the program unless the status is OK. */
void solver_require(spmm_status_t status, const spmm_diag_t *diag);

struct block block_make(struct solver *solver, int64_t rows, int64_t cols);
/* Fills a block with numbers in (-1, 1) that depend only on the rows of A, not on the plan. */
void block_fill_random(const struct solver *solver, const struct block *block);
struct block block_columns(const struct block *block, int64_t first, int64_t count);

/* Makes the executor; computes y = alpha op(A) x + beta y; sets new values of A for later products. (product.c) */
void product_open(struct solver *solver, int number, int ops);
void product_close(struct solver *solver);
void solver_set_values(const struct solver *solver, const double *values);
void solver_multiply(const struct solver *solver, spmm_op_t op, double alpha, const struct block *x,
                     double beta, const struct block *y);
/* Computes the 2-norms of the columns. The second function returns the largest of them. */
void solver_norms(const struct solver *solver, const struct block *x, double *norms);
double solver_largest_norm(const struct solver *solver, const struct block *x);

/* Computes eigenvalues in ascending order, and eigenvectors in the columns of a, which is n x n and symmetric. */
void small_eigen(int n, double *a, double *values);
/* small_factor replaces g by its Cholesky factor. small_solve takes this factor and replaces x, which is n x columns,
 * by (the original g)^-1 x. */
void small_factor(int n, double *g);
void small_solve(int n, const double *g, double *x, int columns);
/* Computes c = a^T b; a is rows x m, b rows x n. */
void small_product(int rows, int m, int n, const double *a, const double *b, double *c);
/* Computes from g = x^T x (n x n) the matrix q (n x r), so that the columns of x q are orthonormal and span the
 * columns of x up to rounding. Returns r, the rank. (SVQB: A. Stathopoulos, K. Wu, SIAM J. Sci. Comput. 23, 2002.) */
int small_orthonormal(int n, const double *g, double *q);
/* Replaces x by an orthonormal basis of its columns, with scratch of the same shape. Returns the number of its
 * columns. */
int64_t solver_orthonormalise(const struct solver *solver, const struct block *x,
                              const struct block *scratch);

#endif
