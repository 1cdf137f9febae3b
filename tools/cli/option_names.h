/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of the library name members of spmm_inspect_options_t: which options of spmm-inspect set them? */
#ifndef SPMM_TOOLS_OPTION_NAMES_H
#define SPMM_TOOLS_OPTION_NAMES_H

#include <spmm/common.h>

/* Add " (--OPTION)", or several, to the sentence, for the members that it names. Nothing without a sentence. */
void option_names_add(spmm_diag_t *diag);

#endif
