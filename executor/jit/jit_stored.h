/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX instructions that convert values of a type between memory and a register of f32 or f64. */
#ifndef SPMMI_JIT_STORED_H
#define SPMMI_JIT_STORED_H

#include <spmm/common.h>

struct spmmi_jit_stored {
    const char *word; /* PTX type in memory; 16-bit values are loaded into a register of this type */
    /* Instruction that converts the loaded register to the computing one, and the text in front of and after
     * its source operand. NULL: one register is both. */
    const char *widen, *before, *behind;
    const char *narrow; /* instruction that rounds to nearest even before storing */
};

/* Returns NULL if there is no such type. */
const struct spmmi_jit_stored *spmmi_jit_stored_of(spmm_dtype_t dtype);

#endif
