/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and destruction of plans in memory, items of a part, and the choice of a variant. */
#include "plan.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"

spmm_plan_t *spmmi_plan_new(void)
{
    return spmmi_alloc_zero(1, sizeof(spmm_plan_t));
}

void spmm_plan_destroy(spmm_plan_t *plan)
{
    if (plan == NULL)
        return;
    for (uint32_t i = 0; i < plan->part_count; i++)
        spmmi_free(plan->parts[i].items);
    spmmi_spgemm_free(plan->product);
    spmmi_free(plan->permutation_metrics);
    spmmi_free(plan->symmetric_permutation);
    spmmi_free(plan->metadata);
    spmmi_free(plan->sections);
    spmmi_free(plan->trace);
    spmmi_free(plan->values);
    spmmi_free(plan->col_ind);
    spmmi_free(plan->row_ptr);
    spmmi_free(plan);
}

spmm_status_t spmmi_part_set_items(struct spmmi_part *part, uint64_t count, const uint32_t *order,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_ALLOC(part->items = spmmi_alloc(count, sizeof *part->items), diag);
    part->item_count = count;
    for (uint64_t i = 0; i < count; i++)
        part->items[i] = order == NULL ? (uint32_t)i : order[i];
cleanup:
    return status;
}

/* Returns true if one of target and machine is the CPU and the other is a GPU. */
static int is_far(uint32_t target, uint32_t machine)
{
    return target != SPMMI_TARGET_ANY && (target == SPMMI_TARGET_CPU) != (machine == SPMMI_TARGET_CPU);
}

/* Returns a score that is higher the better a variant for this target suits the machine (rules:
 * spmmi_variant_pick). The target must not be far. */
static int suits(uint32_t target, uint32_t machine)
{
    enum { STEP = 4096, OTHER_GPU = 0, ANY, SAME_MAJOR, OWN }; /* STEP exceeds any distance */
    const uint32_t distance = target > machine ? target - machine : machine - target;
    if (target == machine)
        return OWN * STEP;
    if (target == SPMMI_TARGET_ANY)
        return ANY * STEP;
    const int rank = target / 10 == machine / 10 ? SAME_MAJOR : OTHER_GPU;
    return rank * STEP - 2 * (int)distance - (target > machine);
}

/* Returns true if v is nearer to n than best. Neither range contains n. The next wider range is the nearest
 * one, because full plans close gaps between ranges the same way (inspector/search/search_fit.c). */
static int is_nearer(const struct spmmi_variant *v, const struct spmmi_variant *best, int64_t n)
{
    if (v->n_min > n)
        return best->n_min < n || v->n_min < best->n_min;
    return best->n_min < n && v->n_max > best->n_max;
}

int spmmi_variant_pick(const spmm_plan_t *plan, spmm_op_t op, uint32_t target, int64_t n, uint32_t layout,
                       int *fits)
{
    enum { FITS_LAYOUT = 1 << 15, FITS_N = 1 << 16, IS_NEAR = 1 << 17 }; /* above any result of suits */
    int best = -1;
    int best_score = -1;
    *fits = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        if (v->op != op)
            continue;
        const int fits_n = n >= v->n_min && n <= v->n_max;
        const int fits_layout = (v->layouts & layout) != 0;
        const int nearness = is_far(v->target, target) ? 0 : IS_NEAR + suits(v->target, target);
        /* Among variants for this kind of machine, n counts most:
         * a schedule for narrow B is the worst for wide B. */
        const int score = nearness + (fits_n ? FITS_N : 0) + (fits_layout ? FITS_LAYOUT : 0);
        if (score > best_score ||
            (score == best_score && !fits_n && is_nearer(v, &plan->variants[best], n))) {
            best_score = score;
            best = (int)i;
            *fits = fits_n && fits_layout && (v->target == target || v->target == SPMMI_TARGET_ANY);
        }
    }
    return best;
}
