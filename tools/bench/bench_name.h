/* SPDX-License-Identifier: Apache-2.0 */
/* What spmm-bench calls a matrix. */
#ifndef SPMM_TOOLS_BENCH_NAME_H
#define SPMM_TOOLS_BENCH_NAME_H

#include <stddef.h>

/* "cant" of "folder/cant.mtx.zst"; a generator string as it is. */
void bench_name(const char *argument, char *name, size_t size);

#endif
