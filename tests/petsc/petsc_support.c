/* SPDX-License-Identifier: Apache-2.0 */
/* See petsc_support.h. */
#include "petsc_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char refusal[1024];
static int inspection_count;

static PetscErrorCode keep_sentence(MPI_Comm comm, int line, const char *function, const char *file,
                                    PetscErrorCode code, PetscErrorType type, const char *message,
                                    void *context)
{
    (void)comm, (void)line, (void)function, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL && message != NULL)
        snprintf(refusal, sizeof refusal, "%s", message);
    return code;
}

void refusal_expect(void)
{
    refusal[0] = '\0';
    PetscPushErrorHandler(keep_sentence, NULL);
}

void refusal_check(const char *text, const char *call)
{
    PetscPopErrorHandler();
    if (strstr(refusal, text) == NULL)
        fail_msg("%s: expected '%s', found '%s'", call, text, refusal);
}

static void count_inspections(void *context, spmm_log_level_t level, const char *text)
{
    (void)context, (void)level;
    inspection_count += strstr(text, ": inspected, ") != NULL;
}

int inspections(void)
{
    const int count = inspection_count;
    inspection_count = 0;
    return count;
}

int petsc_setup(void **state)
{
    (void)state;
    spmm_log_set(count_inspections, NULL, SPMM_LOG_INFO);
    return spmm_petsc_register();
}

