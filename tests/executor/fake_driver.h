/* SPDX-License-Identifier: Apache-2.0 */
/* A driver of CUDA that answers as a test says. Its compiler keeps the text, and its GPU is the machine of
 * ptx_machine.h in the memory of the host: so a prepared product is computed as a GPU would. */
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
    enum fake_driver_call fails; /* this call; NONE: all succeed */
    int calls[FAKE_NONE];
    int contexts, depth, links, modules; /* that were not given back, or left */
    int threads_max;                     /* of a function; 0: 1024 */
    size_t code_bytes;                   /* that the compiler says it made; 0: the truth */
    void (*at_compile)(void);            /* called while something is compiled; NULL: nothing is */
};
extern struct fake_driver fake_driver;

/* All succeeds; counters are 0, but for what still lives. The executor takes this driver from now on. */
void fake_driver_works(void);
void fake_driver_gone(void);

#endif
