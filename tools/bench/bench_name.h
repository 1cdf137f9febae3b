/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a matrix in spmm-bench. */
#ifndef SPMM_TOOLS_BENCH_NAME_H
#define SPMM_TOOLS_BENCH_NAME_H

#include <stddef.h>

/* Writes the file name without folder and endings ("cant" for "folder/cant.mtx.zst"), or a generator string
 * unchanged. */
void bench_name(const char *argument, char *name, size_t size);

#endif
