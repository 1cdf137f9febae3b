/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that solvers of PETSc and SLEPc need as many iterations on MATSPMM as on MATSEQAIJ, and that results
 * agree within rounding. */
#include "petsc_support.h"

#include <math.h>
#include <slepceps.h>
#include <string.h>

#define WANTED 8
#define BCSSTK17 SPMM_SOURCE_DIR "/tests/data/bcsstk17.mtx.zst"

/* Compares numbers of iterations. Sums in another order may change the number by 1 + 1 %. */
static void assert_iterations(const char *what, PetscInt aij, PetscInt spmm)
{
    if (aij < 2 || abs((int)(aij - spmm)) > 1 + (int)aij / 100)
        fail_msg("%s: %d iterations, with MATSEQAIJ %d", what, (int)spmm, (int)aij);
}

static KSP ksp_for(Mat a, KSPType type, PCType preconditioner, double tolerance)
{
    KSP ksp = NULL;
    PC pc = NULL;
    OK(KSPCreate(PETSC_COMM_SELF, &ksp));
    OK(KSPSetOperators(ksp, a, a));
    OK(KSPSetType(ksp, type));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, preconditioner));
    OK(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
    return ksp;
}

/* Solves A x = b, checks that the solver converged, and returns the number of iterations. */
static PetscInt solve(Mat a, KSPType type, PCType preconditioner, Vec b, Vec x)
{
    KSP ksp = ksp_for(a, type, preconditioner, 1e-10);
    KSPConvergedReason reason;
    PetscInt iterations = 0;
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetConvergedReason(ksp, &reason));
    assert_true(reason > 0);
    OK(KSPGetIterationNumber(ksp, &iterations));
    OK(KSPDestroy(&ksp));
    return iterations;
}

/* Returns |x - y| / |y| in the 2-norm. */
static double difference(Vec x, Vec y)
{
    PetscReal wrong = 0, norm = 0;
    Vec d = NULL;
    OK(VecDuplicate(x, &d));
    OK(VecWAXPY(d, -1, x, y));
    OK(VecNorm(d, NORM_2, &wrong));
    OK(VecNorm(y, NORM_2, &norm));
    OK(VecDestroy(&d));
    return wrong / norm;
}

static void check_solver(const char *source, KSPType type, PCType preconditioner)
{
    Mat aij = aij_load(source), spmm = spmm_of(aij);
    Vec exact = vector_random(aij, 0, 1), b = vector_random(aij, 1, 2), x = vector_random(aij, 0, 3), y;
    char what[128];
    OK(VecDuplicate(x, &y));
    OK(MatMult(aij, exact, b));
    (void)inspections();
    const PetscInt of_aij = solve(aij, type, preconditioner, b, x);
    assert_int_equal(inspections(), 0);
    const PetscInt of_spmm = solve(spmm, type, preconditioner, b, y);
    assert_true(inspections() >= 1); /* GAMG makes more matrices, which are inspected too */
    snprintf(what, sizeof what, "%s %s %s", source, type, preconditioner);
    print_message("%s: %d and %d iterations, difference %.2g\n", what, (int)of_aij, (int)of_spmm,
                  difference(x, y));
    assert_iterations(what, of_aij, of_spmm);
    assert_true(difference(x, y) < 1e-6);
    OK(VecDestroy(&exact));
    OK(VecDestroy(&b));
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
}

static void cg_with_preconditioners(void **state)
{
    (void)state;
    check_solver("gen:poisson3:14:12:10", KSPCG, PCNONE);
    check_solver("gen:poisson3:14:12:10", KSPCG, PCICC);
    check_solver("gen:poisson3:14:12:10", KSPCG, PCGAMG);
    check_solver("gen:elasticity:8:6:5", KSPCG, PCJACOBI);
    check_solver("gen:elasticity:8:6:5", KSPCG, PCSOR);
    check_solver(BCSSTK17, KSPCG, PCSOR);
}

static void solvers_with_transposes_and_without_symmetry(void **state)
{
    (void)state;
    check_solver("gen:poisson2:20:15", KSPGMRES, PCILU);
    check_solver("gen:poisson2:20:15", KSPBICG, PCJACOBI);
}

