/* SPDX-License-Identifier: Apache-2.0 */
/* Lists several plans, which are loaded one after another. */
#ifndef SPMM_TOOLS_PLAN_LIST_H
#define SPMM_TOOLS_PLAN_LIST_H

#include <spmm/plan.h>

/* Loads each file and reports on stderr those that cannot be loaded. If prints is not 0, prints a table on
 * stdout. Returns the highest exit status. */
int plan_list(const char *program, char **files, int count, const spmm_load_options_t *load, int prints);

#endif
