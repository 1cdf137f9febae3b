/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a plan new values, from a matrix with the same pattern or from an array. */
#ifndef SPMM_TOOLS_NEW_VALUES_H
#define SPMM_TOOLS_NEW_VALUES_H

#include <spmm/inspector.h>

/* Makes *updated. If path ends with .npy, the file has the values in the order of rows and columns of the
 * inspected matrix. Otherwise path names a matrix. If the patterns differ, fails with MISMATCH and reports
 * the first difference. */
spmm_status_t new_values_take(const spmm_plan_t *plan, const char *path, const spmm_read_options_t *read,
                              spmm_plan_t **updated, spmm_diag_t *diag);

#endif
