/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel name of a part of the window, panel or bcsr family. */
#ifndef SPMMI_TCBLOCK_NAME_H
#define SPMMI_TCBLOCK_NAME_H

#include "format/plan.h"

/* Writes the name: TARGET/window/SCHEDULE, TARGET/panel/SCHEDULE/pROWS or TARGET/bcsr/SCHEDULE/pROWS. Then
 * follow /reordered if the rows are not in the order of A, /permuted if C is written in that order, /peeled
 * if long rows are split off, and the compute type: cpu/panel/dense/p128/tf32. A name has at most 51
 * characters if the target has four, because permuted parts have no long rows. */
void spmmi_tcblock_name(const char *target, const struct spmmi_part *part, spmm_compute_t compute,
                        int has_long_rows, char *text, size_t size);

#endif
