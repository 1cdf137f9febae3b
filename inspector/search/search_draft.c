/* SPDX-License-Identifier: Apache-2.0 */
/* See search_draft.h. */
#include "search_draft.h"

#include <assert.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

/* The trace can hold every record of two ops on a GPU and on the CPU beside it, except when wide n has three
 * ranges. The CPU has less than half as many records, because only the family rows is predicted for it. If a
 * trace is full nevertheless, records of losers are dropped (add_records). */
static_assert(2 * SPMMI_DECISION_USUAL * (SPMMI_RECORD_MAX - 1) * 3 / 2 + SPMMI_VARIANT_MAX <=
                  SPMMI_TRACE_MAX,
              "every record has its entry");

spmm_status_t spmmi_draft_open(int groups, struct spmmi_draft *draft, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t variants = (uint64_t)groups * SPMMI_DECISION_MAX;
    const uint64_t parts = 2 * (variants + (uint64_t)groups); /* 2: with long rows; one reserve per group */
    *draft = (struct spmmi_draft){.variants = spmmi_alloc(variants, sizeof *draft->variants),
                                  .parts = spmmi_alloc(parts, sizeof *draft->parts),
                                  .is_needed = spmmi_alloc(parts, sizeof *draft->is_needed)};
    SPMM_TRY_ALLOC(draft->variants, diag);
    SPMM_TRY_ALLOC(draft->parts, diag);
    SPMM_TRY_ALLOC(draft->is_needed, diag);
cleanup:
    return status;
}

void spmmi_draft_close(struct spmmi_draft *draft)
{
    for (uint32_t i = 0; i < draft->part_count; i++)
        spmmi_free(draft->parts[i].items);
    spmmi_free(draft->variants);
    spmmi_free(draft->parts);
    spmmi_free(draft->is_needed);
    *draft = (struct spmmi_draft){.variants = NULL};
}

/* ---- Parts ---- */

static bool are_equal(const struct spmmi_part *a, const struct spmmi_part *b)
{
    return a->op == b->op && a->family == b->family && a->schedule == b->schedule &&
           a->item_size == b->item_size && a->block_rows == b->block_rows &&
           a->stage_slots == b->stage_slots && a->flags == b->flags && a->item_count == b->item_count &&
           (a->item_count == 0 || memcmp(a->items, b->items, a->item_count * sizeof *a->items) == 0);
}

static bool is_long_rows(const struct spmmi_draft *draft, uint32_t part)
{
    return part < draft->part_count && (draft->parts[part].flags & SPMMI_PART_LONG_ROWS) != 0;
}

/* Returns the index of a part of the draft that equals `made` and has equal long rows, or none like `made`;
 * part_count if there is no such part. */
static uint32_t find_part(const struct spmmi_draft *draft, const struct spmmi_part *made, uint32_t count)
{
    uint32_t i = 0;
    for (; i < draft->part_count; i++)
        if (is_long_rows(draft, i + 1) == (count > 1) && are_equal(&draft->parts[i], made) &&
            (count == 1 || are_equal(&draft->parts[i + 1], &made[1])))
            break;
    return i;
}

void spmmi_draft_add_parts(struct spmmi_draft *draft, struct spmmi_part *made, uint32_t count,
                           uint32_t *index)
{
    *index = find_part(draft, made, count);
    if (*index == draft->part_count) {
        memcpy(&draft->parts[draft->part_count], made, count * sizeof *made);
        draft->part_count += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        spmmi_free(made[i].items);
}

void spmmi_draft_keep(struct spmmi_draft *draft, uint32_t part)
{
    draft->reserves[draft->reserve_count++] = part;
}

static bool is_of_first_family(const struct spmmi_draft *draft, uint32_t part, spmm_op_t op)
{
    const struct spmmi_part *const p = &draft->parts[part];
    return p->op == op && p->family == spmmi_family_at(0)->id && !is_long_rows(draft, part);
}

bool spmmi_draft_keep_first_family(struct spmmi_draft *draft, spmm_op_t op)
{
    for (uint32_t i = 0; i < draft->reserve_count; i++)
        if (draft->parts[draft->reserves[i]].op == op)
            return true;
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const struct spmmi_variant *const v = &draft->variants[i].of;
        if (v->target == SPMMI_TARGET_CPU || !is_of_first_family(draft, v->part_first, op))
            continue;
        spmmi_draft_keep(draft, v->part_first);
        return true;
    }
    return false;
}

