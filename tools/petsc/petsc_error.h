/* SPDX-License-Identifier: Apache-2.0 */
/* From a status of spmm to an error of PETSc. */
#ifndef SPMM_PETSC_ERROR_H
#define SPMM_PETSC_ERROR_H

#include <petscsys.h>
#include <spmm/common.h>

/* The code of PETSc that is nearest. */
PetscErrorCode spmmi_petsc_code(spmm_status_t status);

/* Inside a function of PETSc's: return an error with the sentence of diag unless the call is OK. */
#define SPMM_PETSC_CALL(call, diag) SPMM_PETSC_CALL_OF("", "", call, diag)
/* The same, with the name of a file before the sentence. */
#define SPMM_PETSC_CALL_OF(file, colon, call, diag)                                                       \
    do {                                                                                                  \
        const spmm_status_t status_ = (call);                                                             \
        PetscCheck(status_ == SPMM_OK, PETSC_COMM_SELF, spmmi_petsc_code(status_), "%s%s%s (%s)", (file), \
                   (colon), (diag).text[0] != '\0' ? (diag).text : spmm_status_text(status_),             \
                   spmm_status_name(status_));                                                            \
    } while (0)

#endif
