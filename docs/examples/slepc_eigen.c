/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of a symmetric matrix by SLEPc on MATSEQAIJ and MATSPMM: LOBPCG for the 8 smallest, whose products have
 * a block of vectors, and Krylov-Schur for the 8 largest, with one vector at a time.
 *
 *     slepc_eigen MATRIX [-mat_spmm_plan A.plan] [-mat_spmm_device N] [-eps_tol 1e-6] ..
 *
 * Ends with 1 if iterations or eigenvalues differ by more than rounding explains. */
#include <math.h>
#include <petsctime.h>
#include <slepceps.h>

#include "petsc_pair.h"

#define WANTED 8
#define TOLERANCE 1e-7
#define SAME 1e-9 /* of eigenvalues: their errors are the squares of residuals */

static PetscErrorCode solve(int which, Mat a, EPSType type, PetscInt *iterations, double *values)
{
    const EPSWhich end = type[0] == 'l' ? EPS_SMALLEST_REAL : EPS_LARGEST_REAL;
    PetscLogDouble start, stop;
    PetscInt converged = 0;
    EPS eps;
    PetscFunctionBeginUser;
    PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
    PetscCall(EPSSetOperators(eps, a, NULL));
    PetscCall(EPSSetProblemType(eps, EPS_HEP));
    PetscCall(EPSSetType(eps, type));
    PetscCall(EPSSetWhichEigenpairs(eps, end));
    PetscCall(EPSSetDimensions(eps, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, TOLERANCE, 20000));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(EPSSetUp(eps));
    PetscCall(PetscTime(&start));
    PetscCall(EPSSolve(eps));
    PetscCall(PetscTime(&stop));
    PetscCall(EPSGetIterationNumber(eps, iterations));
    PetscCall(EPSGetConverged(eps, &converged));
    PetscCheck(converged >= WANTED, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
               "%s: %d eigenvalues of %d converged", type, (int)converged, WANTED);
    for (PetscInt i = 0; i < WANTED; i++)
        PetscCall(EPSGetEigenvalue(eps, i, &values[i], NULL));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-10s %s: %d iterations in %.4f s, %.12g to %.12g\n",
                          pair_name(which), type, (int)*iterations, stop - start, values[0],
                          values[WANTED - 1]));
    PetscCall(EPSDestroy(&eps));
    PetscFunctionReturn(0);
}

static PetscErrorCode run(const char *source, int *is_right)
{
    static const EPSType types[] = {EPSLOBPCG, EPSKRYLOVSCHUR};
    struct pair pair;
    PetscInt iterations[PAIR_COUNT];
    double values[PAIR_COUNT][WANTED], worst = 0;
    PetscFunctionBeginUser;
    *is_right = 1;
    PetscCall(pair_load(source, &pair));
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int which = 0; which < PAIR_COUNT; which++)
            PetscCall(solve(which, pair.matrix[which], types[t], &iterations[which], values[which]));
        for (int i = 0; i < WANTED; i++)
            worst = fmax(worst, fabs(values[0][i] - values[1][i]) / fabs(values[0][i]));
        *is_right = *is_right && pair_iterations_agree(iterations);
    }
    *is_right = *is_right && worst <= SAME;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "eigenvalues differ by %.2g: %s\n", worst,
                          *is_right ? "right" : "WRONG"));
    PetscCall(pair_destroy(&pair));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int is_right = 0;
    if (SlepcInitialize(&argc, &argv, NULL, NULL) != 0)
        return 1;
    const PetscErrorCode error = argc > 1 ? run(argv[1], &is_right) : PETSC_ERR_USER_INPUT;
    if (argc < 2)
        (void)PetscPrintf(PETSC_COMM_SELF, "usage: slepc_eigen MATRIX [OPTION OF SLEPC]..\n");
    return error != 0 || SlepcFinalize() != 0 || !is_right;
}