Mat aij_load(const char *source)
{
    spmm_diag_t diag = {.text = ""};
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    Mat aij = NULL;
    const spmm_status_t status = strncmp(source, "gen:", 4) == 0
                                     ? spmm_matrix_generate(source, &matrix, &diag)
                                     : spmm_matrix_load(source, NULL, &matrix, &diag);
    if (status != SPMM_OK)
        fail_msg("%s: %s", source, diag.text);
    (void)spmm_matrix_csr(matrix, &csr);
    const int64_t *row_ptr = csr.row_ptr;
    const int32_t *col_ind = csr.col_ind;
    const double *values = csr.values;
    OK(MatCreate(PETSC_COMM_SELF, &aij));
    OK(MatSetSizes(aij, (PetscInt)csr.rows, (PetscInt)csr.cols, (PetscInt)csr.rows, (PetscInt)csr.cols));
    OK(MatSetType(aij, MATSEQAIJ));
    PetscInt *lengths = NULL;
    OK(PetscMalloc1(csr.rows, &lengths));
    for (int64_t i = 0; i < csr.rows; i++)
        lengths[i] = (PetscInt)(row_ptr[i + 1] - row_ptr[i]);
    OK(MatSeqAIJSetPreallocation(aij, 0, lengths));
    for (PetscInt i = 0; i < csr.rows; i++)
        OK(MatSetValues(aij, 1, &i, lengths[i], col_ind + row_ptr[i], values + row_ptr[i], INSERT_VALUES));
    OK(MatAssemblyBegin(aij, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(aij, MAT_FINAL_ASSEMBLY));
    OK(PetscFree(lengths));
    spmm_matrix_destroy(matrix);
    return aij;
}

Mat spmm_of(Mat aij)
{
    Mat spmm = NULL;
    OK(MatConvert(aij, MATSPMM, MAT_INITIAL_MATRIX, &spmm));
    return spmm;
}

static void fill(PetscScalar *values, PetscInt count, double seed)
{
    for (PetscInt i = 0; i < count; i++)
        values[i] = cos(seed + 1.7 * (double)i + 0.01 * (double)i * (double)i);
}

Vec vector_random(Mat a, int is_left, double seed)
{
    Vec vector = NULL;
    PetscScalar *values = NULL;
    PetscInt size = 0;
    OK(is_left ? MatCreateVecs(a, NULL, &vector) : MatCreateVecs(a, &vector, NULL));
    OK(VecGetSize(vector, &size));
    OK(VecGetArray(vector, &values));
    fill(values, size, seed);
    OK(VecRestoreArray(vector, &values));
    return vector;
}

Mat block_random(Mat a, int is_left, PetscInt n, double seed)
{
    Mat block = NULL;
    PetscScalar *values = NULL;
    PetscInt rows = 0, cols = 0;
    OK(MatGetSize(a, &rows, &cols));
    const PetscInt size = is_left ? rows : cols, ld = size + 3;
    OK(MatCreate(PETSC_COMM_SELF, &block));
    OK(MatSetSizes(block, size, n, size, n));
    OK(MatSetType(block, MATSEQDENSE));
    OK(MatDenseSetLDA(block, ld));
    OK(MatSetUp(block));
    OK(MatDenseGetArrayWrite(block, &values));
    fill(values, n > 0 ? ld * (n - 1) + size : 0, seed);
    OK(MatDenseRestoreArrayWrite(block, &values));
    OK(MatAssemblyBegin(block, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(block, MAT_FINAL_ASSEMBLY));
    return block;
}

static PetscInt longest(Mat a)
{
    PetscInt rows = 0, cols = 0, most = 0, length = 0;
    OK(MatGetSize(a, &rows, &cols));
    for (PetscInt i = 0; i < rows; i++) {
        OK(MatGetRow(a, i, &length, NULL, NULL));
        most = length > most ? length : most;
        OK(MatRestoreRow(a, i, &length, NULL, NULL));
    }
    return most;
}

/* Returns the error bound of op(A) x + y for each row: (|op(A)| |x| + |y|) times a multiple of the unit
 * roundoff. y may be NULL. The caller destroys the vector. */
static Vec magnitudes(Mat aij, int is_transposed, Vec x, Vec y)
{
    Mat op = NULL;
    Vec x_abs = NULL, sum = NULL;
    PetscScalar *values = NULL;
    MatInfo info;
    OK(is_transposed ? MatTranspose(aij, MAT_INITIAL_MATRIX, &op) : MatDuplicate(aij, MAT_COPY_VALUES, &op));
    OK(MatGetInfo(op, MAT_LOCAL, &info));
    OK(MatSeqAIJGetArray(op, &values));
    for (PetscInt i = 0; i < (PetscInt)info.nz_used; i++)
        values[i] = fabs(values[i]);
    OK(MatSeqAIJRestoreArray(op, &values));
    OK(VecDuplicate(x, &x_abs));
    OK(VecCopy(x, x_abs));
    OK(VecAbs(x_abs));
    OK(MatCreateVecs(op, NULL, &sum));
    if (y != NULL) {
        OK(VecCopy(y, sum));
        OK(VecAbs(sum));
    }
    OK(MatMultAdd(op, x_abs, sum, sum));
    OK(VecScale(sum, 4.0 * ((double)longest(op) + 2) * 0x1p-53));
    OK(VecDestroy(&x_abs));
    OK(MatDestroy(&op));
    return sum;
}

void assert_product(Mat aij, int is_transposed, Vec x, Vec y, Vec got, Vec expected)
{
    Vec bound = magnitudes(aij, is_transposed, x, y);
    const PetscScalar *b, *g, *e;
    PetscInt size = 0;
    OK(VecGetSize(got, &size));
    OK(VecGetArrayRead(bound, &b));
    OK(VecGetArrayRead(got, &g));
    OK(VecGetArrayRead(expected, &e));
    for (PetscInt i = 0; i < size; i++)
        if (!(fabs(g[i] - e[i]) <= b[i]))
            fail_msg("row %d: %.17g, expected %.17g", (int)i, g[i], e[i]);
    OK(VecRestoreArrayRead(bound, &b));
    OK(VecRestoreArrayRead(got, &g));
    OK(VecRestoreArrayRead(expected, &e));
    OK(VecDestroy(&bound));
}

void assert_products_equal(Mat aij, Mat spmm)
{
    Vec x = vector_random(aij, 0, 1), got = vector_random(aij, 1, 2), expected = vector_random(aij, 1, 3);
    OK(MatMult(aij, x, expected));
    OK(MatMult(spmm, x, got));
    assert_product(aij, 0, x, NULL, got, expected);
    OK(VecDestroy(&x));
    OK(VecDestroy(&got));
    OK(VecDestroy(&expected));
}
