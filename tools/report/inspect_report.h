/* SPDX-License-Identifier: Apache-2.0 */
/* The report that spmm-inspect prints at the end. */
#ifndef SPMM_TOOLS_INSPECT_REPORT_H
#define SPMM_TOOLS_INSPECT_REPORT_H

#include <spmm/inspector.h>
#include <stdbool.h>
#include <stdio.h>

#include "permutation_report.h"
#include "tools/tune/plan_device.h"
#include "tune_report.h"

struct inspect_report {
    spmm_matrix_info_t matrix;
    uint64_t matrix_bytes; /* size of the matrix file; 0 if there is no file */
    bool is_compressed;    /* whether the file, and so matrix_bytes, is compressed */
    const struct plan_device *device;
    const char *plan_path; /* NULL if no plan was written */
    uint64_t plan_bytes;
    double read_seconds, inspect_seconds, write_seconds; /* without the time of tuning */
    bool explain;
    bool wants_symmetric; /* --symmetric-permutation was given */
    bool wants_permuted;  /* --permuted-output was given */
    spmm_reorder_t reorder;
    spmm_roofline_t model; /* of the device that the plan was made for */
    struct permutation_report permutations;
    struct tune_summary tuning;
};

void inspect_report_text(FILE *out, const spmm_plan_t *plan, const struct inspect_report *report);
void inspect_report_json(const spmm_plan_t *plan, const struct inspect_report *report); /* to stdout */

#endif
