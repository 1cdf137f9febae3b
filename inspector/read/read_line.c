/* SPDX-License-Identifier: Apache-2.0 */
/* See read_line.h. */
#include "read_line.h"

int spmmi_split_lines(const char *begin, const char *end, int count, const char **bound)
{
    int pieces = 0;
    const uint64_t size = (uint64_t)(end - begin);
    bound[0] = begin;
    for (int i = 1; i < count; i++) {
        const char *aim = begin + size / (uint64_t)count * (uint64_t)i;
        if (aim <= bound[pieces])
            continue;
        const char *cut = spmmi_skip_line(aim - 1, end);
        if (cut < end)
            bound[++pieces] = cut;
    }
    bound[++pieces] = end;
    return pieces;
}
