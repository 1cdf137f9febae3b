/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that a caller named, against the parts of a plan. An instance has two halves: words that a part answers
 * for ("-48/p32/reordered", any number of them from the first on), which choose the part, and a last one of the launch
 * ("r8"), which the family takes. */
#ifndef SPMMI_FORCED_KERNEL_H
#define SPMMI_FORCED_KERNEL_H

#include "parts.h"

struct spmmi_forced {
    const char *name;                  /* the caller's */
    const struct spmmi_kernel *kernel; /* NULL: none is forced */
    int has_schedule;                  /* 0: any schedule of the family; kernel is the first */
    const char *words;                 /* of the part, and how many bytes of them; in name */
    size_t length;
    const char *suffix; /* of the launch, in name; "": none */
};

/* name may be NULL; else spmmi_kernel_find has found it in this table. */
void spmmi_forced_read(const struct spmmi_kernel *kernels, const char *name, struct spmmi_forced *forced);

/* 2: the part has this name; 1: it is of this kernel, but its words are others; 0: it is of another kernel.
 * index: in the plan, or SPMMI_PART_MADE. */
int spmmi_forced_fit(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                     const struct spmmi_part *part, uint32_t index);

/* The part that fits best, the variant's own before others, which have no flags but those allowed.
 * SPMMI_PART_MADE: there is none of this kernel. */
uint32_t spmmi_forced_part(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                           const struct spmmi_variant *variant, uint32_t allowed);

/* The words must be those of one part that will run: parts of the other op may have others. Errors: ARGUMENT. */
spmm_status_t spmmi_forced_check(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                                 const struct spmmi_parts *parts, spmm_diag_t *diag);

#endif
