/* SPDX-License-Identifier: Apache-2.0 */
/* What a file is by the end of its name, wherever files are read or written. */
#ifndef SPMMI_FILE_ENDING_H
#define SPMMI_FILE_ENDING_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Do the first `length` bytes of a name end with this ending, ".mtx" or ".mtx.gz", in any case? */
static inline bool spmmi_has_ending(const char *name, size_t length, const char *ending)
{
    const size_t tail = strlen(ending);
    return length >= tail && strncasecmp(name + length - tail, ending, tail) == 0;
}

#endif
