/* SPDX-License-Identifier: Apache-2.0 */
/* Translates members of spmm_inspect_options_t, which the library's sentences name, to options of
 * spmm-inspect. */
#ifndef SPMM_TOOLS_OPTION_NAMES_H
#define SPMM_TOOLS_OPTION_NAMES_H

#include <spmm/common.h>

/* Appends " (--OPTION, ..)" to the sentence, with the options of all members that it names. Does nothing if
 * the status is not ARGUMENT. */
void option_names_add(spmm_diag_t *diag);

#endif
