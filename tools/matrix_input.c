/* SPDX-License-Identifier: Apache-2.0 */
/* See matrix_input.h. */
#include "matrix_input.h"

#include <string.h>
#include <unistd.h>

/* Three quarters of the machine's memory, 0 where it does not say. */
static uint64_t budget_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)page_bytes : 0;
}

spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    if (strncmp(argument, "gen:", 4) == 0)
        return spmm_matrix_generate(argument, matrix, diag);
    spmm_read_options_t limited = *options;
    if (limited.budget_bytes == 0)
        limited.budget_bytes = budget_default();
    return spmm_matrix_load(argument, &limited, matrix, diag);
}
