/* SPDX-License-Identifier: Apache-2.0 */
/* See cli_help.h. */
#include "cli_help.h"

#include <stdio.h>
#include <string.h>

#include "exit_code.h"

#define HELP_COLUMN 30
#define NAME_MAX_LENGTH 32

static void print_option(const struct cli_option *o)
{
    char left[80];
    const char *value = o->type == CLI_FLAG ? "" : o->value;
    const char *space = o->type == CLI_FLAG || o->type == CLI_INT_IF ? "" : " "; /* "[=K]" */
    if (o->short_name != 0)
        snprintf(left, sizeof left, "  -%c, --%s%s%s", o->short_name, o->long_name, space, value);
    else
        snprintf(left, sizeof left, "      --%s%s%s", o->long_name, space, value);
    fputs(left, stdout);
    size_t column = strlen(left);
    if (column + 2 > HELP_COLUMN) {
        fputc('\n', stdout);
        column = 0;
    }
    for (const char *line = o->help; line != NULL;) {
        const size_t length = strcspn(line, "\n");
        printf("%*s%.*s\n", (int)(HELP_COLUMN - column), "", (int)length, line);
        column = 0;
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
}

const struct cli_option cli_built_in[CLI_BUILT_IN] = {
    {'h', "help", CLI_FLAG, NULL,
     .help = "print this page; --help=man: as a manual page;\n--help=bash, zsh or fish: completions for that "
             "shell"},
    {0, "version", CLI_FLAG, NULL, .help = "print the version"},
};

void cli_print_help(const struct cli_program *program)
{
    printf("%s\n\nUsage: %s %s\n", program->summary, program->name, program->usage);
    if (program->details != NULL)
        printf("\n%s\n", program->details);
    fputs("\nOptions\n", stdout);
    for (size_t i = 0; i < program->option_count; i++)
        print_option(&program->options[i]);
    for (size_t i = 0; i < CLI_BUILT_IN; i++)
        print_option(&cli_built_in[i]);
    if (program->lists != NULL)
        printf("\n%s", program->lists);
    if (program->examples != NULL)
        printf("\nExamples\n%s\n", program->examples);
    fputs("\nExit status\n", stdout);
    for (int code = 0; exit_text(code) != NULL; code++)
        printf("  %d  %s\n", code, exit_text(code));
}

/* Returns the edit distance: the number of letters to insert, delete or replace. Keeps one row of the usual
 * table. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[NAME_MAX_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *cli_similar_option(const struct cli_program *program, const char *name, size_t length)
{
    const char *best = NULL;
    size_t best_distance = length / 3 + 2; /* about a third of the letters may be wrong */
    for (size_t i = 0; i < program->option_count; i++) {
        const char *candidate = program->options[i].long_name;
        const size_t candidate_length = strlen(candidate);
        if (candidate_length > NAME_MAX_LENGTH)
            continue;
        const int begins = length >= 3 && length < candidate_length && memcmp(candidate, name, length) == 0;
        const size_t d = begins ? 0 : distance(name, length, candidate, candidate_length);
        if (d < best_distance) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}
