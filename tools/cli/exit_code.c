/* SPDX-License-Identifier: Apache-2.0 */
/* See exit_code.h. */
#include "exit_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "print_text.h"

const char *exit_text(int code)
{
#define EXIT_TEXT(name, text) text,
    static const char *const texts[] = {EXIT_LIST(EXIT_TEXT)};
#undef EXIT_TEXT
    return code >= 0 && (size_t)code < sizeof texts / sizeof *texts ? texts[code] : NULL;
}

/* Maps a status to an exit status: first the exceptions, then the groups, which are the hundreds of the
 * numbers. */
int exit_code(spmm_status_t status)
{
    switch (status) {
    case SPMM_OK:
        return EXIT_DONE;
    case SPMM_ERR_IO:
        return EXIT_RUNTIME;
    case SPMM_ERR_UNSUPPORTED:
    case SPMM_ERR_PLAN_VERSION:
    case SPMM_ERR_PLAN_FEATURE:
        return EXIT_NO_FIT;
    default:
        break;
    }
    switch (status / 100) {
    case 1:
        return EXIT_USAGE;
    case 2:
    case 3:
    case 4:
        return EXIT_INPUT;
    case 5:
        return EXIT_NO_FIT;
    case 8:
        return EXIT_CHECK;
    default:
        return EXIT_RUNTIME;
    }
}

/* Returns the name to print: "standard input" for "-", as in the libraries' sentences, else the name as it
 * was given. */
static const char *shown_name(const char *what)
{
    return strcmp(what, "-") == 0 ? "standard input" : what;
}

/* Returns the length of the file name at the start of text if text begins with the name without its folder,
 * else 0. Libraries omit the folder if a path is long. */
static size_t repeated_name(const char *name, const char *text)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    const size_t length = strlen(base);
    const int is_there = length > 0 && strncmp(text, base, length) == 0;
    return is_there && (text[length] == ':' || text[length] == ',') ? length : 0;
}

static void print_failure(const char *what, const char *text)
{
    const char *name = shown_name(what);
    const size_t repeated = repeated_name(name, text);
    if (repeated == 0 && strncmp(text, name, strlen(name)) == 0) {
        print_escaped(stderr, text);
        return;
    }
    print_escaped(stderr, name);
    fputs(repeated == 0 ? ": " : "", stderr);
    print_escaped(stderr, text + repeated);
}

int exit_failure(const char *program, const char *what, spmm_status_t status, const spmm_diag_t *diag)
{
    const char *text = diag != NULL && diag->text[0] != '\0' ? diag->text : spmm_status_text(status);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    if (what != NULL)
        print_failure(what, text);
    else
        print_escaped(stderr, text);
    fprintf(stderr, " (%s)\n", spmm_status_name(status));
    return exit_code(status);
}

int exit_flush(const char *program)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
    return EXIT_RUNTIME;
}
