/* SPDX-License-Identifier: Apache-2.0 */
/* The products that an executor is for, and the variants of a plan that they reach. */
#ifndef SPMMI_WANTED_H
#define SPMMI_WANTED_H

#include "format/plan.h"

/* As in spmm_executor_options_t. */
struct spmmi_wanted {
    int64_t n_min, n_max;  /* n_max = 0: any */
    uint32_t ops, layouts; /* 0: any */
};

static const struct spmmi_wanted spmmi_wanted_all = {0, 0, 0, 0};

static inline int spmmi_wanted_is_all(const struct spmmi_wanted *wanted)
{
    return wanted->n_min == 0 && wanted->n_max == 0 && wanted->ops == 0 && wanted->layouts == 0;
}

/* Sets reached[i] to 1 if spmmi_variant_pick can return i for a wanted product on this target, else to 0.
 * Variants that are not reached need no part. */
void spmmi_wanted_reach(const spmm_plan_t *plan, uint32_t target, const struct spmmi_wanted *wanted,
                        int reached[SPMMI_VARIANT_MAX]);

#endif
