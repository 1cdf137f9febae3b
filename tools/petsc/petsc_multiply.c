/* SPDX-License-Identifier: Apache-2.0 */
/* The products of MATSPMM with vectors and dense matrices. */
#include "petsc_error.h"
#include "petsc_matrix.h"

#define VALUE_BYTES sizeof(PetscScalar)

/* Columns of a dense matrix of the host, to or from a block of the device without gaps. */
enum way { TO_DEVICE, FROM_DEVICE };

static PetscErrorCode columns_copy(enum way way, const struct device_block *block, const spmm_dense_t *host)
{
    spmm_diag_t diag = {.text = ""};
    const uint64_t bytes = (uint64_t)host->rows * VALUE_BYTES;
    PetscFunctionBegin;
    for (int64_t j = 0; j < host->cols; j++) {
        const struct device_block column = {block->device, (char *)block->data + (uint64_t)j * bytes, bytes};
        PetscScalar *data = (PetscScalar *)host->data + j * host->ld;
        SPMM_PETSC_CALL(way == TO_DEVICE ? device_upload(&column, data, bytes, &diag)
                                         : device_download(data, &column, bytes, &diag),
                        diag);
    }
    PetscFunctionReturn(0);
}

/* A dense matrix of the host as the executor takes it: itself on the CPU, a copy on a GPU. */
static PetscErrorCode place(int device, struct device_block *block, int is_read, const spmm_dense_t *host,
                            spmm_dense_t *placed)
{
    spmm_diag_t diag = {.text = ""};
    PetscFunctionBegin;
    *placed = *host;
    if (device == SPMM_DEVICE_CPU)
        PetscFunctionReturn(0);
    const uint64_t bytes = (uint64_t)host->rows * (uint64_t)host->cols * VALUE_BYTES;
    SPMM_PETSC_CALL(device_block_reserve(block, device, bytes, &diag), diag);
    placed->data = block->data;
    placed->ld = host->rows;
    if (is_read)
        PetscCall(columns_copy(TO_DEVICE, block, host));
    PetscFunctionReturn(0);
}

/* C = op(A) B + beta C, all on the host. */
static PetscErrorCode multiply(Mat a, spmm_op_t op, const spmm_dense_t *b, double beta, const spmm_dense_t *c)
{
    struct petsc_matrix *matrix = NULL;
    spmm_dense_t b_placed, c_placed;
    spmm_diag_t diag = {.text = ""};
    uint64_t bytes = 0;
    PetscFunctionBegin;
    PetscCall(spmmi_petsc_ready(a, op, &matrix));
    PetscCall(place(matrix->device, &matrix->b, 1, b, &b_placed));
    PetscCall(place(matrix->device, &matrix->c, beta != 0, c, &c_placed));
    SPMM_PETSC_CALL(spmm_executor_workspace_bytes(matrix->executor, op, &b_placed, &c_placed, &bytes, &diag),
                    diag);
    SPMM_PETSC_CALL(device_block_reserve(&matrix->workspace, matrix->device, bytes, &diag), diag);
    SPMM_PETSC_CALL(spmm_execute(matrix->executor, op, spmm_real(1), &b_placed, spmm_real(beta), &c_placed,
                                 matrix->workspace.data, bytes, NULL, &diag),
                    diag);
    if (matrix->device != SPMM_DEVICE_CPU)
        PetscCall(columns_copy(FROM_DEVICE, &matrix->c, c));
    PetscFunctionReturn(0);
}

static PetscErrorCode flops_count(Mat a, PetscInt n)
{
    MatInfo info;
    PetscFunctionBegin;
    PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
    PetscCall(PetscLogFlops(2.0 * info.nz_used * (double)n));
    PetscFunctionReturn(0);
}

