/* SPDX-License-Identifier: Apache-2.0 */
/* See give_up.h. */
#include "give_up.h"

_Static_assert(SPMMI_VARIANT_MAX <= 64, "variants are bits of a uint64_t");

/* The trace has one time for a family and schedule, however many parts of them exist. If the inspector
 * kept two such parts, each runs the variants of the other at least this many times slower:
 * SPMMI_SHARE_LOSS of inspector/search. */
#define TWIN_RATIO 1.05

/* Times of a product in us; 0: not known. */
struct times {
    double predicted, measured;
};

static void keep_less(double us, double *least)
{
    if (us > 0 && !(*least > 0 && *least <= us))
        *least = us;
}

/* Returns the times of the variant's product by the fastest candidate of the part's family and schedule. */
static struct times times_by(const struct spmmi_typed_plan *typed, uint32_t variant,
                             const struct spmmi_part *part)
{
    const struct spmm_plan *p = &typed->plan;
    struct times found = {0, 0};
    for (uint32_t t = 0; t < p->trace_count; t++) {
        const struct spmmi_trace *step = &p->trace[t];
        if (step->variant != typed->variant_of[variant] || step->family != part->family ||
            step->schedule != part->schedule)
            continue;
        keep_less(step->predicted_us, &found.predicted);
        keep_less(step->measured_us, &found.measured);
    }
    return found;
}

/* Returns the time of the variant's slowest candidate: the estimate for candidates
 * without a time in the trace. */
static double slowest_of(const struct spmmi_typed_plan *typed, uint32_t variant)
{
    const struct spmm_plan *p = &typed->plan;
    double most = 0;
    for (uint32_t t = 0; t < p->trace_count; t++)
        if (p->trace[t].variant == typed->variant_of[variant] && p->trace[t].predicted_us > most)
            most = p->trace[t].predicted_us;
    return most;
}

/* Returns the time of the variant's product by this part over the time by its own part: from measurements if
 * both have one, else from predictions; 1 without either. */
static double ratio_by(const struct spmmi_typed_plan *typed, uint32_t variant, const struct spmmi_part *part)
{
    const struct spmm_plan *p = &typed->plan;
    const struct spmmi_part *own = &p->parts[p->variants[variant].part_first];
    const struct times mine = times_by(typed, variant, own), other = times_by(typed, variant, part);
    const double predicted = other.predicted > 0 ? other.predicted : slowest_of(typed, variant);
    if (own->family == part->family && own->schedule == part->schedule)
        return TWIN_RATIO;
    if (mine.measured > 0 && other.measured > 0)
        return other.measured / mine.measured;
    return mine.predicted > 0 ? predicted / mine.predicted : 1; /* if mine is known, so is the slowest */
}

/* Returns true if the part of `other` can run v. A part that permutes the rows of C cannot be exchanged. */
static bool can_succeed(const struct spmm_plan *p, const struct spmmi_variant *v,
                        const struct spmmi_variant *other)
{
    const uint32_t flags = p->parts[v->part_first].flags | p->parts[other->part_first].flags;
    return other->op == v->op && other->part_first != v->part_first &&
           (flags & SPMMI_PART_PERMUTES_OUTPUT) == 0;
}

struct successor {
    uint32_t variant; /* the variant that the part belongs to */
    double ratio;
};

/* Finds the fastest other part for a variant. Returns false if there is none. */
static bool find_successor(const struct spmmi_typed_plan *typed, uint32_t variant, struct successor *found)
{
    const struct spmm_plan *p = &typed->plan;
    bool is_there = false;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        if (!can_succeed(p, &p->variants[variant], &p->variants[i]))
            continue;
        const double ratio = ratio_by(typed, variant, &p->parts[p->variants[i].part_first]);
        if (!is_there || ratio < found->ratio)
            *found = (struct successor){i, ratio};
        is_there = true;
    }
    return is_there;
}

/* Sums up the relative slowdowns of the part's variants by their successors. Returns false
 * if one has no successor. */
static bool find_loss(const struct spmmi_typed_plan *typed, uint32_t part, double *loss)
{
    const struct spmm_plan *p = &typed->plan;
    struct successor next = {0, 0};
    *loss = 0;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        if (p->variants[i].part_first != part)
            continue;
        if (!find_successor(typed, i, &next))
            return false;
        *loss += next.ratio > 1 ? next.ratio - 1 : 0;
    }
    return true;
}

/* Makes the variants of this part run by their successors, which find_loss has found, and sets their bits in
 * *given_up. */
static void replace(struct spmmi_typed_plan *typed, uint32_t part, uint64_t *given_up)
{
    const struct spmmi_typed_plan before = *typed;
    for (uint32_t i = 0; i < before.plan.variant_count; i++) {
        struct successor next = {i, 0};
        if (before.plan.variants[i].part_first != part)
            continue;
        (void)find_successor(&before, i, &next);
        const struct spmmi_variant *by = &before.plan.variants[next.variant];
        typed->plan.variants[i].part_first = by->part_first;
        typed->plan.variants[i].part_count = by->part_count;
        typed->plan.variants[i].compute = by->compute;
        *given_up |= UINT64_C(1) << i;
    }
}

bool spmmi_plan_give_up(struct spmmi_typed_plan *typed, const uint64_t bytes[SPMMI_PART_MAX],
                        uint64_t *given_up)
{
    const struct spmm_plan *p = &typed->plan;
    uint32_t part = SPMMI_PART_MAX;
    double least = 0, loss;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        const uint32_t first = p->variants[i].part_first;
        if (!find_loss(typed, first, &loss))
            continue;
        const double of_byte = bytes[first] == SPMMI_TOO_LARGE ? -1 : loss / (double)(bytes[first] + 1);
        if (part == SPMMI_PART_MAX || of_byte < least) {
            part = first;
            least = of_byte;
        }
    }
    if (part == SPMMI_PART_MAX)
        return false;
    replace(typed, part, given_up);
    return true;
}
