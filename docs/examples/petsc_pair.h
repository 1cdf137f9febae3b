/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the examples for PETSc and SLEPc: one matrix as MATSEQAIJ and as MATSPMM, to compare their solvers. */
#ifndef EXAMPLE_PETSC_PAIR_H
#define EXAMPLE_PETSC_PAIR_H

#include <spmm/petsc.h>

enum { PAIR_AIJ, PAIR_SPMM, PAIR_COUNT };

struct pair {
    Mat matrix[PAIR_COUNT];
    PetscLogDouble prepared; /* seconds of the first product of MATSPMM: its plan is made or loaded there */
};

/* Reads a square matrix from a file of any format that spmm_matrix_load reads, or from a generator string. Options of
 * MATSPMM such as -mat_spmm_plan FILE are read here. */
PetscErrorCode pair_load(const char *source, struct pair *pair);
PetscErrorCode pair_destroy(struct pair *pair);
/* "seqaij" and "seqaijspmm" */
const char *pair_name(int which);
/* Returns 1 if a different order of summation explains the difference. */
int pair_iterations_agree(const PetscInt *iterations);

#endif
