/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what -mat_spmm_plan, -mat_spmm_device and -mat_spmm_threads do, and their error messages. */
#include "petsc_support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MATRIX "gen:poisson2:9:8"

static char folder[] = "/tmp/spmm_petsc_XXXXXX";
static char path[64];

static int folder_make(void **state)
{
    if (petsc_setup(state) != 0 || mkdtemp(folder) == NULL)
        return 1;
    (void)snprintf(path, sizeof path, "%s/a.plan", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

/* Saves a plan of the matrix, inspected with the options, to the file `path`. */
static void plan_save(const char *source, const spmm_inspect_options_t *options)
{
    spmm_diag_t diag = {.text = ""};
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    if (spmm_matrix_generate(source, &matrix, &diag) != SPMM_OK ||
        spmm_inspect(matrix, options, &plan, &diag) != SPMM_OK ||
        spmm_plan_save(plan, path, NULL, &diag) != SPMM_OK)
        fail_msg("%s: %s", source, diag.text);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    (void)inspections();
}

static spmm_inspect_options_t f64_options(void)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.a_type = SPMM_F64;
    return options;
}

/* Returns a MATSPMM whose first product will read the option. The caller destroys it. */
static Mat with_option(const char *source, const char *name, const char *value)
{
    Mat aij = aij_load(source), spmm = spmm_of(aij);
    OK(MatDestroy(&aij));
    OK(PetscOptionsSetValue(NULL, name, value));
    return spmm;
}

static void assert_refused(Mat spmm, const char *name, const char *text)
{
    Vec x = vector_random(spmm, 0, 1), y = vector_random(spmm, 1, 2);
    REFUSED(MatMult(spmm, x, y), text);
    OK(PetscOptionsClearValue(NULL, name));
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(MatDestroy(&spmm));
}

static void refused_option(const char *name, const char *value, const char *text)
{
    assert_refused(with_option(MATRIX, name, value), name, text);
}

static void a_plan_from_a_file_needs_no_inspection(void **state)
{
    (void)state;
    const spmm_inspect_options_t options = f64_options();
    plan_save(MATRIX, &options);
    Mat spmm = with_option(MATRIX, "-mat_spmm_plan", path), aij = NULL;
    const PetscInt row = 3;
    const PetscScalar value = 7;
    OK(MatSetValues(spmm, 1, &row, 1, &row, &value, INSERT_VALUES)); /* differs from the value in the plan */
    OK(MatAssemblyBegin(spmm, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(spmm, MAT_FINAL_ASSEMBLY));
    OK(MatConvert(spmm, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
    assert_products_equal(aij, spmm);
    assert_int_equal(inspections(), 0);
    Vec x = vector_random(spmm, 1, 1), y = vector_random(spmm, 0, 2);
    REFUSED(MatMultTranspose(spmm, x, y), "the plan has no variant for op T");
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(MatDestroy(&aij));
    OK(MatSetOption(spmm, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    const PetscInt col = 70;
    OK(MatSetValues(spmm, 1, &row, 1, &col, &value, INSERT_VALUES));
    OK(MatAssemblyBegin(spmm, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(spmm, MAT_FINAL_ASSEMBLY));
    assert_refused(spmm, "-mat_spmm_plan", path); /* the pattern now differs from the pattern in the file */
}

static void a_plan_of_this_matrix_is_saved_for_the_next_run(void **state)
{
    (void)state;
    Mat aij = aij_load(MATRIX), spmm = spmm_of(aij);
    const spmm_plan_t *plan = NULL;
    const spmm_executor_t *executor = NULL;
    assert_products_equal(aij, spmm);
    OK(spmm_petsc_plan(spmm, &plan));
    OK(spmm_petsc_executor(spmm, &executor));
    assert_non_null(executor);
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    OK(MatDestroy(&spmm));
    (void)inspections();
    spmm = with_option(MATRIX, "-mat_spmm_plan", path);
    assert_products_equal(aij, spmm);
    assert_int_equal(inspections(), 0);
    OK(PetscOptionsClearValue(NULL, "-mat_spmm_plan"));
    OK(MatDestroy(&spmm));
    OK(MatDestroy(&aij));
}

static void the_prefix_of_a_matrix_is_that_of_its_options(void **state)
{
    (void)state;
    const spmm_inspect_options_t options = f64_options();
    plan_save(MATRIX, &options);
    Mat with = with_option(MATRIX, "-b_mat_spmm_plan", path), without = aij_load(MATRIX);
    OK(MatConvert(without, MATSPMM, MAT_INPLACE_MATRIX, &without));
    OK(MatSetOptionsPrefix(with, "b_"));
    Mat aij = aij_load(MATRIX);
    assert_products_equal(aij, with);
    assert_int_equal(inspections(), 0);
    assert_products_equal(aij, without);
    assert_int_equal(inspections(), 1);
    OK(PetscOptionsClearValue(NULL, "-b_mat_spmm_plan"));
    OK(MatDestroy(&with));
    OK(MatDestroy(&without));
    OK(MatDestroy(&aij));
}

static void plans_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    spmm_inspect_options_t options = f64_options();
    refused_option("-mat_spmm_plan", "/nowhere/a.plan", "/nowhere/a.plan: ");
    plan_save("gen:poisson2:8:9", &options);
    refused_option("-mat_spmm_plan", path,
                   "a.plan: row 8 (counted from 1) has 3 entries in the plan, 4 in the matrix");
    options.a_type = SPMM_F32;
    plan_save(MATRIX, &options);
    refused_option("-mat_spmm_plan", path,
                   "a.plan: expected a plan of f64 (spmm-inspect --dtype f64), found f32");
    options = f64_options();
    options.symmetric_permutation = 1;
    options.reorder = SPMM_REORDER_RCM;
    plan_save(MATRIX, &options);
    refused_option("-mat_spmm_plan", path,
                   "expected a plan in the order of the matrix, found one with a symmetric permutation");
    options = f64_options();
    options.permute_output = 1;
    options.reorder = SPMM_REORDER_RADIX;
    plan_save(MATRIX, &options);
    refused_option("-mat_spmm_plan", path,
                   "expected a plan in the order of the matrix, found one that permutes its output");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fprintf(file, "no plan"), 7);
    assert_int_equal(fclose(file), 0);
    refused_option("-mat_spmm_plan", path, "(SPMM_ERR_PLAN_");
}

static void devices_and_threads_are_checked(void **state)
{
    (void)state;
    static const char *const devices[] = {"gpu", "1x", "-1", "99999999999"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        refused_option("-mat_spmm_device", devices[i],
                       "-mat_spmm_device: expected cpu or the number of a GPU, found ");
    refused_option("-mat_spmm_threads", "-1", "-mat_spmm_threads: expected 0 to 1024, found -1");
    refused_option("-mat_spmm_device", "4096", "(SPMM_ERR_NO_DEVICE)");
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const threads[] = {"2", "0"};
    Mat aij = aij_load("gen:elasticity:6:5:4"), one = spmm_of(aij);
    Vec x = vector_random(aij, 0, 1), expected = vector_random(aij, 1, 2), got = vector_random(aij, 1, 3);
    PetscBool is_equal = PETSC_FALSE;
    OK(MatMult(one, x, expected));
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        Mat many = with_option("gen:elasticity:6:5:4", "-mat_spmm_threads", threads[i]);
        OK(MatMult(many, x, got));
        OK(VecEqual(got, expected, &is_equal));
        assert_true(is_equal);
        OK(PetscOptionsClearValue(NULL, "-mat_spmm_threads"));
        OK(MatDestroy(&many));
    }
    OK(VecDestroy(&x));
    OK(VecDestroy(&expected));
    OK(VecDestroy(&got));
    OK(MatDestroy(&one));
    OK(MatDestroy(&aij));
}

static void columns_out_of_order_are_refused(void **state)
{
    (void)state;
    PetscInt row_ptr[] = {0, 2, 3}, col_ind[] = {1, 0, 1};
    PetscScalar values[] = {1, 2, 3};
    Mat aij = NULL;
    OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, row_ptr, col_ind, values, &aij));
    OK(MatConvert(aij, MATSPMM, MAT_INPLACE_MATRIX, &aij));
    assert_refused(aij, "-mat_spmm_plan", "(SPMM_ERR_CSR)");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_from_a_file_needs_no_inspection),
        cmocka_unit_test(a_plan_of_this_matrix_is_saved_for_the_next_run),
        cmocka_unit_test(the_prefix_of_a_matrix_is_that_of_its_options),
        cmocka_unit_test(plans_that_do_not_fit_are_refused),
        cmocka_unit_test(devices_and_threads_are_checked),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(columns_out_of_order_are_refused),
    };
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, folder_make, folder_remove);
    return PetscFinalize() != 0 ? 1 : failed;
}
