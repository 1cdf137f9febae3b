/* SPDX-License-Identifier: Apache-2.0 */
/* See wanted.h. */
#include "wanted.h"

static int64_t clamp(int64_t n, int64_t least, int64_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* Marks the variants that spmmi_variant_pick returns. The result depends on n only through the limits of the
 * variants' ranges, so testing these values of n is enough. */
static void reach(const spmm_plan_t *plan, uint32_t target, const struct spmmi_wanted *wanted, spmm_op_t op,
                  uint32_t layout, int reached[SPMMI_VARIANT_MAX])
{
    const int64_t most = wanted->n_max > 0 ? wanted->n_max : SPMMI_N_MAX;
    for (uint32_t i = 0; i < 3 * plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i / 3];
        const int64_t past = v->n_max < SPMMI_N_MAX ? v->n_max + 1 : SPMMI_N_MAX;
        const int64_t n = i % 3 == 0 ? 0 : i % 3 == 1 ? v->n_min : past;
        int fits = 0;
        const int picked = spmmi_variant_pick(plan, op, target, clamp(n, wanted->n_min, most), layout, &fits);
        if (picked >= 0)
            reached[picked] = 1;
    }
}

void spmmi_wanted_reach(const spmm_plan_t *plan, uint32_t target, const struct spmmi_wanted *wanted,
                        int reached[SPMMI_VARIANT_MAX])
{
    static const uint32_t layouts[] = {SPMM_LAYOUTS_ROW_MAJOR, SPMM_LAYOUTS_COL_MAJOR};
    static const spmm_op_t ops[] = {SPMM_OP_N, SPMM_OP_T};
    for (uint32_t i = 0; i < SPMMI_VARIANT_MAX; i++)
        reached[i] = 0;
    for (int o = 0; o < 2; o++)
        for (int l = 0; l < 2; l++)
            if ((wanted->ops == 0 || (wanted->ops & (1u << ops[o])) != 0) &&
                (wanted->layouts == 0 || (wanted->layouts & layouts[l]) != 0))
                reach(plan, target, wanted, ops[o], layouts[l], reached);
}
