/* SPDX-License-Identifier: Apache-2.0 */
/* See memory_needs.h. */
#include "memory_needs.h"

#include <stdio.h>

#include "tools/cli/fail.h"
#include "tools/cli/machine_memory.h"

#define LIST_BYTES 160

void memory_needs_add(struct memory_needs *needs, const char *what, uint64_t bytes)
{
    if (bytes == 0 || needs->count == MEMORY_NEEDS_MAX)
        return;
    needs->list[needs->count].what = what;
    needs->list[needs->count++].bytes = bytes;
}

spmm_status_t memory_needs_require(const struct memory_needs *needs, int64_t n, uint64_t budget,
                                   spmm_diag_t *diag)
{
    const uint64_t allowed = machine_memory_budget(budget);
    char list[LIST_BYTES] = "";
    uint64_t sum = 0;
    size_t used = 0;
    for (int i = 0; i < needs->count; i++) {
        if (__builtin_add_overflow(sum, needs->list[i].bytes, &sum))
            sum = UINT64_MAX;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s %llu", i > 0 ? ", " : "",
                                     needs->list[i].what, (unsigned long long)needs->list[i].bytes);
    }
    if (sum <= allowed)
        return SPMM_OK;
    return fail(diag, SPMM_ERR_MEMORY,
                "n = %lld needs %llu bytes (%s), the budget is %llu: take a smaller -n or a larger --budget",
                (long long)n, (unsigned long long)sum, list, (unsigned long long)allowed);
}
