/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Plans inside PETSc and SLEPc: a matrix type whose products run plans. Link spmm::petsc.
 *
 * MATSPMM is a MATSEQAIJ: it is assembled, changed, scaled, copied, viewed, factored and preconditioned as
 * one. spmm computes its products with vectors and dense matrices: MatMult, MatMultAdd, MatMultTranspose,
 * MatMultTransposeAdd, and MatProduct of types AB and AtB (MatMatMult and MatTransposeMatMult). It supports
 * one process and real double scalars. A program calls spmm_petsc_register after PetscInitialize, then names
 * the type like any other: MatSetType(A, MATSPMM), MatConvert(A, MATSPMM, ..) from MATSEQAIJ, -mat_type
 * seqaijspmm if the program calls MatSetFromOptions, or -mat_seqaij_type seqaijspmm for matrices that it
 * creates as MATSEQAIJ. For a program that does not know spmm, this option makes PETSc load the library:
 * -dll_append /usr/local/lib/libspmm_petsc.so.
 *
 * The first product makes a plan of the matrix, or loads one; MatDuplicate shares it. Later products only
 * compare the object state of the matrix. If the state has changed, the pattern is compared with the pattern
 * of the plan, entry by entry. If the pattern is the same, the plan is kept and gets the new values without
 * an inspection. So MatConvert with MAT_REUSE_MATRIX from a MATSEQAIJ, and MatSetValues with an assembly,
 * only update values.
 *
 * Options, with the prefix of the matrix, read before its first product:
 *
 * - -mat_spmm_plan FILE: loads this plan instead of inspecting the matrix. The plan must be of f64 and in the
 *   order of the matrix; it is refused if the pattern of the matrix differs. Values always come from the
 *   matrix, not the plan.
 * - -mat_spmm_device cpu|N: the device that runs products, the CPU or GPU N; default cpu. Vectors on the host
 *   are copied to the GPU and back at every product.
 * - -mat_spmm_threads N: number of threads of inspection and of products on the CPU; default 1, since PETSc
 *   computes with one thread per process; 0: OpenMP's default. Waiting threads spin unless
 *   OMP_WAIT_POLICY=passive is set (docs/solvers.md).
 *
 * Failures are PETSc errors that contain the sentence of spmm.
 */
#ifndef SPMM_PETSC_H
#define SPMM_PETSC_H

#include <petscmat.h>

#include "executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The matrix type. The name begins with MATSEQAIJ, so that PETSc and its preconditioners treat the type as
 * MATSEQAIJ. */
#define MATSPMM "seqaijspmm"

/** Registers MATSPMM with PETSc. Call it after PetscInitialize; calling it again is harmless. */
SPMM_API PetscErrorCode spmm_petsc_register(void);

/** Returns the plan of a matrix, valid until the pattern of the matrix changes or the matrix is
 * destroyed; NULL before the first product. spmm_plan_save writes it to a file for -mat_spmm_plan.
 * Errors: matrix is not a MATSPMM. */
SPMM_API PetscErrorCode spmm_petsc_plan(Mat matrix, const spmm_plan_t **plan);
/** Returns the executor that runs the products of the matrix; valid as long as the
 * plan of spmm_petsc_plan. */
SPMM_API PetscErrorCode spmm_petsc_executor(Mat matrix, const spmm_executor_t **executor);

#ifdef __cplusplus
}
#endif
#endif
