/* SPDX-License-Identifier: Apache-2.0 */
/* MATSPMM as a matrix type: how matrices of it are made, converted and duplicated. */
#include "petsc_matrix.h"

static PetscErrorCode duplicate(Mat a, MatDuplicateOption option, Mat *copy)
{
    struct petsc_matrix *from = NULL, *to = NULL;
    PetscFunctionBegin;
    PetscCall(spmmi_petsc_matrix(a, &from));
    PetscCall(from->duplicate(a, option, copy));
    PetscCall(spmmi_petsc_matrix(*copy, &to));
    spmmi_petsc_share(from, to);
    PetscFunctionReturn(0);
}

/* A MATSEQAIJ becomes a MATSPMM. */
static PetscErrorCode become(Mat a)
{
    struct petsc_matrix *matrix = NULL;
    void (*operation)(void) = NULL;
    PetscFunctionBegin;
    PetscCall(spmmi_petsc_attach(a, &matrix));
    PetscCall(MatGetOperation(a, MATOP_DUPLICATE, &operation));
    matrix->duplicate = (PetscErrorCode(*)(Mat, MatDuplicateOption, Mat *))operation;
    PetscCall(MatSetOperation(a, MATOP_DUPLICATE, (void (*)(void))duplicate));
    PetscCall(spmmi_petsc_products(a));
    PetscCall(PetscObjectChangeTypeName((PetscObject)a, MATSPMM));
    PetscFunctionReturn(0);
}

/* Values of a to b, which exists; its plan stays where the pattern is the same. */
static PetscErrorCode copy_values(Mat a, Mat b)
{
    PetscInt rows_a, rows_b;
    PetscBool has_a = PETSC_FALSE, has_b = PETSC_FALSE, is_same = PETSC_FALSE;
    const PetscInt *row_ptr_a, *col_ind_a, *row_ptr_b, *col_ind_b;
    PetscFunctionBegin;
    PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows_a, &row_ptr_a, &col_ind_a, &has_a));
    PetscCall(MatGetRowIJ(b, 0, PETSC_FALSE, PETSC_FALSE, &rows_b, &row_ptr_b, &col_ind_b, &has_b));
    if (has_a && has_b && rows_a == rows_b)
        PetscCall(PetscArraycmp(row_ptr_a, row_ptr_b, rows_a + 1, &is_same));
    if (is_same)
        PetscCall(PetscArraycmp(col_ind_a, col_ind_b, row_ptr_a[rows_a], &is_same));
    PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows_a, &row_ptr_a, &col_ind_a, &has_a));
    PetscCall(MatRestoreRowIJ(b, 0, PETSC_FALSE, PETSC_FALSE, &rows_b, &row_ptr_b, &col_ind_b, &has_b));
    PetscCall(MatCopy(a, b, is_same ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert(Mat a, MatType type, MatReuse reuse, Mat *converted)
{
    PetscFunctionBegin;
    (void)type;
    if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(copy_values(a, *converted));
        PetscFunctionReturn(0);
    }
    if (reuse == MAT_INITIAL_MATRIX)
        PetscCall(MatDuplicate(a, MAT_COPY_VALUES, converted));
    PetscCall(become(*converted));
    PetscFunctionReturn(0);
}

static PetscErrorCode create(Mat a)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(a, MATSEQAIJ));
    PetscCall(become(a));
    /* Where MatConvert looks for the way to this type. */
    PetscCall(PetscObjectComposeFunction((PetscObject)a, "MatConvert_seqaij_" MATSPMM "_C", convert));
    PetscFunctionReturn(0);
}

PetscErrorCode spmm_petsc_register(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(MATSPMM, create));
    PetscCall(MatSeqAIJRegister(MATSPMM, convert)); /* -mat_seqaij_type */
    PetscFunctionReturn(0);
}

/* What PETSc calls when it loads the library by itself: -dll_append FILE. Its name is given by PETSc. */
SPMM_API PetscErrorCode PetscDLLibraryRegister_spmm_petsc(void);
PetscErrorCode PetscDLLibraryRegister_spmm_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(spmm_petsc_register());
    PetscFunctionReturn(0);
}

PetscErrorCode spmm_petsc_plan(Mat a, const spmm_plan_t **plan)
{
    struct petsc_matrix *matrix = NULL;
    PetscFunctionBegin;
    *plan = NULL;
    PetscCall(spmmi_petsc_matrix(a, &matrix));
    *plan = matrix->plan != NULL ? matrix->plan->plan : NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode spmm_petsc_executor(Mat a, const spmm_executor_t **executor)
{
    struct petsc_matrix *matrix = NULL;
    PetscFunctionBegin;
    *executor = NULL;
    PetscCall(spmmi_petsc_matrix(a, &matrix));
    *executor = matrix->executor;
    PetscFunctionReturn(0);
}
