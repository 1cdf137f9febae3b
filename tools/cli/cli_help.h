/* SPDX-License-Identifier: Apache-2.0 */
/* Text that the parser prints: the help page, the manual page, shell completions, and the guess for a
 * misspelt option. */
#ifndef SPMM_TOOLS_CLI_HELP_H
#define SPMM_TOOLS_CLI_HELP_H

#include "cli_option.h"

/* Options that every program has. cli.c handles them. */
#define CLI_BUILT_IN 2
extern const struct cli_option cli_built_in[CLI_BUILT_IN];

void cli_print_help(const struct cli_program *program);
/* Prints the help as a manual page (mdoc, for man(1)). */
void cli_print_man(const struct cli_program *program);
/* Print a completion script for the program. */
void cli_print_bash(const struct cli_program *program);
void cli_print_zsh(const struct cli_program *program);
void cli_print_fish(const struct cli_program *program);

/* Returns the long option closest to a misspelt name of the given length, or NULL if no name is close. */
const char *cli_similar_option(const struct cli_program *program, const char *name, size_t length);

#endif
