/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes of the tools. The numbers are part of the interface, see spmm(7). */
#ifndef SPMM_TOOLS_EXIT_CODE_H
#define SPMM_TOOLS_EXIT_CODE_H

#include <spmm/common.h>

/* Names and texts of the exit statuses 0, 1, .. of all tools. */
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

/* Returns the meaning of an exit status, or NULL for an unknown number. */
const char *exit_text(int code);

int exit_code(spmm_status_t status);

/* Prints "program: what: sentence (status)" on stderr and returns the exit status. `what` names the input as
 * the user gave it and may be NULL. If the sentence already begins with this name, or with the file name
 * without its folder, the name is printed only once. Control characters are escaped. */
int exit_failure(const char *program, const char *what, spmm_status_t status, const spmm_diag_t *diag);

/* Flushes stdout. Returns EXIT_DONE, or reports that the output could not be written and returns
 * EXIT_RUNTIME. */
int exit_flush(const char *program);

#endif
