/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for a plan, from a matrix of the same pattern or from an array. */
#ifndef SPMM_TOOLS_NEW_VALUES_H
#define SPMM_TOOLS_NEW_VALUES_H

#include <spmm/inspector.h>

/* path ends with .npy: values in the order of the rows and columns of the matrix that was inspected; else it is a
 * matrix as command lines name them. MISMATCH says where patterns differ first. */
spmm_status_t new_values_take(const spmm_plan_t *plan, const char *path, const spmm_read_options_t *read,
                              spmm_plan_t **updated, spmm_diag_t *diag);

#endif
