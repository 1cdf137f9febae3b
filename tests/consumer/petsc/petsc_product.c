/* SPDX-License-Identifier: Apache-2.0 */
/* A PETSc program that computes y = A x with A = (2 1; 0 5) and x = (1 1). With LOADED_BY_PETSC it includes
 * no header of spmm: it only names the matrix type. */
#ifdef LOADED_BY_PETSC
#include <petscmat.h>
#define MATSPMM "seqaijspmm"
#define spmm_petsc_register() 0
#else
#include <spmm/petsc.h>
#endif
#include <stdio.h>

static PetscErrorCode multiply(void)
{
    const PetscInt rows[] = {0, 1}, cols[] = {0, 1};
    const PetscScalar values[] = {2, 1, 0, 5}, *y = NULL;
    Mat a;
    Vec from, to;
    PetscCall(spmm_petsc_register());
    PetscCall(MatCreate(PETSC_COMM_SELF, &a));
    PetscCall(MatSetSizes(a, 2, 2, 2, 2));
    PetscCall(MatSetType(a, MATSPMM));
    PetscCall(MatSetUp(a));
    PetscCall(MatSetValues(a, 2, rows, 2, cols, values, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(a, &from, &to));
    PetscCall(VecSet(from, 1));
    PetscCall(MatMult(a, from, to));
    PetscCall(VecGetArrayRead(to, &y));
    printf("%g %g\n", y[0], y[1]);
    PetscCall(VecRestoreArrayRead(to, &y));
    PetscCall(VecDestroy(&from));
    PetscCall(VecDestroy(&to));
    PetscCall(MatDestroy(&a));
    return 0;
}

int main(int argc, char **argv)
{
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0 || multiply() != 0)
        return 1;
    return PetscFinalize() != 0;
}
