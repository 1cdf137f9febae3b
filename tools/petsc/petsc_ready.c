/* SPDX-License-Identifier: Apache-2.0 */
/* From a matrix of PETSc to an executor: options, plan, values; again where the matrix has changed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "petsc_error.h"
#include "petsc_matrix.h"
#include "tools/compute/gpu.h"

#define OPS_ALL (SPMM_OPS_N | SPMM_OPS_T)

static PetscErrorCode device_of(const char *text, int *device)
{
    char *end = NULL;
    PetscFunctionBegin;
    *device = SPMM_DEVICE_CPU;
    if (strcmp(text, "cpu") == 0)
        PetscFunctionReturn(0);
    const long number = strtol(text, &end, 10);
    PetscCheck(end != text && *end == '\0' && number >= 0 && number <= INT_MAX, PETSC_COMM_SELF,
               PETSC_ERR_ARG_WRONG, "-mat_spmm_device: expected cpu or the number of a GPU, found %s", text);
    *device = (int)number;
    PetscFunctionReturn(0);
}

static PetscErrorCode options_read(Mat a, struct petsc_matrix *matrix)
{
    char device[32] = "cpu";
    PetscInt threads = 1;
    PetscFunctionBegin;
    if (matrix->has_options)
        PetscFunctionReturn(0);
    PetscObjectOptionsBegin((PetscObject)a);
    PetscCall(PetscOptionsString("-mat_spmm_plan", "Load this plan instead of an inspection", "spmm/petsc.h",
                                 matrix->file, matrix->file, sizeof matrix->file, NULL));
    PetscCall(PetscOptionsString("-mat_spmm_device", "Where products run: cpu or the number of a GPU",
                                 "spmm/petsc.h", device, device, sizeof device, NULL));
    PetscCall(PetscOptionsInt("-mat_spmm_threads", "Threads on the CPU; 0: OpenMP's default", "spmm/petsc.h",
                              threads, &threads, NULL));
    PetscOptionsEnd();
    PetscCall(device_of(device, &matrix->device));
    PetscCheck(threads >= 0 && threads <= 1024, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-mat_spmm_threads: expected 0 to 1024, found %" PetscInt_FMT, threads);
    matrix->threads = (int)threads;
    matrix->has_options = 1;
    PetscFunctionReturn(0);
}

/* Products in another order than the matrix's are no products of a solver. */
static PetscErrorCode plan_check(const char *file, const spmm_plan_t *plan)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    PetscFunctionBegin;
    (void)spmm_plan_info(plan, &info);
    PetscCheck(info.a_type == SPMM_F64, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "%s: expected a plan of f64 (spmm-inspect --dtype f64), found %s", file,
               spmm_dtype_name(info.a_type));
    (void)spmm_plan_symmetric_permutation(plan, &permutation, &count);
    PetscCheck(permutation == NULL, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "%s: expected a plan in the order of the matrix, found one with a symmetric permutation",
               file);
    for (int part = 0; part < info.part_count; part++)
        PetscCheck(spmm_plan_row_permutation(plan, part, &permutation, &count) != SPMM_OK, PETSC_COMM_SELF,
                   PETSC_ERR_ARG_INCOMP,
                   "%s: expected a plan in the order of the matrix, found one that permutes its output",
                   file);
    PetscFunctionReturn(0);
}

static PetscErrorCode plan_load(const struct petsc_matrix *matrix, const spmm_csr_t *csr,
                                struct petsc_plan *made)
{
    spmm_diag_t diag = {.text = ""};
    PetscFunctionBegin;
    made->is_loaded = 1;
    made->ops = OPS_ALL;
    SPMM_PETSC_CALL_OF(matrix->file, ": ", spmm_plan_load(matrix->file, NULL, &made->plan, &diag), diag);
    PetscCall(plan_check(matrix->file, made->plan));
    SPMM_PETSC_CALL_OF(matrix->file, ": ", spmm_plan_matches(made->plan, csr, 0, &diag), diag);
    PetscFunctionReturn(0);
}

static PetscErrorCode plan_make(const struct petsc_matrix *matrix, uint32_t ops, const spmm_csr_t *csr,
                                struct petsc_plan *made)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_csr_t pattern = *csr;
    spmm_matrix_t *input = NULL;
    spmm_diag_t diag = {.text = ""};
    PetscFunctionBegin;
    pattern.values = NULL;
    SPMM_PETSC_CALL(spmm_matrix_from_csr(&pattern, &input, &diag), diag);
    options.a_type = SPMM_F64;
    options.layouts = SPMM_LAYOUTS_COL_MAJOR;
    options.ops = ops;
    options.device = matrix->device == SPMM_DEVICE_CPU ? "cpu" : "any";
    options.pattern_only = 1;
    options.threads = matrix->threads;
    const spmm_status_t status = spmm_inspect(input, &options, &made->plan, &diag);
    spmm_matrix_destroy(input);
    SPMM_PETSC_CALL(status, diag);
    made->ops = ops;
    PetscFunctionReturn(0);
}

