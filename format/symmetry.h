/* SPDX-License-Identifier: Apache-2.0 */
/* The symmetry of a square matrix: how the entries above and below the diagonal are related. */
#ifndef SPMMI_SYMMETRY_H
#define SPMMI_SYMMETRY_H

#include "format/plan.h"

#include <spmm/symmetry.h>
#include <stdbool.h>

struct spmmi_symmetry {
    int64_t pairs;             /* entries (i, j) with j > i that have a partner (j, i) */
    bool is_pattern;           /* the pattern is symmetric; if not, the two members below mean nothing */
    bool is_mirrored, is_skew; /* values of each pair: the same bits; the same except the sign bit */
};

/* Determines the symmetry of a plan. with_values: compares values too. next is scratch memory for rows + 1
 * elements. Stops at the first entry without a partner. */
struct spmmi_symmetry spmmi_symmetry_of(const spmm_plan_t *plan, bool with_values, int64_t *next);

#endif
