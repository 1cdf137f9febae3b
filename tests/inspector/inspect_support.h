/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that the tests of spmm_inspect share. */
#ifndef SPMM_TESTS_INSPECT_SUPPORT_H
#define SPMM_TESTS_INSPECT_SUPPORT_H

#include <spmm/inspector.h>

#define OPTIONS(...)                                               \
    {                                                              \
        .struct_size = sizeof(spmm_inspect_options_t), __VA_ARGS__ \
    }

/* Initializers for members of OPTIONS that point to nested option structs. The structs live as long as the
 * enclosing block. */
#define TILED(...)                                               \
    .tiled = &(const spmm_tiled_options_t)                       \
    {                                                            \
        .struct_size = sizeof(spmm_tiled_options_t), __VA_ARGS__ \
    }
#define TCBLOCK(...)                                               \
    .tcblock = &(const spmm_tcblock_options_t)                     \
    {                                                              \
        .struct_size = sizeof(spmm_tcblock_options_t), __VA_ARGS__ \
    }
#define TUNING(...)                                               \
    .tuning = &(const spmm_tuning_options_t)                      \
    {                                                             \
        .struct_size = sizeof(spmm_tuning_options_t), __VA_ARGS__ \
    }

/* Specs that use each generator at least once; ends with NULL. */
extern const char *const inspect_specs[];
#define INSPECT_SPEC_COUNT 20

/* Generate a matrix or inspect one. Both fail the test if the library refuses. The caller destroys the
 * result. */
spmm_matrix_t *inspect_generate(const char *spec);
spmm_plan_t *inspect_plan(const spmm_matrix_t *m, const spmm_inspect_options_t *options);

#endif
