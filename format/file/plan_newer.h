/* SPDX-License-Identifier: Apache-2.0 */
/* Explanation of failures to load plans of newer libraries. */
#ifndef SPMMI_PLAN_NEWER_H
#define SPMMI_PLAN_NEWER_H

#include "plan_header.h"

/* Appends to the message of a FEATURE or VERSION failure: the writer of the plan, if its section can be read,
 * the version of this library, and the advice to update. bytes holds at least the header, or more of the
 * file. diag may be NULL. */
void spmmi_newer_explain(const uint8_t *bytes, uint64_t size, spmm_diag_t *diag);

#endif
