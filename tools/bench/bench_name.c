/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_name.h. */
#include "bench_name.h"

#include <stdio.h>
#include <string.h>

void bench_name(const char *argument, char *name, size_t size)
{
    static const char *const endings[] = {".zst", ".gz", ".mtx", ".smtx", ".npz", ".rb"};
    const char *base = strrchr(argument, '/');
    base = base == NULL || strncmp(argument, "gen:", 4) == 0 ? argument : base + 1;
    snprintf(name, size, "%s", base);
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        const size_t length = strlen(name);
        const size_t ending = strlen(endings[e]);
        if (length > ending && strcmp(name + length - ending, endings[e]) == 0)
            name[length - ending] = '\0';
    }
}
