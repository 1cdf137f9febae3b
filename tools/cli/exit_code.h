/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools tell the shell. The numbers are part of the interface, see spmm(7). */
#ifndef SPMM_TOOLS_EXIT_CODE_H
#define SPMM_TOOLS_EXIT_CODE_H

#include <spmm/common.h>

enum {
    EXIT_DONE = 0,
    EXIT_RUNTIME = 1, /* a file, memory or a device failed */
    EXIT_USAGE = 2,   /* the command line is wrong */
    EXIT_INPUT = 3,   /* a matrix or plan file was refused */
    EXIT_NO_FIT = 4,  /* the plan does not fit this build, device or matrix */
    EXIT_CHECK = 5,   /* a product was checked and is wrong */
};

int exit_code(spmm_status_t status);

/* Print "program: what: sentence (status)" on stderr and return the exit code. what names the input, and may
 * be NULL; it is left out where the sentence begins with it. Control characters are escaped. */
int exit_failure(const char *program, const char *what, spmm_status_t status, const spmm_diag_t *diag);

/* Flush stdout; EXIT_DONE, or EXIT_RUNTIME and a sentence when the output could not be written. */
int exit_flush(const char *program);

#endif
