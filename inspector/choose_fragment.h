/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of the families of the tensor cores, window and panel, for one op, layout and number of columns. */
#ifndef SPMMI_CHOOSE_FRAGMENT_H
#define SPMMI_CHOOSE_FRAGMENT_H

#include "fragment_study.h"
#include "model_refined.h"
#include "row_order.h"

/* Orders of the rows of op(A), and the figures of those that were looked at. */
struct spmmi_fragment_studies {
    struct spmmi_row_orders orders;
    struct {
        const struct spmmi_row_order *order;
        struct spmmi_fragment_study study;
    } list[SPMMI_ORDER_KINDS];
    int count;
};
void spmmi_fragment_studies_free(struct spmmi_fragment_studies *studies);

struct spmmi_fragment_choice {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t panel_rows, granule, flags;
    const struct spmmi_row_order *order;
    double seconds; /* predicted; 0 without a model */
};

/* What the caller wants is taken as it is: the family, and, where they were named, schedule, panel_rows and order. */
spmm_status_t spmmi_choose_fragment(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    struct spmmi_fragment_studies *studies, int64_t n,
                                    struct spmmi_fragment_choice *choice, spmm_diag_t *diag);

/* Family, schedule, items and the rest of a part. Errors: MEMORY. */
spmm_status_t spmmi_fragment_part(const struct spmmi_pattern *a, const struct spmmi_decision *d,
                                  struct spmmi_part *part, spmm_diag_t *diag);

#endif
