/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files: calls that a signal interrupted are repeated. */
#ifndef SPMM_TOOLS_INPUT_FILE_H
#define SPMM_TOOLS_INPUT_FILE_H

#include <stddef.h>
#include <stdio.h>

FILE *input_file_open(const char *path);                        /* like fopen(path, "rb") */
size_t input_file_read(void *bytes, size_t wanted, FILE *file); /* like fread */

#endif
