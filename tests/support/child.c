/* SPDX-License-Identifier: Apache-2.0 */
/* See child.h. */
#include "child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include <sys/wait.h>

void child_forget(pid_t child)
{
    char pattern[64];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "/dev/shm/__KMP_REGISTERED_LIB_%d_*",
                   (int)child); /* _ID of the user */
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            (void)unlink(found.gl_pathv[i]);
        globfree(&found);
    }
}

int child_wait(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    child_forget(child);
    return status;
}
