/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the name of a forced kernel with the parts of a plan. The instance of a name has two halves. The
 * first words belong to the part ("-48/p32/reordered", or fewer of them from the first on) and select it. The
 * last word belongs to the launch ("r8") and is passed to the family. */
#ifndef SPMMI_FORCED_KERNEL_H
#define SPMMI_FORCED_KERNEL_H

#include "parts.h"

struct spmmi_forced {
    const char *name;                  /* as the caller gave it */
    const struct spmmi_kernel *kernel; /* NULL: no kernel is forced */
    int has_schedule;                  /* 0: any schedule of the family; kernel has the first one */
    const char *words;                 /* words of the part: length bytes inside name */
    size_t length;
    const char *suffix; /* word of the launch, inside name; "": none */
};

/* Splits name, which is NULL or a name that spmmi_kernel_find finds in this table. */
void spmmi_forced_read(const struct spmmi_kernel *kernels, const char *name, struct spmmi_forced *forced);

/* Returns how well a part matches: 2 if it has this name, 1 if it has this kernel but other words, 0 if it
 * has another kernel. index is its index in the plan, or SPMMI_PART_MADE. */
int spmmi_forced_fit(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                     const struct spmmi_part *part, uint32_t index);

/* Returns the index of the part that fits best; the variant's own part wins ties. Other parts may have no
 * flags except those in `allowed`. SPMMI_PART_MADE: no part has this kernel. */
uint32_t spmmi_forced_part(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                           const struct spmmi_variant *variant, uint32_t allowed);

/* Checks that at least one part that will run has the forced words; parts of the other op may have other
 * words. Errors: ARGUMENT. */
spmm_status_t spmmi_forced_check(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                                 const struct spmmi_parts *parts, spmm_diag_t *diag);

#endif
