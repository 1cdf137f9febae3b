/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as an HTML page: spmm-info --html. The sentences are those of plan_report.h. */
#ifndef SPMM_TOOLS_PLAN_PAGE_H
#define SPMM_TOOLS_PLAN_PAGE_H

#include <spmm/inspector.h>

#include "html.h"

struct plan_page {
    const spmm_plan_t *plan;
    const spmm_plan_info_t *info;
    const char *device; /* device of the roofline; NULL: "any" for GPUs and "cpu" for CPUs */
};

/* Writes the page to out; the caller checks the errors of out. Errors: ARGUMENT (no such device), MEMORY.
 * After an error the page is incomplete. */
spmm_status_t plan_page_write(FILE *out, const struct plan_page *page, spmm_diag_t *diag);

/* Like plan_page_write, but prints nothing after a failure. If out is NULL, the page is made and not
 * printed. */
spmm_status_t plan_page_print(FILE *out, const struct plan_page *page, spmm_diag_t *diag);

/* Write the sections of the page. */
spmm_status_t plan_page_spy(struct html *h, const struct plan_page *page, spmm_diag_t *diag);
void plan_page_choice(struct html *h, const struct plan_page *page);
spmm_status_t plan_page_roofline(struct html *h, const struct plan_page *page, spmm_diag_t *diag);

#endif
