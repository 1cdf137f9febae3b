/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which files a program replaces without -f: spmm(7), section Files. */
#ifndef SPMM_TOOLS_OVERWRITE_H
#define SPMM_TOOLS_OVERWRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if writing to this path would destroy a file of another kind: a regular, non-empty file that
 * does not begin with the `size` bytes at `begin`. With size 0, every non-empty regular file counts. */
bool overwrite_loses(const char *path, const char *begin, size_t size);

#endif
