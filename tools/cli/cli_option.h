/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that describe a command line. cli.h parses by them, and cli_help.h prints them. */
#ifndef SPMM_TOOLS_CLI_OPTION_H
#define SPMM_TOOLS_CLI_OPTION_H

#include <stddef.h>
#include <stdint.h>

enum cli_type {
    CLI_FLAG,        /* int *target: set to 1 */
    CLI_INT,         /* int64_t *target, in min..max */
    CLI_INT_IF,      /* int64_t *target: the number after "=", or if_alone without one. Long names only */
    CLI_NUMBER,      /* double *target */
    CLI_BYTES,       /* uint64_t *target, at least 1: "500", "64K", "1G"; suffixes are powers of 1024 */
    CLI_TEXT,        /* const char **target */
    CLI_CHOICE,      /* int *target: value of the word in choices */
    CLI_CHOICE_LIST, /* int target[capacity], *count: "f32,f16"; a repeated option appends */
    CLI_INT_LIST,    /* int64_t target[capacity], *count: "1,8,32"; a repeated option appends */
    CLI_TEXT_LIST,   /* const char *target[capacity], *count: the option may be repeated */
};

struct cli_choice {
    const char *word; /* NULL ends the list */
    int value;
};

struct cli_option {
    char short_name;       /* 0 if there is none */
    const char *long_name; /* without the dashes */
    enum cli_type type;
    void *target;
    const char *value;                /* name of the value in the help, such as "FILE" */
    const char *help;                 /* one or more lines, split by \n */
    const struct cli_choice *choices; /* CLI_CHOICE: all allowed words; CLI_TEXT: words to suggest */
    int64_t min, max;                 /* both 0: no limits */
    int64_t if_alone;                 /* CLI_INT_IF: the value if none is given */
    size_t *count;
    size_t capacity;
};

/* Options that all programs have, each with its own help text. */
#define CLI_JSON(target, text)                    \
    {                                             \
        0, "json", CLI_FLAG, target, .help = text \
    }
#define CLI_QUIET(target, text)                      \
    {                                                \
        'q', "quiet", CLI_FLAG, target, .help = text \
    }

/* The --budget option of programs that load plans. */
#define CLI_PLAN_BUDGET(target)                                                                            \
    {                                                                                                      \
        0, "budget", CLI_BYTES, target, .value = "BYTES",                                                  \
                                        .help = "maximum memory of each step (loading the plan, making "   \
                                                "an\nexecutor, reading a matrix), such "                   \
                                                "as 500M or 2G; default:\nthree quarters of the machine's" \
    }

struct cli_program {
    const char *name;     /* "spmm-info" */
    const char *summary;  /* one sentence */
    const char *usage;    /* the text after the name: "[options] PLAN" */
    const char *details;  /* paragraphs after the summary; may be NULL */
    const char *examples; /* lines "  COMMAND" and what each command does; may be NULL */
    const char *lists;    /* text after the options: a heading and lines; may be NULL */
    const struct cli_option *options;
    size_t option_count;
    int operands_min, operands_max;
};

/* The last members of a program: the array of its options, and how many operands it takes. */
#define CLI_TAKES(table, minimum, maximum)                                                          \
    .options = (table), .option_count = sizeof(table) / sizeof *(table), .operands_min = (minimum), \
    .operands_max = (maximum)

#endif
