/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver that answers as a test asks. Its compiler keeps the PTX text, and its GPU is the
 * interpreter of ptx_machine.h, which works in host memory: a prepared product gets the result that a GPU
 * would compute. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include "executor/jit/jit_driver.h"

enum fake_driver_call {
#define X(name, symbol, parameters) FAKE_##name,
    SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
        FAKE_NONE
};

struct fake_driver {
    enum fake_driver_call fails; /* the call that fails; NONE: all calls succeed */
    int calls[FAKE_NONE];
    int contexts, depth, links, modules; /* objects not destroyed; depth: contexts on the stack */
    int threads_max;                     /* maximum threads per block of a function; 0: 1024 */
    size_t code_bytes;                   /* size of the code that the compiler reports; 0: the true size */
    int code_is_empty;                   /* 1: the compiler reports code of 0 bytes */
    void (*at_compile)(void);            /* called during each compilation; may be NULL */
};
extern struct fake_driver fake_driver;

/* Makes all calls succeed and clears the counters, except those of objects that still exist. The executor
 * uses this driver from now on. */
void fake_driver_works(void);
void fake_driver_gone(void);

#endif
