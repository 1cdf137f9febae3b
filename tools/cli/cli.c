/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of cli.h. The help is in cli_help.c. */
#include "cli.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <spmm/common.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_help.h"
#include "print_text.h"
#include "signals.h"
#include "streams.h"

enum cli_result cli_complain(const struct cli_program *program, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s: ", program->name);
    print_escaped(stderr, text);
    fprintf(stderr, "\nTry '%s --help'.\n", program->name);
    return CLI_USAGE;
}

#define OPTIONS_MAX 128

static bool is_given[OPTIONS_MAX]; /* whether the option with this index was given */

const char *cli_given_beside(const struct cli_program *program, const char *const *names)
{
    for (size_t i = 0; i < program->option_count; i++) {
        const char *const *name = names;
        while (*name != NULL && strcmp(program->options[i].long_name, *name) != 0)
            name++;
        if (is_given[i] && *name == NULL)
            return program->options[i].long_name;
    }
    return NULL;
}

/* ---- Values ---- */

static bool take_int(const char **text, int64_t *value)
{
    if (!isdigit((unsigned char)(*text)[0]) && (*text)[0] != '-')
        return false;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(*text, &end, 10);
    if (errno != 0 || end == *text)
        return false;
    *text = end;
    *value = number;
    return true;
}

static enum cli_result bad_value(const struct cli_program *program, const struct cli_option *o,
                                 const char *value, const char *expected)
{
    return cli_complain(program, "--%s: expected %s, found '%s'", o->long_name, expected, value);
}

static enum cli_result check_range(const struct cli_program *program, const struct cli_option *o,
                                   int64_t number)
{
    if ((o->min == 0 && o->max == 0) || (number >= o->min && number <= o->max))
        return CLI_RUN;
    return cli_complain(program, "--%s: expected a number in %lld..%lld, found %lld", o->long_name,
                        (long long)o->min, (long long)o->max, (long long)number);
}

static enum cli_result store_int(const struct cli_program *program, const struct cli_option *o,
                                 const char *value)
{
    int64_t number = 0;
    const char *end = value;
    if (!take_int(&end, &number) || *end != '\0')
        return bad_value(program, o, value, "a whole number");
    *(int64_t *)o->target = number;
    return check_range(program, o, number);
}

static enum cli_result store_value(const struct cli_program *program, const struct cli_option *o,
                                   const char *value)
{
    char *end = NULL;
    const double number = strtod(value, &end);
    if (end == value || *end != '\0')
        return bad_value(program, o, value, "a number");
    *(double *)o->target = number;
    return CLI_RUN;
}

static enum cli_result store_bytes(const struct cli_program *program, const struct cli_option *o,
                                   const char *value)
{
    static const char suffixes[] = "KMG";
    int64_t number = 0;
    int shift = 0;
    const char *end = value;
    const bool is_number = take_int(&end, &number) && number > 0;
    const char *suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    if (suffix != NULL) {
        shift = 10 * (int)(suffix - suffixes + 1);
        end++;
    }
    if (!is_number || *end != '\0' || number > INT64_MAX >> shift)
        return bad_value(program, o, value, "a number of bytes such as 500M (suffixes K, M, G)");
    *(uint64_t *)o->target = (uint64_t)number << shift;
    return CLI_RUN;
}

static enum cli_result store_int_list(const struct cli_program *program, const struct cli_option *o,
                                      const char *value)
{
    const char *rest = value;
    for (;;) {
        int64_t number = 0;
        if (!take_int(&rest, &number) || (*rest != '\0' && *rest != ','))
            return bad_value(program, o, value, "whole numbers with commas between them");
        if (*o->count == o->capacity)
            return cli_complain(program, "--%s: at most %zu numbers", o->long_name, o->capacity);
        const enum cli_result result = check_range(program, o, number);
        if (result != CLI_RUN)
            return result;
        ((int64_t *)o->target)[(*o->count)++] = number;
        if (*rest == '\0')
            return CLI_RUN;
        rest++;
    }
}

