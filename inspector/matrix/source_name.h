/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a matrix as a plan may hold it. */
#ifndef SPMMI_SOURCE_NAME_H
#define SPMMI_SOURCE_NAME_H

#include <stddef.h>

/* Copy a file name, cut at a character to fit size bytes with its zero. What is not UTF-8, and control
 * characters, become '?': file names are any bytes, the text of a plan is not. */
void spmmi_source_name(const char *name, char *text, size_t size);

#endif
