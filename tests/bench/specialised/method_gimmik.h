/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that GiMMiK generated for the same matrices. There are several per case, of which users of
 * GiMMiK select the fastest. gimmik_kernels.py compiles them to machine code in a folder, on a machine
 * with GiMMiK and the CUDA compiler. */
#ifndef SPMM_TESTS_METHOD_GIMMIK_H
#define SPMM_TESTS_METHOD_GIMMIK_H

#include "method.h"

/* Reads the folder's list for this type. Errors: IO (the list is missing or invalid), MEMORY. */
spmm_status_t method_gimmik_open(const char *folder, spmm_dtype_t dtype, spmm_diag_t *diag);
void method_gimmik_close(void);
int method_gimmik_is_open(void);

/* Returns the number of kernels for this case. */
int method_gimmik_count(const struct method_case *of);
/* Returns the method of a kernel; number must be below the count. */
struct method method_gimmik(int number);

#endif