/* ---- Which variants and parts the plan needs ---- */

static bool run_the_same(const struct spmmi_variant *u, const struct spmmi_variant *v)
{
    return u->op == v->op && u->compute == v->compute && u->part_first == v->part_first;
}

static bool is_of_gpu(const struct spmmi_variant *v)
{
    return v->target != SPMMI_TARGET_ANY && v->target != SPMMI_TARGET_CPU;
}

/* Returns true if u and v are variants of specific GPUs that run the same part for the same range of n and
 * the same layouts. A variant of a GPU is alike to itself. */
static bool are_alike(const struct spmmi_variant *u, const struct spmmi_variant *v)
{
    return is_of_gpu(u) && is_of_gpu(v) && run_the_same(u, v) && u->n_min == v->n_min &&
           u->n_max == v->n_max && u->layouts == v->layouts;
}

/* Returns true if every GPU of the draft has this variant, so that it becomes one for any device. *first is
 * then the lowest index of these variants, the one that the plan keeps. */
static bool is_shared(const struct spmmi_draft *draft, uint32_t variant, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t i = draft->sharing > 0 ? draft->variant_count : 0; i-- > 0;)
        if (are_alike(&draft->variants[i].of, &draft->variants[variant].of)) {
            *first = i;
            count++;
        }
    return count > 0 && count == draft->sharing;
}

bool spmmi_draft_is_shared(const struct spmmi_draft *draft, uint32_t variant)
{
    uint32_t first = 0;
    return is_shared(draft, variant, &first);
}

uint32_t spmmi_draft_alike(const struct spmmi_draft *draft, uint32_t variant, uint32_t group)
{
    uint32_t i = 0;
    while (i < draft->variant_count && !(draft->variants[i].group == group &&
                                         are_alike(&draft->variants[i].of, &draft->variants[variant].of)))
        i++;
    return i;
}

void spmmi_draft_share(struct spmmi_draft *draft)
{
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const uint32_t target = draft->variants[i].of.target;
        uint32_t first = 0;
        while (draft->variants[first].of.target != target)
            first++;
        gpus += is_of_gpu(&draft->variants[i].of) && first == i;
    }
    draft->sharing = gpus > 1 ? gpus : 0;
}

/* Returns true if the plan does not need this variant, because a variant for any device (or one that becomes
 * such) says the same. */
static bool is_covered(const struct spmmi_draft *draft, uint32_t variant)
{
    const struct spmmi_variant *const v = &draft->variants[variant].of;
    uint32_t first = variant;
    for (uint32_t i = 0; i < draft->variant_count && v->target != SPMMI_TARGET_ANY; i++) {
        const struct spmmi_variant *const u = &draft->variants[i].of;
        if (u->target == SPMMI_TARGET_ANY && run_the_same(u, v) && u->n_min <= v->n_min &&
            u->n_max >= v->n_max && (v->layouts & ~u->layouts) == 0)
            return true;
    }
    return is_shared(draft, variant, &first) && first < variant;
}

uint32_t spmmi_draft_variants_needed(const struct spmmi_draft *draft)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < draft->variant_count; i++)
        count += !is_covered(draft, i);
    return count;
}

