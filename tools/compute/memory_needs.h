/* SPDX-License-Identifier: Apache-2.0 */
/* The host memory that products with n columns will need, compared with the budget before anything is
 * allocated. A system that overcommits memory would otherwise kill the program later, without a message. */
#ifndef SPMM_TOOLS_MEMORY_NEEDS_H
#define SPMM_TOOLS_MEMORY_NEEDS_H

#include <spmm/common.h>

#define MEMORY_NEEDS_MAX 8

struct memory_needs {
    struct {
        const char *what;
        uint64_t bytes;
    } list[MEMORY_NEEDS_MAX];
    int count;
};

/* Adds a need. Ignores it if bytes is 0. */
void memory_needs_add(struct memory_needs *needs, const char *what, uint64_t bytes);

/* Fails with MEMORY if the needs together exceed the budget. The sentence lists the bytes of each need and
 * says what to change. With budget 0 the budget of machine_memory.h applies. */
spmm_status_t memory_needs_require(const struct memory_needs *needs, int64_t n, uint64_t budget,
                                   spmm_diag_t *diag);

#endif
