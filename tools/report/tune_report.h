/* SPDX-License-Identifier: Apache-2.0 */
/* The report of spmm-inspect about the candidates that it timed. */
#ifndef SPMM_TOOLS_TUNE_REPORT_H
#define SPMM_TOOLS_TUNE_REPORT_H

#include <stdio.h>

#include "tools/cli/json.h"
#include "tools/tune/tuner.h"

void tune_report_text(FILE *out, const struct tune_summary *summary); /* nothing if not requested */
void tune_report_json(struct json *j, const struct tune_summary *summary);

#endif
