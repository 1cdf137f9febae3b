/* SPDX-License-Identifier: Apache-2.0 */
/* The --jit option of programs that run a product. */
#ifndef SPMM_TOOLS_JIT_OPTION_H
#define SPMM_TOOLS_JIT_OPTION_H

#include <spmm/executor.h>

#include "cli_option.h"

static const struct cli_choice jit_option_words[] = {
    {"off", SPMM_JIT_OFF}, {"load", SPMM_JIT_LOAD}, {"on", SPMM_JIT_ON}, {NULL, 0}};

/* target points to an int, which stays SPMM_JIT_AUTO if the option is not given. */
#define JIT_OPTION(target)                                                                                \
    {                                                                                                     \
        0, "jit", CLI_CHOICE, target,                                                                     \
            .value = "LEVEL", .choices = jit_option_words,                                                \
            .help = "prepare the product on a GPU, whatever n is, with a\nkernel that has A in its "      \
                    "instructions: load it from the\ncache, or on: compile it if need be (default: none)" \
    }

#endif
