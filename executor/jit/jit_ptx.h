/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix as a program: PTX of C = alpha * op(A) * B + beta * C in which each nonzero is an
 * instruction.
 *
 * thread      one column of B and C; blocks of SPMMI_JIT_THREADS adjacent threads
 * form        if few columns of op(A) have entries, a thread keeps its column of B in registers and computes
 *             row after row of C; else, if few rows have entries, it keeps the sums of all rows and loads B
 *             row by row
 * sums        fma in the order of the columns of a row, from 0: the bits of rows/row-split on a GPU, whose
 *             next steps, alpha * sum and fma(alpha, sum, beta * c), are also the same. A row without entries
 *             gets 0 or beta * c + 0; with beta = 1 it stays as it is
 * zeros       stored zeros are multiplied, missing entries are not: so NaN and infinity reach exactly the
 *             right rows
 * operands    both layouts: strides are arguments. alpha is not 0 (ordinary kernels scale C in that case)
 * types       every row of format/base/types_list.def: 16-bit values are widened, values of B and C when they
 *             are loaded, values of A in this text; an element of C is rounded once, to nearest even
 * C           rows in groups of SPMMI_JIT_GROUP: if beta is not 0, a group is loaded at once
 *
 * Only integers and the bits of values are written to the text: no text of a plan gets into it. */
#ifndef SPMMI_JIT_PTX_H
#define SPMMI_JIT_PTX_H

#include <stdint.h>

#include "format/base/types.h"

#define SPMMI_JIT_THREADS 128u
#define SPMMI_JIT_GROUP 8u
/* Limits within which the driver's compiler takes less than half a second, and a multiprocessor reads the
 * instructions only once. Registers are 32-bit registers for a thread's values, which have the type of sums.
 * docs/decisions/0067 has the measurements. */
#define SPMMI_JIT_NNZ_MAX 4096 /* half as many if sums are f64: a value then takes two more instructions */
#define SPMMI_JIT_REGISTERS_MAX 190u
#define SPMMI_JIT_DIMENSION_MAX 8192          /* rows and columns: more would make the text too long */
#define SPMMI_JIT_PTX_MAX (UINT32_C(1) << 20) /* maximum bytes of text */
#define SPMMI_JIT_ENTRY_POINT "spmm_operator"

/* op(A) in canonical CSR. */
struct spmmi_jit_matrix {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values; /* in the order of op(A) */
    struct spmmi_types types;
};

/* Returns why a matrix with this pattern cannot become a program, in static memory; NULL: it can, if the text
 * is short enough. Does not read values. */
const char *spmmi_jit_ptx_refuse(const struct spmmi_jit_matrix *a);

/* Returns the text of the program, zero-terminated, to be freed with spmmi_free. *bytes does not count the
 * zero. Returns NULL and *why, in static memory, if there is no program. */
char *spmmi_jit_ptx_emit(const struct spmmi_jit_matrix *a, uint32_t *bytes, const char **why);

#endif
