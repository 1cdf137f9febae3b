/* SPDX-License-Identifier: Apache-2.0 */
/* --help=man: prints the manual page in mdoc, see cli_help.h. tools/man/make_page.cmake inserts the text of
 * tools/man/NAME.in at the comments "more WHERE". */
#include "cli_help.h"

#include <ctype.h>
#include <spmm/common.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "exit_code.h"

#define MAN_DATE "November 22, 2026"

/* Escapes text for troff: protects a leading dot, which would start a macro, and starts each sentence on a
 * new line. */
static void print_text(const char *text, size_t length)
{
    static const struct {
        char letter;
        const char *name;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},    {'^', "\\(ha"},
                   {'~', "\\(ti"}, {'\'', "\\(aq"}, {'`', "\\(ga"}};
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        const bool ends = i > 0 && text[i] == ' ' && text[i - 1] == '.';
        const char *escape = NULL;
        for (size_t e = 0; e < sizeof escapes / sizeof *escapes; e++)
            escape = text[i] == escapes[e].letter ? escapes[e].name : escape;
        if (begins && text[i] == '.')
            fputs("\\&", stdout);
        if (escape != NULL)
            fputs(escape, stdout);
        else
            putchar(ends ? '\n' : text[i]);
    }
}

/* Prints text and adds a full stop if there is none. */
static void print_sentence(const char *text)
{
    const size_t length = strlen(text);
    print_text(text, length);
    puts(length > 0 && text[length - 1] != '.' ? "." : "");
}

static void print_anchor(const char *before, const char *where)
{
    printf(".\\\" more %s%s\n", before, where);
}

/* Prints lines verbatim, except that leading blanks are removed. */
static void print_literal(const char *text)
{
    puts(".Bd -literal -offset indent");
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = strspn(text, " ");
        if (blanks < length)
            print_text(text + blanks, length - blanks);
        if (length > 0)
            putchar('\n');
        text += length + (text[length] == '\n');
    }
    puts(".Ed");
}

/* Prints the list item of an option. The value of CLI_INT_IF is written "[=K]"; the macro Op supplies the
 * brackets. */
static void print_item(const struct cli_option *o)
{
    if (o->short_name != 0)
        printf(".It Fl %c , Fl -%s", o->short_name, o->long_name);
    else
        printf(".It Fl -%s", o->long_name);
    if (o->type == CLI_INT_IF)
        printf(" Ns Op = Ns Ar %.*s\n", (int)strcspn(o->value + 2, "]"), o->value + 2);
    else if (o->type != CLI_FLAG)
        printf(" Ar %s\n", o->value);
    else
        putchar('\n');
    print_sentence(o->help);
    print_anchor("--", o->long_name);
}

static void print_head(const struct cli_program *program)
{
    printf(".\\\" SPDX-License-Identifier: Apache-2.0\n.Dd " MAN_DATE "\n.Dt ");
    for (const char *at = program->name; *at != '\0'; at++)
        putchar(toupper((unsigned char)*at));
    printf(" 1\n.Os spmm %s\n.Sh NAME\n.Nm %s\n.Nd ", spmm_version_string(), program->name);
    putchar(tolower((unsigned char)program->summary[0]));
    print_text(program->summary + 1, strcspn(program->summary + 1, "."));
    puts("\n.Sh SYNOPSIS\n.Nm");
    print_text(program->usage, strlen(program->usage));
    putchar('\n');
    print_anchor("", "SYNOPSIS");
    puts(".Sh DESCRIPTION");
    print_anchor("", "DESCRIPTION");
    if (program->details != NULL) {
        puts(".Pp");
        print_sentence(program->details);
    }
}

static void print_options(const struct cli_program *program)
{
    puts(".Sh OPTIONS\n.Bl -tag -width Ds");
    for (size_t i = 0; i < program->option_count; i++)
        print_item(&program->options[i]);
    for (size_t i = 0; i < CLI_BUILT_IN; i++)
        print_item(&cli_built_in[i]);
    puts(".El");
    print_anchor("", "OPTIONS");
    if (program->lists != NULL) {
        const size_t heading = strcspn(program->lists, "\n");
        printf(".Ss %.*s\n", (int)heading, program->lists);
        print_literal(program->lists + heading);
    }
    print_anchor("", "SECTIONS");
}

static void print_exit_status(void)
{
    puts(".Sh EXIT STATUS\n.Bl -tag -width 2n -compact");
    for (int code = 0; exit_text(code) != NULL; code++) {
        printf(".It %d\n", code);
        print_sentence(exit_text(code));
    }
    puts(".El");
    print_anchor("", "EXIT STATUS");
}

static void print_see_also(const char *name)
{
    static const char *const programs[] = {"spmm-bench", "spmm-info", "spmm-inspect", "spmm-run"};
    puts(".Sh SEE ALSO");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i], name) != 0)
            printf(".Xr %s 1 ,\n", programs[i]);
    puts(".Xr spmm 7");
}

void cli_print_man(const struct cli_program *program)
{
    print_head(program);
    print_options(program);
    print_exit_status();
    if (program->examples != NULL) {
        puts(".Sh EXAMPLES");
        print_literal(program->examples);
        print_anchor("", "EXAMPLES");
    }
    print_see_also(program->name);
}
