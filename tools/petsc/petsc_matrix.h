/* SPDX-License-Identifier: Apache-2.0 */
/* What a MATSPMM has beside its MATSEQAIJ. It hangs on the matrix as a composed object, so that PETSc destroys it with
 * the matrix. Public functions of PETSc set its operations; the private header is for state and options of objects.
 */
#ifndef SPMM_PETSC_MATRIX_H
#define SPMM_PETSC_MATRIX_H

#include <petsc/private/petscimpl.h>
#include <spmm/petsc.h>

#include "tools/compute/device_memory.h"

/* A plan and the matrices that use it: duplicates of one matrix. Without values: they are those of each matrix. */
struct petsc_plan {
    spmm_plan_t *plan;
    int users;
    uint32_t ops; /* mask of SPMM_OPS_* that it was made for; all where it was loaded */
    int is_loaded;
};

struct petsc_matrix {
    PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *); /* of MATSEQAIJ */
    int has_options;                                             /* the options below were read */
    int device;
    int threads;
    char file[PETSC_MAX_PATH_LEN]; /* of the plan; empty: it is made */
    struct petsc_plan *plan;
    spmm_executor_t *executor;
    PetscObjectState state; /* of the matrix, when the executor got its values */
    struct device_block b, c, workspace;
};

/* Hangs it on a matrix, all zero. */
PetscErrorCode spmmi_petsc_attach(Mat a, struct petsc_matrix **matrix);
/* What the matrix has; fails where it is no MATSPMM. */
PetscErrorCode spmmi_petsc_matrix(Mat a, struct petsc_matrix **matrix);
/* The same, with an executor that runs op with the pattern and values of now. */
PetscErrorCode spmmi_petsc_ready(Mat a, spmm_op_t op, struct petsc_matrix **matrix);
/* Another matrix of the same pattern: it shares options and plan. */
void spmmi_petsc_share(const struct petsc_matrix *from, struct petsc_matrix *to);
/* Without plan and executor. */
void spmmi_petsc_forget(struct petsc_matrix *matrix);

/* The operations of MATSPMM that are not those of MATSEQAIJ: its products. */
PetscErrorCode spmmi_petsc_products(Mat a);

#endif
