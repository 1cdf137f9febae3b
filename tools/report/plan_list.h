/* SPDX-License-Identifier: Apache-2.0 */
/* Several plans: loaded one after another, a line of each. */
#ifndef SPMM_TOOLS_PLAN_LIST_H
#define SPMM_TOOLS_PLAN_LIST_H

#include <spmm/plan.h>

/* Loads each of the files; those that cannot be are named on stderr. prints: a table on stdout. Returns the highest
 * exit status of all. */
int plan_list(const char *program, char **files, int count, const spmm_load_options_t *load, int prints);

#endif
