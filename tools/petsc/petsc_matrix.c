/* SPDX-License-Identifier: Apache-2.0 */
/* How long what a MATSPMM has beside its MATSEQAIJ lives. */
#include "petsc_matrix.h"

#include <stdlib.h>

#define COMPOSED MATSPMM /* name of what hangs on the matrix */

static void plan_leave(struct petsc_matrix *matrix)
{
    struct petsc_plan *plan = matrix->plan;
    matrix->plan = NULL;
    if (plan == NULL || --plan->users > 0)
        return;
    spmm_plan_destroy(plan->plan);
    free(plan);
}

void spmmi_petsc_forget(struct petsc_matrix *matrix)
{
    spmm_executor_destroy(matrix->executor);
    matrix->executor = NULL;
    plan_leave(matrix);
}

void spmmi_petsc_share(const struct petsc_matrix *from, struct petsc_matrix *to)
{
    to->has_options = from->has_options;
    to->device = from->device;
    to->threads = from->threads;
    memcpy(to->file, from->file, sizeof to->file);
    to->plan = from->plan;
    if (to->plan != NULL)
        to->plan->users++;
}

static PetscErrorCode matrix_destroy(void *pointer)
{
    struct petsc_matrix *matrix = pointer;
    PetscFunctionBegin;
    spmmi_petsc_forget(matrix);
    device_block_free(&matrix->b);
    device_block_free(&matrix->c);
    device_block_free(&matrix->workspace);
    PetscCall(PetscFree(matrix));
    PetscFunctionReturn(0);
}

PetscErrorCode spmmi_petsc_attach(Mat a, struct petsc_matrix **matrix)
{
    PetscContainer container = NULL;
    PetscFunctionBegin;
    PetscCall(PetscNew(matrix));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, *matrix));
    PetscCall(PetscContainerSetUserDestroy(container, matrix_destroy));
    PetscCall(PetscObjectCompose((PetscObject)a, COMPOSED, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container)); /* the matrix holds it now */
    PetscFunctionReturn(0);
}

PetscErrorCode spmmi_petsc_matrix(Mat a, struct petsc_matrix **matrix)
{
    PetscObject container = NULL;
    void *pointer = NULL;
    PetscFunctionBegin;
    PetscValidHeaderSpecific(a, MAT_CLASSID, 1);
    PetscCall(PetscObjectQuery((PetscObject)a, COMPOSED, &container));
    PetscCheck(container != NULL, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "expected a matrix of type " MATSPMM ", found %s", ((PetscObject)a)->type_name);
    PetscCall(PetscContainerGetPointer((PetscContainer)container, &pointer));
    *matrix = pointer;
    PetscFunctionReturn(0);
}
