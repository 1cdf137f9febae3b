/* SPDX-License-Identifier: Apache-2.0 */
/* See petsc_pair.h. */
#include "petsc_pair.h"

#include <petsctime.h>
#include <spmm/inspector.h>
#include <stdlib.h>
#include <string.h>

static PetscErrorCode aij_from_csr(const spmm_csr_t *csr, Mat *aij)
{
    const int64_t *row_ptr = csr->row_ptr;
    const PetscInt rows = (PetscInt)csr->rows, cols = (PetscInt)csr->cols;
    PetscInt *starts = NULL, *columns = NULL;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(csr->rows + 1, &starts, csr->nnz, &columns));
    for (int64_t i = 0; i <= csr->rows; i++)
        starts[i] = (PetscInt)row_ptr[i];
    for (int64_t k = 0; k < csr->nnz; k++)
        columns[k] = ((const int32_t *)csr->col_ind)[k];
    PetscCall(MatCreate(PETSC_COMM_SELF, aij));
    PetscCall(MatSetSizes(*aij, rows, cols, rows, cols));
    PetscCall(MatSetType(*aij, MATSEQAIJ));
    PetscCall(MatSeqAIJSetPreallocationCSR(*aij, starts, columns, csr->values));
    PetscCall(PetscFree2(starts, columns));
    PetscFunctionReturn(0);
}

/* Runs the first product, which makes the plan, and measures its time. */
static PetscErrorCode prepare(struct pair *pair)
{
    Vec x, y;
    PetscLogDouble start, end;
    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(pair->matrix[PAIR_SPMM], &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(PetscTime(&start));
    PetscCall(MatMult(pair->matrix[PAIR_SPMM], x, y));
    PetscCall(PetscTime(&end));
    pair->prepared = end - start;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscFunctionReturn(0);
}

PetscErrorCode pair_load(const char *source, struct pair *pair)
{
    spmm_diag_t diag = {.text = ""};
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    PetscFunctionBeginUser;
    const spmm_status_t status = strncmp(source, "gen:", 4) == 0
                                     ? spmm_matrix_generate(source, &matrix, &diag)
                                     : spmm_matrix_load(source, NULL, &matrix, &diag);
    PetscCheck(status == SPMM_OK, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", diag.text);
    (void)spmm_matrix_csr(matrix, &csr);
    PetscCheck(csr.rows == csr.cols && csr.rows > 0 && csr.values != NULL, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "%s: expected a square matrix with values", source);
    PetscCall(aij_from_csr(&csr, &pair->matrix[PAIR_AIJ]));
    spmm_matrix_destroy(matrix);
    PetscCall(spmm_petsc_register());
    PetscCall(MatConvert(pair->matrix[PAIR_AIJ], MATSPMM, MAT_INITIAL_MATRIX, &pair->matrix[PAIR_SPMM]));
    PetscCall(prepare(pair));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %lld rows, %lld nonzeros; plan in %.3f s\n", source,
                          (long long)csr.rows, (long long)csr.nnz, pair->prepared));
    PetscFunctionReturn(0);
}

PetscErrorCode pair_destroy(struct pair *pair)
{
    PetscFunctionBeginUser;
    for (int which = 0; which < PAIR_COUNT; which++)
        PetscCall(MatDestroy(&pair->matrix[which]));
    PetscFunctionReturn(0);
}

const char *pair_name(int which)
{
    return which == PAIR_AIJ ? MATSEQAIJ : MATSPMM;
}

int pair_iterations_agree(const PetscInt *iterations)
{
    const PetscInt difference = iterations[PAIR_AIJ] - iterations[PAIR_SPMM];
    return llabs((long long)difference) <= 1 + iterations[PAIR_AIJ] / 100;
}
