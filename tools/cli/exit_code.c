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

/* Groups of statuses, by their hundreds; single ones come first. */
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
    default:
        return EXIT_RUNTIME;
    }
}

int exit_failure(const char *program, const char *what, spmm_status_t status, const spmm_diag_t *diag)
{
    const char *text = diag != NULL && diag->text[0] != '\0' ? diag->text : spmm_status_text(status);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    if (what != NULL && strncmp(text, what, strlen(what)) != 0) {
        print_escaped(stderr, what);
        fputs(": ", stderr);
    }
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
