/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter for the few PTX instructions that executor/jit emits. It runs a program on the host, one thread
 * after the other, to get the result without a GPU. Behaviour that is undefined on a GPU is an error: reading
 * a register that is not declared or not written, an address outside of B and C, a write to B. */
#ifndef TEST_PTX_MACHINE_H
#define TEST_PTX_MACHINE_H

#include <stdint.h>

/* The arguments of a launch, and the address ranges of B and C that it may access. */
struct ptx_launch {
    uint64_t b, c; /* addresses of the first elements of B and C */
    uint64_t b_column, c_column;
    uint32_t b_row, c_row, n;
    double alpha, beta; /* rounded to the sum type of the program */
    uint32_t blocks, threads;
    const char *b_begin, *b_end, *c_begin, *c_end;
};

struct ptx_program;

/* Parses a program. Returns NULL if memory is exhausted or the text is not understood; *why then has the
 * reason. */
struct ptx_program *ptx_program_make(const char *text, char why[160]);
void ptx_program_free(struct ptx_program *program);
int ptx_program_is_double(const struct ptx_program *program); /* whether sums are f64 */
/* Returns 1 if every thread ended without an error. Otherwise returns 0, and *why has the reason. */
int ptx_program_run(const struct ptx_program *program, const struct ptx_launch *launch, char why[160]);

#endif
