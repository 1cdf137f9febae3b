/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts of spmm-inspect about kernels, made from the library's list of kernels. */
#ifndef SPMM_TOOLS_INSPECT_HELP_H
#define SPMM_TOOLS_INSPECT_HELP_H

#include "families.h"

#define INSPECT_HELP_BYTES 800

enum {
    HELP_COMPUTE,
    HELP_SCHEDULE,
    HELP_KERNEL,
    HELP_BALANCE,
    HELP_LONG_ROWS,
    HELP_BLOCK_ROWS,
    HELP_BLOCKS,
    HELP_STAGE_SLOTS,
    HELP_COUNT
};

/* Help text of each option; empty before inspect_help_make. */
extern char inspect_help[HELP_COUNT][INSPECT_HELP_BYTES];
/* Names of all families, to suggest. */
extern struct cli_choice inspect_families[FAMILIES_CHOICES];
void inspect_help_make(void);

#endif
