/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the file name of a dense C. */
#ifndef SPMM_TOOLS_DENSE_OUTPUT_H
#define SPMM_TOOLS_DENSE_OUTPUT_H

#include "tools/cli/cli.h"

/* Checks that -o names a format that C can have and, unless is_forced, that no other file would be lost.
 * Returns CLI_RUN, or CLI_USAGE after a complaint. */
enum cli_result dense_output_check(const struct cli_program *program, const char *path, int is_forced);

#endif
