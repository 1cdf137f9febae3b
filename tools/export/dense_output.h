/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a dense C: which names and files -o may name. */
#ifndef SPMM_TOOLS_DENSE_OUTPUT_H
#define SPMM_TOOLS_DENSE_OUTPUT_H

#include "tools/cli/cli.h"

/* A form that C has, for which no other file is lost unless that is forced. CLI_RUN or CLI_USAGE, and why. */
enum cli_result dense_output_check(const struct cli_program *program, const char *path, int is_forced);

#endif
