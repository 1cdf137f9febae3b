/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes of the tools. The numbers are part of the interface, see spmm(7). */
#ifndef SPMM_TOOLS_EXIT_CODE_H
#define SPMM_TOOLS_EXIT_CODE_H

#include <spmm/common.h>

/* Name and text of the exit statuses 0, 1, .. of all tools. */
#define EXIT_LIST(X)                                                              \
    X(EXIT_DONE, "done")                                                          \
    X(EXIT_RUNTIME, "run-time failure: a file, memory or a device failed")        \
    X(EXIT_USAGE, "usage: the command line is wrong")                             \
    X(EXIT_INPUT, "input refused: a matrix or plan file is malformed or damaged") \
    X(EXIT_NO_FIT, "the plan does not fit this build, device or matrix")          \
    X(EXIT_CHECK, "a product was checked and is wrong")

enum {
#define EXIT_ENUM(name, text) name,
    EXIT_LIST(EXIT_ENUM)
#undef EXIT_ENUM
};

/* What the status means; NULL for a number that is none. */
const char *exit_text(int code);

int exit_code(spmm_status_t status);

/* Print "program: what: sentence (status)" on stderr and return the exit code. what names the input, and may
 * be NULL. It is printed as it was given and once: where the sentence begins with it, or with the name of the file
 * without the folder, that is not said again. Control characters are escaped. */
int exit_failure(const char *program, const char *what, spmm_status_t status, const spmm_diag_t *diag);

/* Flush stdout; EXIT_DONE, or EXIT_RUNTIME and a sentence when the output could not be written. */
int exit_flush(const char *program);

#endif
