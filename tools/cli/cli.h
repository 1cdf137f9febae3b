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
 * Forms: --name value, --name=value, -n value, -nvalue, -qf for two flags, -- ends the options, "-" is an operand. */
#ifndef SPMM_TOOLS_CLI_H
#define SPMM_TOOLS_CLI_H

#include <stddef.h>
#include <stdint.h>

enum cli_type {
    CLI_FLAG,      /* int *target: set to 1 */
    CLI_INT,       /* int64_t *target, in min..max */
    CLI_NUMBER,    /* double *target */
    CLI_BYTES,     /* uint64_t *target, at least 1: "500", "64K", "1G"; suffixes are powers of 1024 */
    CLI_TEXT,      /* const char **target */
    CLI_CHOICE,    /* int *target: value of the word in choices */
    CLI_INT_LIST,  /* int64_t target[capacity], *count: "1,8,32"; a repeated option appends */
    CLI_TEXT_LIST, /* const char *target[capacity], *count: the option may be repeated */
};

struct cli_choice {
    const char *word; /* NULL ends the list */
    int value;
};

struct cli_option {
    char short_name;       /* 0: none */
    const char *long_name; /* without the dashes */
    enum cli_type type;
    void *target;
    const char *value; /* name of the value in the help, such as "FILE" */
    const char *help;  /* one or more lines, split by \n */
    const struct cli_choice *choices;
    int64_t min, max; /* both 0: any */
    size_t *count;
    size_t capacity;
};

struct cli_program {
    const char *name;     /* "spmm-info" */
    const char *summary;  /* one sentence */
    const char *usage;    /* what follows the name: "[options] PLAN" */
    const char *details;  /* paragraphs after the summary; may be NULL */
    const char *examples; /* lines of "  command" and what it does; may be NULL */
    const char *lists;    /* what follows the options: a heading and lines; may be NULL */
    const struct cli_option *options;
    size_t option_count;
    int operands_min, operands_max;
};

struct cli_operands {
    char **list;
    int count;
};

enum cli_result {
    CLI_RUN,   /* go on */
    CLI_DONE,  /* --help or --version was answered: exit 0 */
    CLI_USAGE, /* the mistake was explained on stderr: exit EXIT_USAGE */
};

/* Parse; argv is reordered so that the operands come together. --help (-h) and --version are built in. */
enum cli_result cli_parse(const struct cli_program *program, int argc, char **argv,
                          struct cli_operands *operands);

/* Explain a mistake that the table cannot see, with a hint at --help. Always returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) enum cli_result cli_complain(const struct cli_program *program,
                                                                   const char *format, ...);

#endif
