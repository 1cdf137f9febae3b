/* SPDX-License-Identifier: Apache-2.0 */
/* See machine_memory.h. A container sees the memory of the whole machine, but the kernel kills a process that
 * exceeds the limit of its control group. */
#include "machine_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the number in a file, or UINT64_MAX if there is none (a group without a limit contains "max"). */
static uint64_t number_in(const char *path)
{
    uint64_t number = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &number) != 1)
        number = UINT64_MAX;
    (void)fclose(file);
    return number;
}

/* Returns the smallest limit of a group and its parent groups: the files folder/a/b/name, folder/a/name and
 * folder/name. Cuts group. */
static uint64_t limit_of(const char *root, const char *folder, char *group, const char *name)
{
    char path[PATH_BYTES];
    uint64_t limit = UINT64_MAX;
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        *end = '\0';
        const int bytes = snprintf(path, sizeof path, "%s%s%s/%s", root, folder, group, name);
        if (bytes < (int)sizeof path)
            limit = smaller(limit, number_in(path));
    }
    return limit;
}

/* A line is NUMBER:CONTROLLERS:GROUP. Version 2 of control groups has one line, with number 0 and no
 * controllers. */
uint64_t machine_memory_limit(const char *cgroups, const char *root)
{
    char line[PATH_BYTES];
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen(cgroups, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *group = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (group == NULL)
            continue;
        if (strncmp(line, "0::/", 4) == 0)
            limit = smaller(limit, limit_of(root, "", group, "memory.max"));
        else if (strstr(line, ":memory:/") != NULL)
            limit = smaller(limit, limit_of(root, "/memory", group, "memory.limit_in_bytes"));
    }
    if (file != NULL)
        (void)fclose(file);
    return limit;
}

uint64_t machine_memory_budget(uint64_t asked)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    const uint64_t has = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
    if (asked != 0)
        return asked;
    const uint64_t may = smaller(has, machine_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
    return may == UINT64_MAX ? UINT64_MAX : may / 4 * 3;
}
