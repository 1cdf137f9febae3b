/* SPDX-License-Identifier: Apache-2.0 */
/* Traces the system calls of a program: counts those that can fail and lets one of them fail. So a fault can
 * meet every call of the process, also calls that the C library makes. */
#ifndef TEST_TRACER_H
#define TEST_TRACER_H

#include "program.h"

/* Returns true if programs can be traced here. If SPMM_TESTS_RUN is set, tests must not be left out: the test
 * fails instead. */
bool tracer_works(void);

/* Call in the child, before it becomes the program. */
void tracer_begin(void);
/* Call in the parent. Runs until the child has ended and returns its wait status. */
int tracer_follow(pid_t child, const struct program *program, struct program_end *end);

#endif
