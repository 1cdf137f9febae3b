/* SPDX-License-Identifier: Apache-2.0 */
/* One matrix of the benchmark, defined by its case and used by all methods. */
#ifndef SPMM_TESTS_SPECIALISED_PROBLEM_H
#define SPMM_TESTS_SPECIALISED_PROBLEM_H

#include <spmm/inspector.h>

#include "tools/compute/host_csr.h"

#define PROBLEM_N_MAX 8
#define PROBLEM_NAME_BYTES 64

struct problem {
    char name[PROBLEM_NAME_BYTES]; /* ROWS:PERCENT, an operator or a generator string */
    double percent;                /* wanted share of nonzeros of a random matrix; else the share there is */
    int64_t n[PROBLEM_N_MAX];
    int n_count;
    spmm_matrix_t *matrix;
    struct host_csr a; /* values are rounded to the type of the products */
    int32_t *row_ptr;
    void *values;
};

/* Makes the problem from NAME:N[,N]. NAME: ROWS:PERCENT for a random square matrix (random_matrix.h), an
 * operator such as hex:3 (operator_matrix.h), or a generator string such as gen:rmat:14:8. The caller frees
 * it, even after a failure. */
spmm_status_t problem_make(const char *text, spmm_dtype_t dtype, struct problem *problem, spmm_diag_t *diag);
void problem_free(struct problem *problem);

/* Writes the matrix to FOLDER/NAME.mtx, as Matrix Market with all digits. */
spmm_status_t problem_write(const struct problem *problem, const char *folder, spmm_diag_t *diag);

#endif
