/* SPDX-License-Identifier: Apache-2.0 */
/* See typed_plan.h. */
#include "typed_plan.h"

#include <stdbool.h>

#include "format/base/diag.h"
#include "format/family.h"
#include "format/matrix/round_values.h"

spmm_status_t spmmi_typed_plan(const spmm_plan_t *plan, spmm_dtype_t type, struct spmmi_typed_plan *typed,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmm_plan *const p = &typed->plan;
    const spmm_dtype_t wanted = type != 0 ? type : plan->dtype;
    const uint32_t types = spmmi_plan_types(plan);
    char known[SPMMI_TYPE_NAMES_BYTES];
    spmmi_type_names(types, known);
    SPMM_REQUIRE(spmm_dtype_size(wanted) != 0, SPMM_ERR_ARGUMENT, diag, "a_type is %d, not a type",
                 (int)wanted);
    SPMM_REQUIRE(wanted == plan->dtype || (types & SPMMI_TYPE_BIT(wanted)) != 0, SPMM_ERR_TYPE, diag,
                 "the plan has no variant for values of %s, only for %s: inspect for these types",
                 spmm_dtype_name(wanted), known);
    *p = *plan;
    p->dtype = wanted;
    p->values = wanted == plan->dtype ? plan->values : NULL;
    p->variant_count = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        if (spmmi_variant_type(&plan->variants[i]) != wanted)
            continue;
        typed->variant_of[p->variant_count] = i;
        p->variants[p->variant_count++] = plan->variants[i];
    }
cleanup:
    return status;
}

void spmmi_typed_plan_want(struct spmmi_typed_plan *typed, uint32_t target, const struct spmmi_wanted *wanted)
{
    struct spmm_plan *const p = &typed->plan;
    int reached[SPMMI_VARIANT_MAX];
    uint32_t kept = 0;
    spmmi_wanted_reach(p, target, wanted, reached);
    for (uint32_t i = 0; i < p->variant_count; i++) {
        if (!reached[i])
            continue;
        struct spmmi_variant v = p->variants[i];
        if (v.n_min < wanted->n_min && wanted->n_min <= v.n_max) /* do not pack for smaller n */
            v.n_min = wanted->n_min;
        typed->variant_of[kept] = typed->variant_of[i];
        p->variants[kept++] = v;
    }
    p->variant_count = kept;
}

spmm_status_t spmmi_typed_values(const spmm_plan_t *plan, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag)
{
    spmm_csr_t a;
    *values = NULL;
    if (plan->values == NULL || type == plan->dtype)
        return SPMM_OK;
    (void)spmm_plan_csr(plan, &a); /* fails for NULL alone */
    return spmmi_values_round(&a, type, threads, values, diag);
}

uint64_t spmmi_typed_values_bytes(const spmm_plan_t *plan, spmm_dtype_t type)
{
    const bool is_rounded = plan->values != NULL && type != plan->dtype;
    return is_rounded ? (uint64_t)plan->nnz * spmm_dtype_size(type) : 0;
}