uint32_t spmmi_draft_groups_needed(const struct spmmi_draft *draft)
{
    uint32_t count = 0;
    uint32_t next = 0; /* all groups before this one have been counted or skipped */
    for (uint32_t i = 0; i < draft->variant_count; i++)
        if (draft->variants[i].group >= next && !is_covered(draft, i)) {
            next = draft->variants[i].group + 1;
            count++;
        }
    return count;
}

uint32_t spmmi_draft_parts_needed(struct spmmi_draft *draft)
{
    uint32_t count = 0;
    memset(draft->is_needed, 0, draft->part_count * sizeof *draft->is_needed);
    /* The part of a covered variant is also the part of another variant. */
    for (uint32_t i = 0; i < draft->variant_count; i++)
        for (uint32_t k = 0; k < draft->variants[i].of.part_count; k++)
            draft->is_needed[draft->variants[i].of.part_first + k] = true;
    for (uint32_t i = 0; i < draft->reserve_count; i++)
        draft->is_needed[draft->reserves[i]] = true;
    for (uint32_t i = 0; i < draft->part_count; i++)
        count += draft->is_needed[i];
    return count;
}

/* ---- The plan ---- */

/* Appends the records of a variant to the trace. Keeps an entry free for the winner of this and each later
 * variant: if the trace is nearly full, records of losers are dropped. */
static void add_records(const struct spmmi_draft_variant *v, spmm_plan_t *plan)
{
    uint32_t kept_free = SPMMI_VARIANT_MAX - plan->variant_count; /* for this and all later variants */
    bool is_awaited = true;
    for (int k = 0; k < v->record_count; k++) {
        if (v->records[k].chosen && is_awaited) {
            is_awaited = false;
            kept_free--;
        }
        if (plan->trace_count + kept_free >= SPMMI_TRACE_MAX)
            continue;
        plan->trace[plan->trace_count] = v->records[k];
        plan->trace[plan->trace_count++].variant = plan->variant_count;
    }
}

/* Updates an index after the part `from` has moved to the lower position `to`. */
static void move_index(uint32_t *index, uint32_t from, uint32_t to)
{
    if (*index == from)
        *index = to;
    else if (*index >= to && *index < from)
        ++*index;
}

/* Moves a reserve, which is a part of the first family, in front of all other needed parts of that family and
 * op. */
static void put_first(struct spmmi_draft *draft, uint32_t part)
{
    const struct spmmi_part moved = draft->parts[part];
    uint32_t first = 0;
    (void)spmmi_draft_parts_needed(draft);
    while (first < part && !(draft->is_needed[first] && is_of_first_family(draft, first, moved.op)))
        first++;
    memmove(&draft->parts[first + 1], &draft->parts[first], (part - first) * sizeof moved);
    draft->parts[first] = moved;
    for (uint32_t i = 0; i < draft->variant_count; i++)
        move_index(&draft->variants[i].of.part_first, part, first);
    for (uint32_t i = 0; i < draft->reserve_count; i++)
        move_index(&draft->reserves[i], part, first);
}

static uint32_t parts_before(const struct spmmi_draft *draft, uint32_t part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < part; i++)
        count += draft->is_needed[i];
    return count;
}

void spmmi_draft_write(struct spmmi_draft *draft, spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < draft->reserve_count; i++)
        put_first(draft, draft->reserves[i]);
    (void)spmmi_draft_parts_needed(draft);
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        if (is_covered(draft, i))
            continue;
        add_records(&draft->variants[i], plan);
        struct spmmi_variant *const v = &plan->variants[plan->variant_count++];
        *v = draft->variants[i].of;
        v->part_first = parts_before(draft, v->part_first);
        if (spmmi_draft_is_shared(draft, i))
            v->target = SPMMI_TARGET_ANY;
    }
    for (uint32_t i = 0; i < draft->part_count; i++)
        if (draft->is_needed[i]) {
            plan->parts[plan->part_count++] = draft->parts[i];
            draft->parts[i].items = NULL; /* now owned by the plan */
        }
}
