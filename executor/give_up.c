/* SPDX-License-Identifier: Apache-2.0 */
/* See give_up.h. */
#include "give_up.h"

_Static_assert(SPMMI_VARIANT_MAX <= 64, "variants are bits of a uint64_t");

/* Time of the product that the variant was chosen for, by the part of another one: measured where it was, else
 * predicted. The trace has the best candidate of most families; of others as long as its slowest. 0: it has no time. */
static double time_by(const struct spmmi_typed_plan *typed, uint32_t variant, const struct spmmi_part *part)
{
    const struct spmm_plan *p = &typed->plan;
    double least = 0, most = 0;
    for (uint32_t t = 0; t < p->trace_count; t++) {
        const struct spmmi_trace *step = &p->trace[t];
        const double us = step->measured_us > 0 ? step->measured_us : step->predicted_us;
        if (step->variant != typed->variant_of[variant] || !(us > 0))
            continue;
        most = us > most ? us : most;
        if (step->family == part->family && step->schedule == part->schedule && (least == 0 || us < least))
            least = us;
    }
    return least > 0 ? least : most;
}

struct successor {
    uint32_t variant; /* whose part it is */
    double us;
};

/* The fastest of other parts for a variant; false: there is none. */
static bool find_successor(const struct spmmi_typed_plan *typed, uint32_t variant, struct successor *found)
{
    const struct spmm_plan *p = &typed->plan;
    const struct spmmi_variant *v = &p->variants[variant];
    bool is_there = false;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        const struct spmmi_variant *other = &p->variants[i];
        if (other->op != v->op || other->part_first == v->part_first)
            continue;
        if (((p->parts[other->part_first].flags ^ p->parts[v->part_first].flags) &
             SPMMI_PART_PERMUTES_OUTPUT) != 0)
            continue;
        const double us = time_by(typed, variant, &p->parts[other->part_first]);
        if (!is_there || us < found->us)
            *found = (struct successor){i, us};
        is_there = true;
    }
    return is_there;
}

/* What the variants of a part lose by their successors, in times of their products; false: one has none. */
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
        const double own = time_by(typed, i, &p->parts[part]);
        *loss += own > 0 && next.us > own ? next.us / own - 1 : 0;
    }
    return true;
}

bool spmmi_plan_give_up(struct spmmi_typed_plan *typed, const uint64_t bytes[SPMMI_PART_MAX],
                        uint64_t *given_up)
{
    struct spmm_plan *const p = &typed->plan;
    uint32_t part = SPMMI_PART_MAX;
    double least = 0;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        const uint32_t first = p->variants[i].part_first;
        double loss;
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
    const struct spmmi_typed_plan before = *typed;
    for (uint32_t i = 0; i < p->variant_count; i++) {
        struct successor next = {i, 0};
        if (before.plan.variants[i].part_first != part || !find_successor(&before, i, &next))
            continue;
        const struct spmmi_variant *by = &before.plan.variants[next.variant];
        p->variants[i].part_first = by->part_first;
        p->variants[i].part_count = by->part_count;
        p->variants[i].compute = by->compute;
        *given_up |= UINT64_C(1) << i;
    }
    return true;
}
