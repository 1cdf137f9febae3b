/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches decided, before it is known whether a plan has room for all of it: variants, with what they lose by
 * each other's kernels, and parts. */
#ifndef SPMMI_SEARCH_DRAFT_H
#define SPMMI_SEARCH_DRAFT_H

#include "search.h"

struct spmmi_draft_variant {
    struct spmmi_variant of; /* its parts are those of the draft */
    uint32_t group;          /* variants of one op, device and type follow each other */
    int decision;            /* the one of the group whose winner it runs */
    bool is_measured;
    double
        loss[SPMMI_DECISION_MAX]; /* by the winners of the group's decisions, as of struct spmmi_decision */
    struct spmmi_trace records[SPMMI_RECORD_MAX];
    int record_count;
};

struct spmmi_draft {
    struct spmmi_draft_variant *variants; /* owned, as all below */
    struct spmmi_part *parts;
    bool *is_needed; /* of each part: set by spmmi_draft_parts_needed */
    uint32_t variant_count, part_count, group_count;
    uint32_t reserves[2]; /* parts that stay, whatever variants name; at most one of each op */
    uint32_t reserve_count;
    uint32_t
        sharing; /* GPUs, all of which have to have a variant before it becomes one for any device; 0: none does */
};

/* An empty one with room for what so many groups may need; spmmi_draft_close always follows. MEMORY. */
spmm_status_t spmmi_draft_open(int groups, struct spmmi_draft *draft, spmm_diag_t *diag);
void spmmi_draft_close(struct spmmi_draft *draft);

/* A part, and the long rows behind it where count is 2: *index is that of an equal one that is there, whatever device
 * it was made for, or of a new one. The items belong to the draft from now on. */
void spmmi_draft_add_parts(struct spmmi_draft *draft, struct spmmi_part *made, uint32_t count,
                           uint32_t *index);
/* The part stays, whatever variants name: where the library of their family is missing, the executor runs it. */
void spmmi_draft_keep(struct spmmi_draft *draft, uint32_t part);
/* From now on the first such part of the first family for this op that a variant of a GPU names. False: there is none;
 * what the CPU alone runs may be slow on a GPU. */
bool spmmi_draft_keep_first_family(struct spmmi_draft *draft, spmm_op_t op);

/* From now on a variant that every GPU of the draft has, two or more, becomes one for any device. What only some of
 * them have does not: the others would take it too. */
void spmmi_draft_share(struct spmmi_draft *draft);

/* Does this one become one for any device, with one of each GPU? */
bool spmmi_draft_is_shared(const struct spmmi_draft *draft, uint32_t variant);
/* The variant of a group that becomes one with this one; variant_count: there is none. */
uint32_t spmmi_draft_alike(const struct spmmi_draft *draft, uint32_t variant, uint32_t group);

/* Variants, but for those of which one for any device says the same, whichever comes first, or where GPUs share, that
 * of the first of them. */
uint32_t spmmi_draft_variants_needed(const struct spmmi_draft *draft);
/* Groups that have such variants. */
uint32_t spmmi_draft_groups_needed(const struct spmmi_draft *draft);
/* Parts of these variants, and reserves. */
uint32_t spmmi_draft_parts_needed(struct spmmi_draft *draft);

/* What is needed becomes the plan's: it fits. Reserves come before other parts of their op and family: where a library
 * is missing, the executor runs the first, whoever else runs it. */
void spmmi_draft_write(struct spmmi_draft *draft, spmm_plan_t *plan);

#endif
