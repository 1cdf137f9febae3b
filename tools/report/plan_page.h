/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a plan as a page to look at: spmm-info --html. The sentences are those of plan_report.h. */
#ifndef SPMM_TOOLS_PLAN_PAGE_H
#define SPMM_TOOLS_PLAN_PAGE_H

#include <spmm/inspector.h>

#include "html.h"

struct plan_page {
    const spmm_plan_t *plan;
    const spmm_plan_info_t *info;
    const char *device; /* whose roofline is drawn; NULL: any, and cpu for CPUs */
};

/* The page, to out, whose errors are the caller's. Errors: ARGUMENT (no such device), MEMORY: the page is then not
 * whole. */
spmm_status_t plan_page_write(FILE *out, const struct plan_page *page, spmm_diag_t *diag);

/* The same when it is whole: a failure leaves nothing on out. NULL: it is made and not printed. */
spmm_status_t plan_page_print(FILE *out, const struct plan_page *page, spmm_diag_t *diag);

/* Its sections. */
spmm_status_t plan_page_spy(struct html *h, const struct plan_page *page, spmm_diag_t *diag);
void plan_page_choice(struct html *h, const struct plan_page *page);
spmm_status_t plan_page_roofline(struct html *h, const struct plan_page *page, spmm_diag_t *diag);

#endif
