/* SPDX-License-Identifier: Apache-2.0 */
/* The report of spmm-run about a sparse product. */
#ifndef SPMM_TOOLS_SPARSE_REPORT_H
#define SPMM_TOOLS_SPARSE_REPORT_H

#include <spmm/product.h>
#include <stdbool.h>

#include "check_sparse.h"

struct sparse_outcome {
    const spmm_plan_t *plan;  /* NULL: one shot */
    spmm_product_info_t info; /* without a plan only device and kernel are set */
    spmm_csr_t c;
    const char *output; /* file to which C was written; NULL: none */
    uint64_t workspace_bytes;
    double create_seconds, first_seconds, best_seconds, all_seconds;
    int repeats;
    bool is_checked;
    struct product_verdict verdict;
};

void sparse_report_text(const struct sparse_outcome *outcome);
void sparse_report_json(const struct sparse_outcome *outcome, const char *program);

#endif
