/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the names of the functions that the library loads from CUDA's driver. They do nothing. */
#include "executor/jit/jit_driver.h"

#define X(name, symbol, parameters) \
    int symbol(void);               \
    int symbol(void)                \
    {                               \
        return 0;                   \
    }
SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