/* Returns the choice named by the first `length` bytes of word, or NULL. */
static const struct cli_choice *find_choice(const struct cli_option *o, const char *word, size_t length)
{
    for (const struct cli_choice *c = o->choices; c->word != NULL; c++)
        if (strlen(c->word) == length && memcmp(c->word, word, length) == 0)
            return c;
    return NULL;
}

static enum cli_result bad_choice(const struct cli_program *program, const struct cli_option *o,
                                  const char *value)
{
    char words[200] = "";
    size_t used = 0;
    for (const struct cli_choice *c = o->choices; c->word != NULL; c++)
        if (used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? ", " : "one of ",
                                     c->word);
    return bad_value(program, o, value, words);
}

static enum cli_result store_choice(const struct cli_program *program, const struct cli_option *o,
                                    const char *value)
{
    const struct cli_choice *const found = find_choice(o, value, strlen(value));
    if (found == NULL)
        return bad_choice(program, o, value);
    *(int *)o->target = found->value;
    return CLI_RUN;
}

static enum cli_result store_choice_list(const struct cli_program *program, const struct cli_option *o,
                                         const char *value)
{
    for (const char *rest = value;;) {
        const size_t length = strcspn(rest, ",");
        const struct cli_choice *const found = find_choice(o, rest, length);
        if (found == NULL)
            return bad_choice(program, o, value);
        if (*o->count == o->capacity)
            return cli_complain(program, "--%s: at most %zu words", o->long_name, o->capacity);
        ((int *)o->target)[(*o->count)++] = found->value;
        if (rest[length] == '\0')
            return CLI_RUN;
        rest += length + 1;
    }
}

static enum cli_result store_text(const struct cli_program *program, const struct cli_option *o,
                                  const char *value)
{
    if (o->type == CLI_TEXT) {
        *(const char **)o->target = value;
        return CLI_RUN;
    }
    if (*o->count == o->capacity)
        return cli_complain(program, "--%s: at most %zu times", o->long_name, o->capacity);
    ((const char **)o->target)[(*o->count)++] = value;
    return CLI_RUN;
}

static enum cli_result store(const struct cli_program *program, const struct cli_option *o, const char *value)
{
    is_given[o - program->options] = true;
    switch (o->type) {
    case CLI_FLAG:
        *(int *)o->target = 1;
        return CLI_RUN;
    case CLI_INT:
        return store_int(program, o, value);
    case CLI_INT_IF:
        if (value != NULL)
            return store_int(program, o, value);
        *(int64_t *)o->target = o->if_alone;
        return CLI_RUN;
    case CLI_NUMBER:
        return store_value(program, o, value);
    case CLI_BYTES:
        return store_bytes(program, o, value);
    case CLI_CHOICE:
        return store_choice(program, o, value);
    case CLI_CHOICE_LIST:
        return store_choice_list(program, o, value);
    case CLI_INT_LIST:
        return store_int_list(program, o, value);
    case CLI_TEXT:
    case CLI_TEXT_LIST:
        return store_text(program, o, value);
    }
    return CLI_USAGE;
}

/* ---- Names ---- */

static const struct cli_option *find_long(const struct cli_program *program, const char *name, size_t length)
{
    for (size_t i = 0; i < program->option_count; i++) {
        const struct cli_option *o = &program->options[i];
        if (strlen(o->long_name) == length && memcmp(o->long_name, name, length) == 0)
            return o;
    }
    return NULL;
}

static const struct cli_option *find_short(const struct cli_program *program, char name)
{
    for (size_t i = 0; i < program->option_count; i++) {
        if (program->options[i].short_name == name)
            return &program->options[i];
    }
    return NULL;
}

