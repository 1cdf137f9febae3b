/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of the tools: a table of options per program, and one parser for all of them.
 *
 *     static struct { int json; int64_t n[16]; size_t n_count; const char *output; } args;
 *     static const struct cli_option options[] = {
 *         {'o', "output", CLI_TEXT, &args.output, .value = "FILE", .help = "write the plan to FILE"},
 *         {'n', "columns", CLI_INT_LIST, args.n, .count = &args.n_count, .capacity = 16, .min = 1, .max = 1000,
 *          .value = "LIST", .help = "numbers of columns"},
 *         {0, "json", CLI_FLAG, &args.json, .help = "print JSON"},
 *     };
 *     static const struct cli_program program = {.name = "spmm-x", ..., .options = options, .option_count = 3};
 *     switch (cli_parse(&program, argc, argv, &operands)) ...
 *
 * Accepted forms: --name value, --name=value, -n value, -nvalue; -qf for two flags; --name[=value] for
 * CLI_INT_IF. All arguments after "--" are operands. "-" is an operand. */
#ifndef SPMM_TOOLS_CLI_H
#define SPMM_TOOLS_CLI_H

#include "cli_option.h"

struct cli_operands {
    char **list;
    int count;
};

enum cli_result {
    CLI_RUN,   /* continue with the program */
    CLI_DONE,  /* --help or --version was answered: exit 0 */
    CLI_USAGE, /* the mistake was explained on stderr: exit EXIT_USAGE */
};

/* Parses the command line; call it before anything else. Reorders argv so that the operands are adjacent, and
 * answers the built-in options --help (-h) and --version. */
enum cli_result cli_parse(const struct cli_program *program, int argc, char **argv,
                          struct cli_operands *operands);

/* Returns the long name of the first option that was given on the command line and is not in names, a list
 * that ends with NULL. Returns NULL if there is no such option. */
const char *cli_given_beside(const struct cli_program *program, const char *const *names);

/* Prints a mistake that the option table cannot express, with a hint at --help. Always returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) enum cli_result cli_complain(const struct cli_program *program,
                                                                   const char *format, ...);

#endif
