/* SPDX-License-Identifier: Apache-2.0 */
/* How PTX takes values of a type from memory to a register of f32 or f64, and back. */
#ifndef SPMMI_JIT_STORED_H
#define SPMMI_JIT_STORED_H

#include <spmm/common.h>

struct spmmi_jit_stored {
    const char *word; /* in memory; values of 16 bits are loaded into a register of this type */
    /* Instructions between the two registers, and what is around the first one's source; NULL: one register is both. */
    const char *widen, *before, *behind;
    const char *narrow; /* to nearest even */
};

/* NULL: there is no such type. */
const struct spmmi_jit_stored *spmmi_jit_stored_of(spmm_dtype_t dtype);

#endif
