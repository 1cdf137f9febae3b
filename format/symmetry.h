/* SPDX-License-Identifier: Apache-2.0 */
/* How the entries of a square matrix above and below the diagonal are related. */
#ifndef SPMMI_SYMMETRY_H
#define SPMMI_SYMMETRY_H

#include "format/plan.h"

#include <spmm/symmetry.h>
#include <stdbool.h>

struct spmmi_symmetry {
    int64_t pairs;             /* entries (i, j) with j > i; each has its (j, i) */
    bool is_pattern;           /* the pattern is symmetric; else nothing below is set */
    bool is_mirrored, is_skew; /* values: equal bit by bit; equal but for the sign bit, the diagonal aside */
};

/* Of a plan. with_values: compare them too. next: room for rows + 1 row pointers. Stops at the first entry without a
 * partner. */
struct spmmi_symmetry spmmi_symmetry_of(const spmm_plan_t *plan, bool with_values, int64_t *next);

#endif
