/* SPDX-License-Identifier: Apache-2.0 */
/* Checks MATSPMM as a PETSc matrix: products, new values, copies and conversions must agree with
 * MATSEQAIJ. */
#include "petsc_support.h"

#include <math.h>

/* Compares z = op(A) x + y of both matrices, first with z different from y and then with z equal to y. */
static void check_add(Mat aij, Mat spmm, int is_transposed)
{
    PetscErrorCode (*add)(Mat, Vec, Vec, Vec) = is_transposed ? MatMultTransposeAdd : MatMultAdd;
    Vec x = vector_random(aij, is_transposed, 4), y = vector_random(aij, !is_transposed, 5), got, expected;
    OK(VecDuplicate(y, &got));
    OK(VecDuplicate(y, &expected));
    OK(add(aij, x, y, expected));
    OK(add(spmm, x, y, got));
    assert_product(aij, is_transposed, x, y, got, expected);
    OK(VecCopy(y, got));
    OK(add(spmm, x, got, got));
    assert_product(aij, is_transposed, x, y, got, expected);
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(VecDestroy(&got));
    OK(VecDestroy(&expected));
}

static void check_transpose(Mat aij, Mat spmm)
{
    Vec x = vector_random(aij, 1, 6), got = vector_random(aij, 0, 7), expected = vector_random(aij, 0, 8);
    OK(MatMultTranspose(aij, x, expected));
    OK(MatMultTranspose(spmm, x, got));
    assert_product(aij, 1, x, NULL, got, expected);
    OK(VecDestroy(&x));
    OK(VecDestroy(&got));
    OK(VecDestroy(&expected));
}

/* Checks each column of got = op(A) B. */
static void assert_block(Mat aij, int is_transposed, Mat b, Mat got)
{
    PetscInt n = 0;
    OK(MatGetSize(b, NULL, &n));
    for (PetscInt j = 0; j < n; j++) {
        Vec x, c, expected;
        OK(MatDenseGetColumnVecRead(b, j, &x));
        OK(MatDenseGetColumnVecRead(got, j, &c));
        OK(VecDuplicate(c, &expected));
        OK(is_transposed ? MatMultTranspose(aij, x, expected) : MatMult(aij, x, expected));
        assert_product(aij, is_transposed, x, NULL, c, expected);
        OK(VecDestroy(&expected));
        OK(MatDenseRestoreColumnVecRead(b, j, &x));
        OK(MatDenseRestoreColumnVecRead(got, j, &c));
    }
}

