/* SPDX-License-Identifier: Apache-2.0 */
/* What a part of the window, panel or bcsr family is called where a kernel is named. */
#ifndef SPMMI_TCBLOCK_NAME_H
#define SPMMI_TCBLOCK_NAME_H

#include "format/plan.h"

/* TARGET/window/SCHEDULE, TARGET/panel/SCHEDULE/pROWS or TARGET/bcsr/SCHEDULE/pROWS; then /reordered where the rows are
 * in another order than that of A, /permuted where C is written in that order, /peeled where long rows are split off,
 * and the compute type: cpu/panel/dense/p128/tf32. At most 51 characters for a target of four, as permuted parts have
 * no long rows. */
void spmmi_tcblock_name(const char *target, const struct spmmi_part *part, spmm_compute_t compute,
                        int has_long_rows, char *text, size_t size);

#endif
