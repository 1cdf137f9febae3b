/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of newer libraries: who wrote them, and what to do. */
#ifndef SPMMI_PLAN_NEWER_H
#define SPMMI_PLAN_NEWER_H

#include "plan_header.h"

/* Behind the sentence of a FEATURE or VERSION: the version of this library, that of the plan's writer where its section
 * can be read, and the advice to update. bytes: as much of the file as there is, a whole header at least. diag may be
 * NULL. */
void spmmi_newer_explain(const uint8_t *bytes, uint64_t size, spmm_diag_t *diag);

#endif
