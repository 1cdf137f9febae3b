/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients of PETSc on MATSEQAIJ and MATSPMM: products, one right-hand side, and a block of 16 through
 * KSPMatSolve. CG solves a block column by column; KSPHPDDM, which keeps it together, needs a PETSc with HPDDM.
 *
 *     petsc_cg MATRIX [-mat_spmm_plan A.plan] [-mat_spmm_device N] [-pc_type icc] ..
 *
 * Ends with 1 if iterations or solutions differ by more than rounding explains. */
#include <petscksp.h>
#include <petsctime.h>

#include "petsc_pair.h"

#define SIDES 16
#define PRODUCTS 100
#define RTOL 1e-8
#define SAME 1e-5 /* difference of solutions with residuals below RTOL */

/* Measures the minimum time of a product with one column or with all. */
static PetscErrorCode products(int which, Mat a, Mat x)
{
    PetscLogDouble start, end, least[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};
    Vec from, to;
    Mat y;
    PetscFunctionBeginUser;
    PetscCall(MatMatMult(a, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &y));
    PetscCall(MatCreateVecs(a, &from, &to));
    PetscCall(VecSet(from, 1));
    for (int i = 0; i < PRODUCTS; i++) {
        PetscCall(PetscTime(&start));
        PetscCall(MatMult(a, from, to));
        PetscCall(PetscTime(&end));
        least[0] = PetscMin(least[0], end - start);
        PetscCall(MatMatMult(a, x, MAT_REUSE_MATRIX, PETSC_DEFAULT, &y));
        PetscCall(PetscTime(&start));
        least[1] = PetscMin(least[1], start - end);
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-10s product: %.1f us with 1 column, %.1f us with %d\n",
                          pair_name(which), 1e6 * least[0], 1e6 * least[1], SIDES));
    PetscCall(VecDestroy(&from));
    PetscCall(VecDestroy(&to));
    PetscCall(MatDestroy(&y));
    PetscFunctionReturn(0);
}

/* Solves A X = B. Counts the iterations of the first column, then of all. */
static PetscErrorCode solve(int which, Mat a, Mat b, Mat x, PetscInt *first, PetscInt *all)
{
    PetscLogDouble start, middle, end;
    Vec from, to;
    KSP ksp;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetTolerances(ksp, RTOL, PETSC_DEFAULT, PETSC_DEFAULT, 100000));
    PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(MatDenseGetColumnVecRead(b, 0, &from));
    PetscCall(MatDenseGetColumnVecWrite(x, 0, &to));
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp, from, to));
    PetscCall(KSPGetIterationNumber(ksp, first));
    PetscCall(MatDenseRestoreColumnVecRead(b, 0, &from));
    PetscCall(MatDenseRestoreColumnVecWrite(x, 0, &to));
    PetscCall(PetscTime(&middle));
    PetscCall(KSPMatSolve(ksp, b, x));
    PetscCall(PetscTime(&end));
    PetscCall(KSPGetTotalIterations(ksp, all));
    *all -= *first;
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "%-10s cg: %d iterations in %.4f s; %d right sides: %d in %.4f s\n",
                          pair_name(which), (int)*first, middle - start, SIDES, (int)*all, end - middle));
    PetscCall(KSPDestroy(&ksp));
    PetscFunctionReturn(0);
}

static PetscErrorCode run(const char *source, int *is_right)
{
    struct pair pair;
    PetscInt first[PAIR_COUNT], all[PAIR_COUNT];
    PetscReal norm, wrong;
    Mat exact, b, x[PAIR_COUNT];
    PetscFunctionBeginUser;
    PetscCall(pair_load(source, &pair));
    const Mat aij = pair.matrix[PAIR_AIJ];
    PetscInt rows;
    PetscCall(MatGetSize(aij, &rows, NULL));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, rows, SIDES, NULL, &exact));
    PetscCall(MatSetRandom(exact, NULL));
    PetscCall(MatMatMult(aij, exact, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &b));
    for (int which = 0; which < PAIR_COUNT; which++) {
        PetscCall(products(which, pair.matrix[which], exact));
        PetscCall(MatDuplicate(exact, MAT_DO_NOT_COPY_VALUES, &x[which]));
        PetscCall(solve(which, pair.matrix[which], b, x[which], &first[which], &all[which]));
    }
    PetscCall(MatNorm(x[PAIR_AIJ], NORM_FROBENIUS, &norm));
    PetscCall(MatAXPY(x[PAIR_AIJ], -1, x[PAIR_SPMM], SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(x[PAIR_AIJ], NORM_FROBENIUS, &wrong));
    *is_right = wrong <= SAME * norm && pair_iterations_agree(first) && pair_iterations_agree(all);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "solutions differ by %.2g: %s\n", (double)(wrong / norm),
                          *is_right ? "right" : "WRONG"));
    for (int which = 0; which < PAIR_COUNT; which++)
        PetscCall(MatDestroy(&x[which]));
    PetscCall(MatDestroy(&exact));
    PetscCall(MatDestroy(&b));
    PetscCall(pair_destroy(&pair));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int is_right = 0;
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0)
        return 1;
    const PetscErrorCode error = argc > 1 ? run(argv[1], &is_right) : PETSC_ERR_USER_INPUT;
    if (argc < 2)
        (void)PetscPrintf(PETSC_COMM_SELF, "usage: petsc_cg MATRIX [OPTION OF PETSC]..\n");
    return error != 0 || PetscFinalize() != 0 || !is_right;
}
