/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a traced program: counts those that can fail and lets one of them fail. So a fault can meet every call
 * of the process, also those that the C library makes. */
#ifndef TEST_TRACER_H
#define TEST_TRACER_H

#include "program.h"

/* Can programs be traced here? Where tests must not be left out (SPMM_TESTS_RUN), a no fails the test. */
bool tracer_works(void);

/* In the child, before it becomes the program. */
void tracer_begin(void);
/* In the parent, until the child has ended; its wait status. */
int tracer_follow(pid_t child, const struct program *program, struct program_end *end);

#endif
