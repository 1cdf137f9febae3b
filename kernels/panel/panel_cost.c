/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the panel family are those of kernels/tcblock/fragment_cost.c. */
#include "panel_cost.h"
#include "kernels/tcblock/fragment_cost.h"

int spmmi_panel_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_fragment_terms own = {.is_window = 0};
    return spmmi_fragment_cost(q, &own, p);
}
