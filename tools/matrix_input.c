/* SPDX-License-Identifier: Apache-2.0 */
/* See matrix_input.h. */
#include "matrix_input.h"

#include <string.h>

spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    if (strncmp(argument, "gen:", 4) == 0)
        return spmm_matrix_generate(argument, matrix, diag);
    return spmm_matrix_load(argument, options, matrix, diag);
}
