/* SPDX-License-Identifier: Apache-2.0 */
/* The completion scripts of --help=bash, --help=zsh and --help=fish, see cli_help.h. */
#include "cli_help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- Properties of an option ---- */

typedef void (*print_option_fn)(const struct cli_program *program, const struct cli_option *o);

static void for_options(const struct cli_program *program, print_option_fn print)
{
    for (size_t i = 0; i < program->option_count; i++)
        print(program, &program->options[i]);
    for (size_t i = 0; i < CLI_BUILT_IN; i++)
        print(program, &cli_built_in[i]);
}

/* Returns true if the next word of the command line is the option's value. */
static bool needs_value(const struct cli_option *o)
{
    return o->type != CLI_FLAG && o->type != CLI_INT_IF;
}

static bool takes_file(const struct cli_option *o)
{
    const bool is_text = o->type == CLI_TEXT || o->type == CLI_TEXT_LIST;
    return is_text && (strstr(o->value, "FILE") != NULL || strstr(o->value, "MATRIX") != NULL ||
                       strstr(o->value, ".npy") != NULL);
}

static bool may_repeat(const struct cli_option *o)
{
    return o->type == CLI_INT_LIST || o->type == CLI_TEXT_LIST;
}

static void print_words(const struct cli_option *o)
{
    for (const struct cli_choice *c = o->choices; c != NULL && c->word != NULL; c++)
        printf("%s%s", c == o->choices ? "" : " ", c->word);
}

/* Prints text for use between single quotes in a shell script: a backslash in front of each character of
 * `special`, and the shell's escape `quote` for each single quote. Joins the lines and stops at a
 * semicolon. */
static void print_quoted(const char *text, size_t length, const char *special, const char *quote)
{
    for (size_t i = 0; i < length && text[i] != ';'; i++) {
        if (text[i] == '\'')
            fputs(quote, stdout);
        else if (strchr(special, text[i]) != NULL)
            printf("\\%c", text[i]);
        else
            putchar(text[i] == '\n' ? ' ' : text[i]);
    }
}

static void print_head(const struct cli_program *program, const char *shell)
{
    printf("# SPDX-License-Identifier: Apache-2.0\n# Completion of %s, made by %s --help=%s.\n",
           program->name, program->name, shell);
}

/* ---- bash ---- */

/* Turns off file names as suggestions if the value of the option is not a file. */
static void print_bash_value(const struct cli_program *program, const struct cli_option *o)
{
    (void)program;
    if (!needs_value(o))
        return;
    fputs("    ", stdout);
    if (o->short_name != 0)
        printf("-%c | ", o->short_name);
    printf("--%s)", o->long_name);
    if (!takes_file(o))
        fputs(" compopt +o default 2>/dev/null;", stdout);
    if (o->choices != NULL) {
        fputs(" words='", stdout);
        print_words(o);
        fputs("'", stdout);
    }
    puts(" ;;");
}

static void print_bash_name(const struct cli_program *program, const struct cli_option *o)
{
    printf("%s--%s", o == program->options ? "" : " ", o->long_name);
}

static void print_bash_function(const char *name)
{
    for (putchar('_'); *name != '\0'; name++)
        putchar(*name == '-' ? '_' : *name);
}

void cli_print_bash(const struct cli_program *program)
{
    print_head(program, "bash");
    print_bash_function(program->name);
    puts("()\n{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "    [[ $cur != = ]] || cur=\n" /* bash splits --name=value into three words */
         "    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    case $prev in");
    for_options(program, print_bash_value);
    fputs("    *) [[ $cur != -* ]] || words='", stdout);
    for_options(program, print_bash_name);
    printf("' ;;\n    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
           "complete -o default -F ");
    print_bash_function(program->name);
    printf(" %s\n", program->name);
}

/* ---- zsh ---- */

#define ZSH_SPECIAL "[]:\\"
#define ZSH_QUOTE "'\\''"

static void print_zsh_action(const struct cli_option *o)
{
    const bool has_words = o->choices != NULL;
    const size_t skipped = o->type == CLI_INT_IF ? strlen("[=") : 0;
    const size_t length = strlen(o->value) - (o->type == CLI_INT_IF ? strlen("[=]") : 0);
    putchar(':');
    print_quoted(o->value + skipped, length, ZSH_SPECIAL, ZSH_QUOTE);
    putchar(':');
    if (has_words) {
        fputs(takes_file(o) ? "{compadd -- " : "(", stdout);
        print_words(o);
        fputs(takes_file(o) ? "; _files}" : ")", stdout);
    } else {
        fputs(takes_file(o) ? "_files" : " ", stdout);
    }
}

static void print_zsh_option(const struct cli_program *program, const struct cli_option *o)
{
    const char *after = o->type == CLI_INT_IF ? "=-" : needs_value(o) ? "=" : "";
    (void)program;
    fputs(" \\\n    '", stdout);
    if (may_repeat(o))
        putchar('*');
    else if (o->short_name != 0)
        printf("(-%c --%s)", o->short_name, o->long_name);
    if (o->short_name != 0)
        printf("'{-%c%s,--%s%s}'[", o->short_name, needs_value(o) ? "+" : "", o->long_name, after);
    else
        printf("--%s%s[", o->long_name, after);
    print_quoted(o->help, strlen(o->help), ZSH_SPECIAL, ZSH_QUOTE);
    putchar(']');
    if (o->type == CLI_INT_IF)
        putchar(':');
    if (o->type != CLI_FLAG)
        print_zsh_action(o);
    putchar('\'');
}

void cli_print_zsh(const struct cli_program *program)
{
    printf("#compdef %s\n", program->name); /* compinit reads only the first line */
    print_head(program, "zsh");
    fputs("_arguments -s -S", stdout);
    for_options(program, print_zsh_option);
    puts(" \\\n    '*:file:_files'");
}

/* ---- fish ---- */

static void print_fish_option(const struct cli_program *program, const struct cli_option *o)
{
    printf("complete -c %s", program->name);
    if (o->short_name != 0)
        printf(" -s %c", o->short_name);
    printf(" -l %s", o->long_name);
    if (needs_value(o))
        fputs(takes_file(o) ? " -r -F" : " -x", stdout);
    if (o->choices != NULL) {
        fputs(" -a '", stdout);
        print_words(o);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    print_quoted(o->help, strlen(o->help), "\\", "\\'");
    puts("'");
}

void cli_print_fish(const struct cli_program *program)
{
    print_head(program, "fish");
    for_options(program, print_fish_option);
}
