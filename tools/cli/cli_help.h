/* SPDX-License-Identifier: Apache-2.0 */
/* What cli.c tells people: the help page and the guess at a misspelt option. */
#ifndef SPMM_TOOLS_CLI_HELP_H
#define SPMM_TOOLS_CLI_HELP_H

#include "cli_option.h"

void cli_print_help(const struct cli_program *program);

/* The long option closest to a misspelt name of this length, NULL if none is close. */
const char *cli_similar_option(const struct cli_program *program, const char *name, size_t length);

#endif
