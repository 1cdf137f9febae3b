/* SPDX-License-Identifier: Apache-2.0 */
/* The test of file name endings that all readers and writers of files use. */
#ifndef SPMMI_FILE_ENDING_H
#define SPMMI_FILE_ENDING_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Returns true if the first `length` bytes of name end with
 * `ending` (such as ".mtx" or ".mtx.gz"), ignoring case. */
static inline bool spmmi_has_ending(const char *name, size_t length, const char *ending)
{
    const size_t tail = strlen(ending);
    return length >= tail && strncasecmp(name + length - tail, ending, tail) == 0;
}

#endif