/* y = op(A) x + beta y */
static PetscErrorCode multiply_vector(Mat a, spmm_op_t op, Vec x, double beta, Vec y)
{
    const PetscScalar *from = NULL;
    PetscScalar *to = NULL;
    PetscInt x_size = 0, y_size = 0;
    PetscFunctionBegin;
    PetscCall(VecGetSize(x, &x_size));
    PetscCall(VecGetSize(y, &y_size));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(beta == 0 ? VecGetArrayWrite(y, &to) : VecGetArray(y, &to));
    const spmm_dense_t b = {(void *)from, x_size, 1, x_size, SPMM_COL_MAJOR, SPMM_F64};
    const spmm_dense_t c = {to, y_size, 1, y_size, SPMM_COL_MAJOR, SPMM_F64};
    const PetscErrorCode error = multiply(a, op, &b, beta, &c);
    PetscCall(beta == 0 ? VecRestoreArrayWrite(y, &to) : VecRestoreArray(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(error);
    PetscCall(flops_count(a, 1));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult(Mat a, Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(multiply_vector(a, SPMM_OP_N, x, 0, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose(Mat a, Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(multiply_vector(a, SPMM_OP_T, x, 0, y));
    PetscFunctionReturn(0);
}

/* z = op(A) x + y, where z may be y */
static PetscErrorCode add_vector(Mat a, spmm_op_t op, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    if (z != y)
        PetscCall(VecCopy(y, z));
    PetscCall(multiply_vector(a, op, x, 1, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_add(Mat a, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    PetscCall(add_vector(a, SPMM_OP_N, x, y, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose_add(Mat a, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    PetscCall(add_vector(a, SPMM_OP_T, x, y, z));
    PetscFunctionReturn(0);
}

/* C = op(A) B of a MatProduct. */
static PetscErrorCode product_numeric(Mat c)
{
    Mat a = NULL, b = NULL;
    MatProductType type = MATPRODUCT_UNSPECIFIED;
    const PetscScalar *from = NULL;
    PetscScalar *to = NULL;
    PetscInt b_rows = 0, c_rows = 0, n = 0, b_ld = 0, c_ld = 0;
    PetscFunctionBegin;
    PetscCall(MatProductGetMats(c, &a, &b, NULL));
    PetscCall(MatProductGetType(c, &type));
    PetscCall(MatGetSize(b, &b_rows, &n));
    PetscCall(MatGetSize(c, &c_rows, NULL));
    PetscCall(MatDenseGetLDA(b, &b_ld));
    PetscCall(MatDenseGetLDA(c, &c_ld));
    PetscCall(MatDenseGetArrayRead(b, &from));
    PetscCall(MatDenseGetArrayWrite(c, &to));
    const spmm_dense_t b_view = {(void *)from, b_rows, n, b_ld, SPMM_COL_MAJOR, SPMM_F64};
    const spmm_dense_t c_view = {to, c_rows, n, c_ld, SPMM_COL_MAJOR, SPMM_F64};
    const PetscErrorCode error =
        multiply(a, type == MATPRODUCT_AB ? SPMM_OP_N : SPMM_OP_T, &b_view, 0, &c_view);
    PetscCall(MatDenseRestoreArrayWrite(c, &to));
    PetscCall(MatDenseRestoreArrayRead(b, &from));
    PetscCall(error);
    PetscCall(flops_count(a, n));
    PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode product_symbolic(Mat c)
{
    Mat a = NULL, b = NULL;
    MatProductType type = MATPRODUCT_UNSPECIFIED;
    PetscBool is_dense = PETSC_FALSE;
    PetscInt a_rows = 0, a_cols = 0, n = 0;
    PetscFunctionBegin;
    PetscCall(MatProductGetMats(c, &a, &b, NULL));
    PetscCall(MatProductGetType(c, &type));
    PetscCall(MatGetSize(a, &a_rows, &a_cols));
    PetscCall(MatGetSize(b, NULL, &n));
    const PetscInt rows = type == MATPRODUCT_AB ? a_rows : a_cols;
    PetscCall(MatSetSizes(c, rows, n, rows, n));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)c, MATSEQDENSE, &is_dense));
    if (!is_dense)
        PetscCall(MatSetType(c, MATSEQDENSE));
    PetscCall(MatSetUp(c));
    PetscCall(MatSetOperation(c, MATOP_PRODUCTNUMERIC, (void (*)(void))product_numeric));
    PetscFunctionReturn(0);
}

/* A MatProduct of a MATSPMM and a dense matrix: AB and AtB are ours, others are those of MATSEQAIJ. */
static PetscErrorCode product_options(Mat c)
{
    Mat a = NULL;
    MatProductType type = MATPRODUCT_UNSPECIFIED;
    PetscErrorCode (*of_aij)(Mat) = NULL;
    PetscFunctionBegin;
    PetscCall(MatProductGetType(c, &type));
    if (type == MATPRODUCT_AB || type == MATPRODUCT_AtB) {
        PetscCall(MatSetOperation(c, MATOP_PRODUCTSYMBOLIC, (void (*)(void))product_symbolic));
        PetscFunctionReturn(0);
    }
    PetscCall(MatProductGetMats(c, &a, NULL, NULL));
    PetscCall(
        PetscObjectQueryFunction((PetscObject)a, "MatProductSetFromOptions_seqaij_seqdense_C", &of_aij));
    if (of_aij != NULL)
        PetscCall(of_aij(c));
    PetscFunctionReturn(0);
}

PetscErrorCode spmmi_petsc_products(Mat a)
{
    PetscFunctionBegin;
    PetscCall(MatSetOperation(a, MATOP_MULT, (void (*)(void))mult));
    PetscCall(MatSetOperation(a, MATOP_MULT_ADD, (void (*)(void))mult_add));
    PetscCall(MatSetOperation(a, MATOP_MULT_TRANSPOSE, (void (*)(void))mult_transpose));
    PetscCall(MatSetOperation(a, MATOP_MULT_TRANSPOSE_ADD, (void (*)(void))mult_transpose_add));
    PetscCall(PetscObjectComposeFunction((PetscObject)a, "MatProductSetFromOptions_" MATSPMM "_seqdense_C",
                                         product_options));
    PetscFunctionReturn(0);
}
