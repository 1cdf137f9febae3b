/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the best candidate by measured or predicted time. */
#include <math.h>

#include "search.h"

/* Candidates whose predictions differ by less than this factor tie. The family listed first in
 * format/family_list.def wins a tie: simpler kernels pack faster and need less memory, and measurements vary
 * by as much. */
#define TIE 1.005
#define US_PER_SECOND 1e6

static bool any_measured(const struct spmmi_search *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].refused == 0 && s->list[i].measured_us > 0)
            return true;
    return false;
}

double spmmi_search_value(const struct spmmi_search *s, const struct spmmi_candidate *c)
{
    if (c->refused != 0)
        return (double)INFINITY;
    if (any_measured(s))
        return c->measured_us > 0 ? c->measured_us / US_PER_SECOND : (double)INFINITY;
    return c->weighed > 0 ? c->weighed : (double)INFINITY;
}

/* Returns the best candidate of the first family, in list order, that has one within a tie of the least time.
 * If nothing is predicted, returns a family's default. */
const struct spmmi_candidate *spmmi_search_choose(const struct spmmi_search *s)
{
    double least = (double)INFINITY;
    const struct spmmi_candidate *best = NULL;
    for (int i = 0; i < s->count; i++)
        least = fmin(least, spmmi_search_value(s, &s->list[i]));
    for (int i = 0; i < s->count && !isfinite(least); i++)
        if (s->list[i].refused == 0 && s->list[i].is_default)
            return &s->list[i];
    const double tie = any_measured(s) ? 1 : TIE;
    for (int f = 0; spmmi_family_at(f) != NULL && best == NULL && isfinite(least); f++)
        for (int i = 0; i < s->count; i++) {
            const struct spmmi_candidate *const c = &s->list[i];
            const double value = spmmi_search_value(s, c);
            if (c->family == spmmi_family_at(f)->id && value <= tie * least &&
                (best == NULL || value < spmmi_search_value(s, best)))
                best = c;
        }
    return best;
}
