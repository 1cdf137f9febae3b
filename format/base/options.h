/* SPDX-License-Identifier: Apache-2.0 */
/* Options as callers hand them over: a struct whose first member is size_t struct_size, which says how much of it
 * the caller knows. A caller built against an older header knows a shorter one, and gets defaults for the rest. */
#ifndef SPMMI_OPTIONS_H
#define SPMMI_OPTIONS_H

#include <spmm/common.h>

/* Copy what the caller knows of given over the defaults in options, which has size bytes and keeps its own
 * struct_size; what the caller knows beyond size is left out. given may be NULL. Errors: ARGUMENT where struct_size
 * does not even cover itself. */
spmm_status_t spmmi_options_read(void *options, size_t size, const void *given, spmm_diag_t *diag);

#endif