/* Answers --help, its variants and --version. Returns false if argument is none of them. */
static bool answered(const struct cli_program *program, const char *argument)
{
    static const struct {
        const char *argument;
        void (*print)(const struct cli_program *program);
    } pages[] = {{"-h", cli_print_help},        {"--help", cli_print_help},
                 {"--help=man", cli_print_man}, {"--help=bash", cli_print_bash},
                 {"--help=zsh", cli_print_zsh}, {"--help=fish", cli_print_fish}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(argument, pages[i].argument) == 0) {
            pages[i].print(program);
            return true;
        }
    if (strcmp(argument, "--version") == 0) {
        printf("%s %s\n", program->name, spmm_version_string());
        return true;
    }
    return false;
}

/* Reports an unknown option. The built-in options reach this function only with a value that they do not
 * take, because answered() handles all valid forms first. */
static enum cli_result unknown_option(const struct cli_program *program, const char *name, size_t length)
{
    if (length == 4 && memcmp(name, "help", length) == 0)
        return cli_complain(program, "--help: expected no value, or one of man, bash, zsh, fish, found '%s'",
                            name + length + 1);
    if (length == 7 && memcmp(name, "version", length) == 0)
        return cli_complain(program, "--version takes no value");
    const char *similar = cli_similar_option(program, name, length);
    return cli_complain(program,
                        similar != NULL ? "unknown option '--%.*s', did you mean '--%s'?"
                                        : "unknown option '--%.*s'",
                        (int)length, name, similar != NULL ? similar : "");
}

static enum cli_result parse_long(const struct cli_program *program, char **argv, int argc, int *at)
{
    const char *name = argv[*at] + 2;
    const size_t length = strcspn(name, "=");
    const struct cli_option *o = find_long(program, name, length);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (o == NULL)
        return unknown_option(program, name, length);
    if (o->type == CLI_FLAG && value != NULL)
        return cli_complain(program, "--%s takes no value", o->long_name);
    if (o->type != CLI_FLAG && o->type != CLI_INT_IF && value == NULL) {
        if (*at + 1 >= argc)
            return cli_complain(program, "--%s needs a value: --%s %s", o->long_name, o->long_name, o->value);
        value = argv[++*at];
    }
    return store(program, o, value);
}

static enum cli_result parse_short(const struct cli_program *program, char **argv, int argc, int *at)
{
    for (const char *name = argv[*at] + 1; *name != '\0'; name++) {
        const struct cli_option *o = find_short(program, *name);
        if (o == NULL)
            return cli_complain(program, "unknown option '-%c'", *name);
        if (o->type != CLI_FLAG) {
            const char *value = name[1] != '\0' ? name + 1 : NULL;
            if (value == NULL && *at + 1 >= argc)
                return cli_complain(program, "-%c needs a value: -%c %s", *name, *name, o->value);
            return store(program, o, value != NULL ? value : argv[++*at]);
        }
        const enum cli_result result = store(program, o, NULL);
        if (result != CLI_RUN)
            return result;
    }
    return CLI_RUN;
}

enum cli_result cli_parse(const struct cli_program *program, int argc, char **argv,
                          struct cli_operands *operands)
{
    bool options_ended = false;
    streams_start();
    signals_start();
    assert(program->option_count <= OPTIONS_MAX);
    *operands = (struct cli_operands){.list = argv + 1};
    for (int at = 1; at < argc; at++) {
        char *argument = argv[at];
        enum cli_result result = CLI_RUN;
        if (options_ended || argument[0] != '-' || argument[1] == '\0')
            operands->list[operands->count++] = argument;
        else if (strcmp(argument, "--") == 0)
            options_ended = true;
        else if (answered(program, argument))
            result = CLI_DONE;
        else if (argument[1] == '-')
            result = parse_long(program, argv, argc, &at);
        else
            result = parse_short(program, argv, argc, &at);
        if (result != CLI_RUN)
            return result;
    }
    if (operands->count < program->operands_min)
        return cli_complain(program, "expected: %s %s", program->name, program->usage);
    if (operands->count > program->operands_max)
        return cli_complain(program, "one argument too many: '%s'", operands->list[program->operands_max]);
    return CLI_RUN;
}
