/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Plans inside PETSc and SLEPc: a matrix type whose products run plans. Link spmm::petsc.
 *
 * MATSPMM is a MATSEQAIJ: it is assembled, changed, scaled, copied, viewed, factored and preconditioned as one. Its
 * products with vectors and dense matrices (MatMult, MatMultAdd, MatMultTranspose, MatMultTransposeAdd, and MatProduct
 * of types AB and AtB, which are MatMatMult and MatTransposeMatMult) are those of spmm. One process; real double
 * scalars. A program calls spmm_petsc_register after PetscInitialize, then names the type as any other:
 * MatSetType(A, MATSPMM), MatConvert(A, MATSPMM, ..) from MATSEQAIJ, -mat_type seqaijspmm where the program calls
 * MatSetFromOptions, -mat_seqaij_type seqaijspmm for matrices that it makes of MATSEQAIJ. A program that does not know
 * spmm has PETSc load the library: -dll_append /usr/local/lib/libspmm_petsc.so.
 *
 * The first product makes a plan of the matrix, or loads it; MatDuplicate shares it. Later products compare the object
 * state of the matrix, nothing more. If that has changed, the pattern is compared with the plan's, entry by entry:
 * the same pattern keeps the plan and gets the new values without an inspection. So MatConvert with MAT_REUSE_MATRIX
 * from a MATSEQAIJ, and MatSetValues with an assembly, are updates of values.
 *
 * Options, with the prefix of the matrix, read before its first product:
 *
 * - -mat_spmm_plan FILE: load this plan instead of an inspection; of f64, in the order of the matrix. A matrix of
 *   another pattern is refused. The values are those of the matrix, never those of the plan.
 * - -mat_spmm_device cpu|N: where products run, the CPU or GPU N; cpu. Vectors of the host are copied to the GPU and
 *   back at every product.
 * - -mat_spmm_threads N: threads of inspection and products on the CPU; 1, as PETSc computes with one thread a process;
 *   0: OpenMP's default. Threads that wait spin unless OMP_WAIT_POLICY=passive is set (docs/solvers.md).
 *
 * Failures are PETSc's errors and hold spmm's sentence.
 */
#ifndef SPMM_PETSC_H
#define SPMM_PETSC_H

#include <petscmat.h>

#include "executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The matrix type. It begins with MATSEQAIJ, so that PETSc takes it for one, with its preconditioners. */
#define MATSPMM "seqaijspmm"

/** Make MATSPMM known to PETSc. After PetscInitialize; more than once is harmless. */
SPMM_API PetscErrorCode spmm_petsc_register(void);

/** The plan of a matrix, valid until its pattern changes or it is destroyed; NULL before the first product.
 * spmm_plan_save makes a file for -mat_spmm_plan of it. Errors: no MATSPMM. */
SPMM_API PetscErrorCode spmm_petsc_plan(Mat matrix, const spmm_plan_t **plan);
/** The executor that its products run on; likewise. */
SPMM_API PetscErrorCode spmm_petsc_executor(Mat matrix, const spmm_executor_t **executor);

#ifdef __cplusplus
}
#endif
#endif
