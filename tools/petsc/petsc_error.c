/* SPDX-License-Identifier: Apache-2.0 */
/* See petsc_error.h. */
#include "petsc_error.h"

PetscErrorCode spmmi_petsc_code(spmm_status_t status)
{
    switch (status) {
    case SPMM_ERR_MEMORY:
    case SPMM_ERR_DEVICE_MEMORY:
    case SPMM_ERR_PLAN_BUDGET:
        return PETSC_ERR_MEM;
    case SPMM_ERR_IO:
        return PETSC_ERR_FILE_OPEN;
    case SPMM_ERR_MISMATCH:
        return PETSC_ERR_ARG_INCOMP;
    case SPMM_ERR_CSR:
        return PETSC_ERR_ARG_WRONG;
    case SPMM_ERR_UNSUPPORTED:
    case SPMM_ERR_NO_VARIANT:
    case SPMM_ERR_NO_DEVICE:
        return PETSC_ERR_SUP;
    default:
        return status >= SPMM_ERR_PLAN_MAGIC && status < SPMM_ERR_MATRIX_SYNTAX ? PETSC_ERR_FILE_UNEXPECTED
                                                                                : PETSC_ERR_LIB;
    }
}
