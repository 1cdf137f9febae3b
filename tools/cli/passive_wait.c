/* SPDX-License-Identifier: Apache-2.0 */
/* See passive_wait.h. */
#include "passive_wait.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

static bool is_set_by_user(void)
{
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return true;
    return false;
}

/* Returns true if the running file is one of the tools. It may be the dynamic loader, started by name with
 * the program as an argument; that must not be executed again. */
static bool is_ours(void)
{
    char path[4096] = "";
    const ssize_t length = readlink(SELF, path, sizeof path - 1);
    const char *slash = length > 0 ? strrchr(path, '/') : NULL;
    return slash != NULL && strncmp(slash + 1, "spmm-", 5) == 0;
}

void passive_wait(char **argv)
{
    if (is_set_by_user() || !is_ours() || setenv("OMP_WAIT_POLICY", "passive", 0) != 0)
        return;
    (void)execv(SELF, argv); /* returns only on failure: then threads wait as the runtime decides */
}
