/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_records.h: checks the content of a plan against the features that its header names. */
#include "plan_records.h"

#include "format/base/diag.h"

spmm_status_t spmmi_check_features(const spmm_plan_t *p, uint64_t features, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t unnamed = ~features;
    for (uint32_t i = 0; i < p->variant_count; i++)
        SPMM_RULE((spmmi_variant_features(p, &p->variants[i]) & unnamed) == 0, VARIANT, 0,
                  "variant %u needs a feature that the header does not name", i);
    for (uint32_t i = 0; i < p->part_count; i++)
        SPMM_RULE((spmmi_part_features(&p->parts[i], p->dtype) & unnamed) == 0, PART, 0,
                  "part %u needs a feature that the header does not name", i);
    for (uint32_t i = 0; i < p->trace_count; i++)
        SPMM_RULE((spmmi_trace_features(&p->trace[i]) & unnamed) == 0, TRACE, 0,
                  "trace %u needs a feature that the header does not name", i);
    for (uint32_t i = 0; i < p->permutation_metrics_count; i++)
        SPMM_RULE((spmmi_permutation_features(p->permutation_metrics[i].kind) & unnamed) == 0,
                  PERMUTATION_METRICS, 0,
                  "permutation metrics %u need a feature that the header does not name", i);
    SPMM_RULE((spmmi_product_features(p->product) & unnamed) == 0, PRODUCT, 0,
              "the product needs a feature that the header does not name");
cleanup:
    return status;
}
