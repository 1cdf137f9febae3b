/* SPDX-License-Identifier: Apache-2.0 */
/* What products of n columns will take of the host's memory, compared with the budget before anything is taken: a
 * system that promises more memory than it has would kill the program later, without a message. */
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

/* Nothing is added where bytes is 0. */
void memory_needs_add(struct memory_needs *needs, const char *what, uint64_t bytes);

/* MEMORY where they exceed the budget together: how many bytes for what, and what to change. budget 0: that of
 * machine_memory.h. */
spmm_status_t memory_needs_require(const struct memory_needs *needs, int64_t n, uint64_t budget,
                                   spmm_diag_t *diag);

#endif
