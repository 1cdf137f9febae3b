/* SPDX-License-Identifier: Apache-2.0 */
/* The draft of a plan: all variants and parts that the searches decided, before it is known whether a plan
 * can hold them. Each variant stores what it loses if it runs the kernel of another decision. */
#ifndef SPMMI_SEARCH_DRAFT_H
#define SPMMI_SEARCH_DRAFT_H

#include "search.h"

struct spmmi_draft_variant {
    struct spmmi_variant of; /* its part_first is an index of the draft's parts */
    uint32_t group;          /* variants of one op, device and type; they are consecutive */
    int decision;            /* the decision of the group whose winner this variant runs */
    bool is_measured;
    /* As in struct spmmi_decision, per decision of the group. */
    double loss[SPMMI_DECISION_MAX];
    struct spmmi_trace records[SPMMI_RECORD_MAX];
    int record_count;
};

struct spmmi_draft {
    struct spmmi_draft_variant *variants; /* the draft owns this array and those below */
    struct spmmi_part *parts;
    bool *is_needed; /* per part; set by spmmi_draft_parts_needed */
    uint32_t variant_count, part_count, group_count;
    /* Parts that stay even if no variant uses them; at most one per op. */
    uint32_t reserves[2];
    uint32_t reserve_count;
    /* Number of GPUs that must all have a variant before it becomes one for any device; 0: no variants are
     * shared. */
    uint32_t sharing;
};

/* Makes an empty draft that can hold the variants and parts of `groups` groups. Call spmmi_draft_close in any
 * case. Errors: MEMORY. */
spmm_status_t spmmi_draft_open(int groups, struct spmmi_draft *draft, spmm_diag_t *diag);
void spmmi_draft_close(struct spmmi_draft *draft);

/* Adds a part, followed by its long rows if count is 2. If the draft already has an equal part, made for
 * whatever device, *index is its index; else that of the new part. Takes ownership of the items. */
void spmmi_draft_add_parts(struct spmmi_draft *draft, struct spmmi_part *made, uint32_t count,
                           uint32_t *index);
/* Makes `part` a reserve: it stays even if no variant uses it. The executor runs it if the library of a
 * variant's family is missing. */
void spmmi_draft_keep(struct spmmi_draft *draft, uint32_t part);
/* Unless the op has a reserve, makes one of the first part of the first family that a variant of the op for a
 * GPU or for any device runs. Returns false if the op still has no reserve; parts that only the CPU runs do
 * not count, as they may be slow on a GPU. */
bool spmmi_draft_keep_first_family(struct spmmi_draft *draft, spmm_op_t op);

/* From now on, a variant that all GPUs of the draft have (two or more) becomes one for any device. A variant
 * that only some GPUs have does not, because the others would use it too. */
void spmmi_draft_share(struct spmmi_draft *draft);

/* Returns true if this variant is merged with equal variants of all other GPUs into one for any device. */
bool spmmi_draft_is_shared(const struct spmmi_draft *draft, uint32_t variant);
/* Returns the index of the variant of `group` that is merged with `variant` into one for any device;
 * variant_count if there is none. */
uint32_t spmmi_draft_alike(const struct spmmi_draft *draft, uint32_t variant, uint32_t group);

/* Returns the number of variants that the plan needs. A variant is not needed if one for any device runs the
 * same part for its op, range of n and layouts, or if it is shared and not the first of its equals. */
uint32_t spmmi_draft_variants_needed(const struct spmmi_draft *draft);
/* Returns the number of groups that have needed variants. */
uint32_t spmmi_draft_groups_needed(const struct spmmi_draft *draft);
/* Marks the parts that needed variants or reserves use in is_needed, and returns their number. */
uint32_t spmmi_draft_parts_needed(struct spmmi_draft *draft);

/* Moves the needed variants, records and parts into the plan, which must be able to hold them. Reserves
 * precede other parts of their op and family: if a library is missing, the executor runs the first such
 * part. */
void spmmi_draft_write(struct spmmi_draft *draft, spmm_plan_t *plan);

#endif