static PetscErrorCode plan_join(Mat a, uint32_t ops, const spmm_csr_t *csr, struct petsc_matrix *matrix)
{
    PetscFunctionBegin;
    matrix->plan = calloc(1, sizeof *matrix->plan);
    PetscCheck(matrix->plan != NULL, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a plan");
    matrix->plan->users = 1;
    const PetscErrorCode error = matrix->file[0] != '\0' ? plan_load(matrix, csr, matrix->plan)
                                                         : plan_make(matrix, ops, csr, matrix->plan);
    if (error != 0)
        spmmi_petsc_forget(matrix);
    PetscCall(error);
    PetscCall(PetscInfo(a, "plan %s\n", matrix->file[0] != '\0' ? matrix->file : "by inspection"));
    PetscFunctionReturn(0);
}

/* Whether the plan there is fits the matrix as it is now; a loaded one has to. */
static PetscErrorCode plan_keep(const struct petsc_matrix *matrix, const spmm_csr_t *csr, int *keeps)
{
    spmm_diag_t diag = {.text = ""};
    PetscFunctionBegin;
    const spmm_status_t status = spmm_plan_matches(matrix->plan->plan, csr, 0, &diag);
    *keeps = status == SPMM_OK;
    if (status != SPMM_ERR_MISMATCH || matrix->plan->is_loaded)
        SPMM_PETSC_CALL_OF(matrix->file, matrix->plan->is_loaded ? ": " : "", status, diag);
    PetscFunctionReturn(0);
}

static PetscErrorCode executor_make(struct petsc_matrix *matrix)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_diag_t diag = {.text = ""};
    PetscFunctionBegin;
    options.threads = matrix->threads;
    options.new_values = 1; /* they are set right behind this */
    if (matrix->device >= 0)
        SPMM_PETSC_CALL(gpu_select(matrix->device, &diag), diag);
    SPMM_PETSC_CALL(
        spmm_executor_create(matrix->plan->plan, matrix->device, &options, &matrix->executor, &diag), diag);
    PetscFunctionReturn(0);
}

static PetscErrorCode renew_from(Mat a, spmm_op_t op, const spmm_csr_t *csr, struct petsc_matrix *matrix)
{
    spmm_diag_t diag = {.text = ""};
    uint32_t ops = 1u << op;
    int keeps = 0;
    PetscFunctionBegin;
    if (matrix->plan != NULL) {
        PetscCall(plan_keep(matrix, csr, &keeps));
        ops |= matrix->plan->ops;
        keeps = keeps && ops == matrix->plan->ops;
    }
    if (!keeps) {
        spmmi_petsc_forget(matrix);
        PetscCall(plan_join(a, ops, csr, matrix));
    }
    if (matrix->executor == NULL)
        PetscCall(executor_make(matrix));
    SPMM_PETSC_CALL(spmm_executor_set_values(matrix->executor, csr->values, NULL, &diag), diag);
    PetscFunctionReturn(0);
}

static PetscErrorCode renew(Mat a, spmm_op_t op, struct petsc_matrix *matrix)
{
    PetscInt rows = 0, cols = 0, count = 0;
    const PetscInt *row_ptr = NULL, *col_ind = NULL;
    const PetscScalar *values = NULL;
    PetscBool is_done = PETSC_FALSE;
    const spmm_itype_t itype = sizeof(PetscInt) == 8 ? SPMM_I64 : SPMM_I32;
    PetscFunctionBegin;
    PetscCall(options_read(a, matrix));
    PetscCall(MatGetSize(a, &rows, &cols));
    PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &count, &row_ptr, &col_ind, &is_done));
    PetscCheck(is_done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the matrix does not give its CSR arrays");
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    const spmm_csr_t csr = {rows, cols, row_ptr[rows], itype, itype, row_ptr, col_ind, SPMM_F64, values};
    const PetscErrorCode error = renew_from(a, op, &csr, matrix);
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &count, &row_ptr, &col_ind, &is_done));
    PetscCall(error);
    PetscFunctionReturn(0);
}

PetscErrorCode spmmi_petsc_ready(Mat a, spmm_op_t op, struct petsc_matrix **matrix)
{
    PetscObjectState state = 0;
    struct petsc_matrix *found = NULL;
    PetscFunctionBegin;
    PetscCall(spmmi_petsc_matrix(a, &found));
    PetscCall(PetscObjectStateGet((PetscObject)a, &state));
    const int has_op = found->plan != NULL && (found->plan->ops & (1u << op)) != 0;
    if (found->executor == NULL || found->state != state || !has_op) {
        PetscCall(renew(a, op, found));
        found->state = state;
    }
    *matrix = found;
    PetscFunctionReturn(0);
}
