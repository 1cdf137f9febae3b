/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix as a program: PTX of C = alpha * op(A) * B + beta * C in which each nonzero is an instruction.
 *
 * thread      one column of B and C; blocks of SPMMI_JIT_THREADS threads side by side
 * form        where few columns of op(A) have entries, a thread keeps its column of B in registers and computes row
 *             after row of C; else, where few rows have entries, it keeps the sums of all rows and takes B row by row
 * sums        of a row by fma in the order of its columns, from 0: the bits of rows/row-split on a GPU, whose steps
 *             alpha * sum and fma(alpha, sum, beta * c) follow; a row without entries gets 0 or beta * c + 0,
 *             or with beta = 1 stays as it is
 * zeros       an entry that is 0 is multiplied; what has no entry is not: NaN and infinity go where they have to
 * operands    both layouts: strides are arguments. alpha is not 0 (the ordinary kernels scale C then)
 * types       every row of format/base/types_list.def: what has 16 bits is widened when it is read, values of A here,
 *             and an element of C is rounded once, to nearest even
 * C           rows in groups of SPMMI_JIT_GROUP: where beta is not 0, those of a group are loaded at once
 *
 * Only integers and the bits of values get into the text: nothing of a plan is copied. */
#ifndef SPMMI_JIT_PTX_H
#define SPMMI_JIT_PTX_H

#include <stdint.h>

#include "format/base/types.h"

#define SPMMI_JIT_THREADS 128u
#define SPMMI_JIT_GROUP 8u
/* What the driver's compiler takes in less than half a second, and the multiprocessors in one read of their
 * instructions; 32-bit registers for a thread's values, which are of the type of sums. docs/decisions/0067 has what
 * was measured. */
#define SPMMI_JIT_NNZ_MAX 4096 /* of sums of f64, whose values take two instructions more, half of them */
#define SPMMI_JIT_REGISTERS_MAX 190u
#define SPMMI_JIT_DIMENSION_MAX 8192          /* rows and columns: more make too much text */
#define SPMMI_JIT_PTX_MAX (UINT32_C(1) << 20) /* bytes of text */
#define SPMMI_JIT_ENTRY_POINT "spmm_operator"

/* op(A) in canonical CSR. */
struct spmmi_jit_matrix {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values; /* of the order of op(A) */
    struct spmmi_types types;
};

/* Why a matrix of this pattern is not made into a program, in static memory; NULL: it is, if the text is short enough.
 * values are not looked at. */
const char *spmmi_jit_ptx_refuse(const struct spmmi_jit_matrix *a);

/* Its text, ended by a zero, to free with spmmi_free; *bytes without the zero. NULL and *why, in static memory: there
 * is none. */
char *spmmi_jit_ptx_emit(const struct spmmi_jit_matrix *a, uint32_t *bytes, const char **why);

#endif