/* Computes the first WANTED eigenvalues at one end of the spectrum. Returns the number of iterations. */
static PetscInt eigenvalues(Mat a, EPSType type, EPSWhich which, double *values)
{
    EPS eps = NULL;
    PetscInt iterations = 0, converged = 0;
    OK(EPSCreate(PETSC_COMM_SELF, &eps));
    OK(EPSSetOperators(eps, a, NULL));
    OK(EPSSetProblemType(eps, EPS_HEP));
    OK(EPSSetType(eps, type));
    OK(EPSSetWhichEigenpairs(eps, which));
    OK(EPSSetDimensions(eps, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
    OK(EPSSetTolerances(eps, 1e-9, 5000));
    OK(EPSSolve(eps));
    OK(EPSGetConverged(eps, &converged));
    assert_true(converged >= WANTED);
    OK(EPSGetIterationNumber(eps, &iterations));
    for (PetscInt i = 0; i < WANTED; i++)
        OK(EPSGetEigenvalue(eps, i, &values[i], NULL));
    OK(EPSDestroy(&eps));
    return iterations;
}

static void check_eigenvalues(const char *source, EPSType type, EPSWhich which)
{
    Mat aij = aij_load(source), spmm = spmm_of(aij);
    double expected[WANTED], got[WANTED], worst = 0;
    char what[128];
    const PetscInt of_aij = eigenvalues(aij, type, which, expected);
    (void)inspections();
    const PetscInt of_spmm = eigenvalues(spmm, type, which, got);
    assert_int_equal(inspections(), 1);
    for (int i = 0; i < WANTED; i++)
        worst = fmax(worst, fabs(got[i] - expected[i]) / fabs(expected[i]));
    snprintf(what, sizeof what, "%s %s", source, type);
    print_message("%s: %d and %d iterations, difference %.2g\n", what, (int)of_aij, (int)of_spmm, worst);
    assert_iterations(what, of_aij, of_spmm);
    assert_true(worst < 1e-9);
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
}

static void lobpcg_and_krylov_schur(void **state)
{
    (void)state;
    check_eigenvalues("gen:poisson3:11:10:9", EPSLOBPCG, EPS_SMALLEST_REAL);
    check_eigenvalues("gen:elasticity:6:5:4", EPSLOBPCG, EPS_SMALLEST_REAL);
    check_eigenvalues("gen:poisson3:11:10:9", EPSKRYLOVSCHUR, EPS_SMALLEST_REAL);
    check_eigenvalues("gen:elasticity:6:5:4", EPSKRYLOVSCHUR, EPS_LARGEST_REAL);
    check_eigenvalues(BCSSTK17, EPSKRYLOVSCHUR, EPS_LARGEST_REAL);
}

/* Solves for all columns of b by KSPMatSolve and returns the number of iterations. CG solves one column after
 * the other. KSPHPDDM would multiply whole blocks, but only PETSc builds with HPDDM have it. */
static PetscInt solve_block(Mat a, Mat b, Mat x)
{
    KSP ksp = ksp_for(a, KSPCG, PCJACOBI, 1e-10);
    PetscInt iterations = 0;
    OK(KSPMatSolve(ksp, b, x));
    OK(KSPGetTotalIterations(ksp, &iterations));
    OK(KSPDestroy(&ksp));
    return iterations;
}

static void a_block_of_right_hand_sides(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:elasticity:8:6:5"), spmm = spmm_of(aij);
    Mat exact = block_random(aij, 0, 8, 1), x = block_random(aij, 0, 8, 2), y = block_random(aij, 0, 8, 3),
        b = NULL;
    PetscReal norm = 0, wrong = 0;
    OK(MatMatMult(spmm, exact, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &b));
    const PetscInt of_aij = solve_block(aij, b, x), of_spmm = solve_block(spmm, b, y);
    assert_iterations("KSPMatSolve", of_aij, of_spmm);
    OK(MatNorm(exact, NORM_FROBENIUS, &norm));
    OK(MatAXPY(x, -1, y, SAME_NONZERO_PATTERN));
    OK(MatNorm(x, NORM_FROBENIUS, &wrong));
    assert_true(wrong < 1e-6 * norm);
    OK(MatAXPY(y, -1, exact, SAME_NONZERO_PATTERN));
    OK(MatNorm(y, NORM_FROBENIUS, &wrong));
    assert_true(wrong < 1e-6 * norm);
    OK(MatDestroy(&exact));
    OK(MatDestroy(&x));
    OK(MatDestroy(&y));
    OK(MatDestroy(&b));
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cg_with_preconditioners),
        cmocka_unit_test(solvers_with_transposes_and_without_symmetry),
        cmocka_unit_test(a_block_of_right_hand_sides),
        cmocka_unit_test(lobpcg_and_krylov_schur),
    };
    if (SlepcInitialize(&argc, &argv, NULL, NULL) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, petsc_setup, NULL);
    return SlepcFinalize() != 0 ? 1 : failed;
}
