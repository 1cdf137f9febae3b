/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a program replaces without -f: spmm(7), section Files. */
#ifndef SPMM_TOOLS_OVERWRITE_H
#define SPMM_TOOLS_OVERWRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Would writing to this path lose a file of another kind? A regular file is one that is not empty and does not begin
 * with these bytes; of size 0: every file. */
bool overwrite_loses(const char *path, const char *begin, size_t size);

#endif