static void check_blocks(Mat aij, Mat spmm, int is_transposed, PetscInt n)
{
    PetscErrorCode (*multiply)(Mat, Mat, MatReuse, PetscReal, Mat *) =
        is_transposed ? MatTransposeMatMult : MatMatMult;
    Mat b = block_random(aij, is_transposed, n, 9), c = NULL;
    OK(multiply(spmm, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    assert_block(aij, is_transposed, b, c);
    OK(MatScale(b, -0.7));
    OK(multiply(spmm, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    assert_block(aij, is_transposed, b, c);
    OK(MatDestroy(&b));
    OK(MatDestroy(&c));
}

static const char *const sources[] = {SPMM_SOURCE_DIR "/tests/data/bcsstk17.mtx.zst",
                                      "gen:poisson3:7:6:5",
                                      "gen:elasticity:4:3:2",
                                      "gen:rmat:7:5",
                                      "gen:uniform:37:23:4",
                                      "gen:empty:4:3"};

static void products_are_those_of_aij(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        Mat aij = aij_load(sources[i]), spmm = spmm_of(aij);
        (void)inspections();
        assert_products_equal(aij, spmm);
        assert_int_equal(inspections(), 1); /* so MATSPMM computed the product, not MATSEQAIJ */
        check_add(aij, spmm, 0);
        check_transpose(aij, spmm);
        check_add(aij, spmm, 1);
        OK(MatDestroy(&aij));
        OK(MatDestroy(&spmm));
    }
}

static void products_with_blocks_are_those_of_aij(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof sources / sizeof *sources; i++) {
        Mat aij = aij_load(sources[i]), spmm = spmm_of(aij);
        for (PetscInt n = 1; n < 40; n += 6) {
            check_blocks(aij, spmm, 0, n);
            check_blocks(aij, spmm, 1, n);
        }
        OK(MatDestroy(&aij));
        OK(MatDestroy(&spmm));
    }
}

static void products_that_are_not_ours_are_those_of_aij(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:poisson2:6:5"), spmm = spmm_of(aij), expected, got,
        b = block_random(aij, 0, 30, 2);
    PetscBool is_equal = PETSC_FALSE;
    OK(MatMatMult(aij, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    OK(MatMatMult(spmm, spmm, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &got));
    OK(MatMultEqual(got, expected, 3, &is_equal));
    assert_true(is_equal);
    OK(MatDestroy(&expected));
    OK(MatDestroy(&got));
    OK(MatPtAP(aij, spmm, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &got));
    OK(MatPtAP(aij, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    OK(MatMultEqual(got, expected, 3, &is_equal));
    assert_true(is_equal);
    OK(MatDestroy(&expected));
    OK(MatDestroy(&got));
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
    OK(MatDestroy(&b));
}

/* Checks that a changed matrix multiplies with its present CSR arrays, after exactly the expected number of
 * inspections. */
static void check_change(Mat spmm, int expected_inspections)
{
    Mat aij = NULL;
    OK(MatConvert(spmm, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
    assert_products_equal(aij, spmm);
    assert_int_equal(inspections(), expected_inspections);
    OK(MatDestroy(&aij));
}

static void new_values_need_no_inspection(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:elasticity:3:4:2"), spmm = spmm_of(aij);
    Vec diagonal = vector_random(aij, 0, 3), found = vector_random(aij, 0, 1);
    const PetscInt rows[] = {0, 5}, cols[] = {0};
    const PetscScalar values[] = {-5, 0};
    PetscScalar *array = NULL;
    PetscBool is_equal = PETSC_FALSE;
    (void)inspections();
    check_change(spmm, 1);
    check_change(spmm, 0);
    OK(MatScale(spmm, 3));
    check_change(spmm, 0);
    OK(MatDiagonalScale(spmm, diagonal, NULL));
    check_change(spmm, 0);
    OK(MatSetValues(spmm, 1, rows, 1, cols, values, INSERT_VALUES));
    OK(MatAssemblyBegin(spmm, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(spmm, MAT_FINAL_ASSEMBLY));
    check_change(spmm, 0);
    OK(MatShift(spmm, 0.5));
    check_change(spmm, 0);
    OK(MatDiagonalSet(spmm, diagonal, INSERT_VALUES));
    OK(MatGetDiagonal(spmm, found));
    OK(VecEqual(diagonal, found, &is_equal));
    assert_true(is_equal);
    check_change(spmm, 0);
    OK(MatSeqAIJGetArray(spmm, &array));
    array[3] = 11;
    OK(MatSeqAIJRestoreArray(spmm, &array));
    check_change(spmm, 0);
    OK(MatScale(aij, -2));
    OK(MatConvert(aij, MATSPMM, MAT_REUSE_MATRIX, &spmm));
    assert_products_equal(aij, spmm);
    assert_int_equal(inspections(), 0);
    OK(MatZeroEntries(spmm));
    check_change(spmm, 0);
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
    OK(VecDestroy(&diagonal));
    OK(VecDestroy(&found));
}

static void a_new_pattern_is_inspected(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:poisson2:9:8"), spmm = spmm_of(aij), other = aij_load("gen:poisson2:8:9");
    const spmm_plan_t *plan = NULL;
    const PetscInt row = 0, col = 71;
    const PetscScalar value = 2;
    OK(spmm_petsc_plan(spmm, &plan));
    assert_null(plan);
    (void)inspections();
    check_change(spmm, 1);
    OK(spmm_petsc_plan(spmm, &plan));
    assert_non_null(plan);
    OK(MatSetOption(spmm, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatSetValues(spmm, 1, &row, 1, &col, &value, ADD_VALUES));
    OK(MatAssemblyBegin(spmm, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(spmm, MAT_FINAL_ASSEMBLY));
    check_change(spmm, 1);
    OK(MatZeroRows(spmm, 1, &row, 1, NULL, NULL));
    check_change(spmm, 1);
    OK(MatDestroy(&spmm));
    OK(MatConvert(aij, MATSPMM, MAT_INITIAL_MATRIX, &spmm));
    check_change(spmm, 1);
    OK(MatAXPY(spmm, 1, other, DIFFERENT_NONZERO_PATTERN));
    check_change(spmm, 1);
    OK(MatDestroy(&aij));
    OK(MatDestroy(&other));
    OK(MatDestroy(&spmm));
}

static void the_transpose_is_inspected_when_it_is_needed(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:uniform:37:23:4"), spmm = spmm_of(aij);
    (void)inspections();
    assert_products_equal(aij, spmm);
    assert_int_equal(inspections(), 1);
    check_transpose(aij, spmm);
    assert_int_equal(inspections(), 1);
    assert_products_equal(aij, spmm);
    check_transpose(aij, spmm);
    assert_int_equal(inspections(), 0);
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
}

static void duplicates_share_the_plan_and_have_their_values(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:elasticity:4:3:2"), spmm = spmm_of(aij), copy = NULL, zero = NULL;
    const spmm_plan_t *plan = NULL, *shared = NULL;
    (void)inspections();
    assert_products_equal(aij, spmm);
    OK(MatDuplicate(spmm, MAT_COPY_VALUES, &copy));
    OK(MatDuplicate(spmm, MAT_DO_NOT_COPY_VALUES, &zero));
    OK(MatScale(copy, 2));
    check_change(copy, 1); /* the inspection of the first product of spmm */
    check_change(zero, 0);
    OK(spmm_petsc_plan(spmm, &plan));
    OK(spmm_petsc_plan(copy, &shared));
    assert_ptr_equal(plan, shared);
    assert_products_equal(aij, spmm);
    OK(MatDestroy(&spmm));
    OK(MatScale(copy, 0.25));
    check_change(copy, 0);
    OK(MatDestroy(&zero));
    OK(MatDestroy(&copy));
    OK(MatDestroy(&aij));
}

static void conversions_keep_the_matrix(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:poisson2:9:8"), spmm = spmm_of(aij), back = NULL, other = NULL;
    PetscBool is_equal = PETSC_FALSE;
    OK(MatConvert(spmm, MATSEQAIJ, MAT_INITIAL_MATRIX, &back));
    OK(MatEqual(aij, back, &is_equal));
    assert_true(is_equal);
    OK(MatConvert(back, MATSPMM, MAT_INPLACE_MATRIX, &back));
    assert_products_equal(aij, back);
    OK(MatConvert(back, MATSEQAIJ, MAT_INPLACE_MATRIX, &back));
    assert_products_equal(aij, back);
    OK(MatConvert(back, MATSPMM, MAT_INPLACE_MATRIX, &back));
    assert_products_equal(aij, back);
    OK(MatConvert(spmm, MATDENSE, MAT_INITIAL_MATRIX, &other));
    assert_products_equal(aij, other);
    OK(MatDestroy(&other));
    OK(MatTranspose(spmm, MAT_INITIAL_MATRIX, &other));
    assert_products_equal(aij, other); /* the matrix is symmetric */
    OK(MatDestroy(&other));
    OK(MatConvert(spmm, MATSPMM, MAT_INITIAL_MATRIX, &other));
    assert_products_equal(aij, other);
    OK(MatDestroy(&other));
    OK(MatDestroy(&back));
    OK(MatDestroy(&aij));
    OK(MatDestroy(&spmm));
}

static void matrices_are_made_and_named_as_any_other(void **state)
{
    (void)state;
    Mat a = NULL, b = NULL;
    PetscBool is_spmm = PETSC_FALSE;
    OK(PetscOptionsSetValue(NULL, "-mat_type", MATSPMM));
    OK(MatCreate(PETSC_COMM_SELF, &a));
    OK(MatSetSizes(a, 2, 2, 2, 2));
    OK(MatSetFromOptions(a));
    OK(MatSetUp(a));
    OK(PetscOptionsClearValue(NULL, "-mat_type"));
    OK(MatSetValue(a, 0, 1, 3, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    OK(PetscObjectTypeCompare((PetscObject)a, MATSPMM, &is_spmm));
    assert_true(is_spmm);
    (void)inspections();
    check_change(a, 1);
    OK(PetscOptionsSetValue(NULL, "-mat_seqaij_type", MATSPMM));
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 1, NULL, &b));
    OK(MatSetFromOptions(b));
    OK(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
    OK(PetscObjectTypeCompare((PetscObject)b, MATSPMM, &is_spmm));
    assert_true(is_spmm);
    OK(MatDestroy(&a));
    OK(MatDestroy(&b));
}

static void a_matrix_of_another_type_is_refused(void **state)
{
    (void)state;
    Mat aij = aij_load("gen:poisson2:3:3");
    const spmm_plan_t *plan = NULL;
    const spmm_executor_t *executor = NULL;
    REFUSED(spmm_petsc_plan(aij, &plan), "expected a matrix of type seqaijspmm, found seqaij");
    REFUSED(spmm_petsc_executor(aij, &executor), "expected a matrix of type seqaijspmm, found seqaij");
    OK(MatDestroy(&aij));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_aij),
        cmocka_unit_test(products_with_blocks_are_those_of_aij),
        cmocka_unit_test(products_that_are_not_ours_are_those_of_aij),
        cmocka_unit_test(new_values_need_no_inspection),
        cmocka_unit_test(a_new_pattern_is_inspected),
        cmocka_unit_test(the_transpose_is_inspected_when_it_is_needed),
        cmocka_unit_test(duplicates_share_the_plan_and_have_their_values),
        cmocka_unit_test(conversions_keep_the_matrix),
        cmocka_unit_test(matrices_are_made_and_named_as_any_other),
        cmocka_unit_test(a_matrix_of_another_type_is_refused),
    };
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, petsc_setup, NULL);
    return PetscFinalize() != 0 ? 1 : failed;
}
