/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples for PETSc and SLEPc share: one matrix as MATSEQAIJ and as MATSPMM, to compare their solvers. */
#ifndef EXAMPLE_PETSC_PAIR_H
#define EXAMPLE_PETSC_PAIR_H

#include <spmm/petsc.h>

enum { PAIR_AIJ, PAIR_SPMM, PAIR_COUNT };

struct pair {
    Mat matrix[PAIR_COUNT];
    PetscLogDouble prepared; /* seconds of the first product of MATSPMM: its plan is made or loaded there */
};

/* From a file of any format that spmm_matrix_load reads, or a generator string, square. Options of MATSPMM such as
 * -mat_spmm_plan FILE are read here. */
PetscErrorCode pair_load(const char *source, struct pair *pair);
PetscErrorCode pair_destroy(struct pair *pair);
/* "seqaij" and "seqaijspmm" */
const char *pair_name(int which);
/* 1 if sums in another order explain the difference. */
int pair_iterations_agree(const PetscInt *iterations);

#endif
