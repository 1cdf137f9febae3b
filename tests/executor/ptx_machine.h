/* SPDX-License-Identifier: Apache-2.0 */
/* A machine for the few PTX instructions that executor/jit emits: it runs a program thread by thread on the host, so
 * that its result is known without a GPU. What a GPU leaves undefined is an error here: reading a register that was
 * not written or not declared, an address outside of B and C, a write to B. */
#ifndef TEST_PTX_MACHINE_H
#define TEST_PTX_MACHINE_H

#include <stdint.h>

/* The arguments of a launch, and the memory that it may touch. */
struct ptx_launch {
    uint64_t b, c; /* addresses of the first element */
    uint64_t b_column, c_column;
    uint32_t b_row, c_row, n;
    double alpha, beta; /* rounded to the type of the program */
    uint32_t blocks, threads;
    const char *b_begin, *b_end, *c_begin, *c_end;
};

struct ptx_program;

/* Text to instructions; NULL: out of memory, or *why says what is not understood. */
struct ptx_program *ptx_program_make(const char *text, char why[160]);
void ptx_program_free(struct ptx_program *program);
int ptx_program_is_double(const struct ptx_program *program); /* its values are f64 */
/* Returns whether every thread came to its end; else why not. */
int ptx_program_run(const struct ptx_program *program, const struct ptx_launch *launch, char why[160]);

#endif
