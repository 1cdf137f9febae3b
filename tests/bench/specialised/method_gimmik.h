/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that GiMMiK made of the same matrices: several for a case, of which its users take the fastest. They are
 * machine code in a folder that gimmik_kernels.py fills where GiMMiK and CUDA's compiler are. */
#ifndef SPMM_TESTS_METHOD_GIMMIK_H
#define SPMM_TESTS_METHOD_GIMMIK_H

#include "method.h"

/* Reads the folder's list for this type. Errors: IO (there is none, or it is not understood), MEMORY. */
spmm_status_t method_gimmik_open(const char *folder, spmm_dtype_t dtype, spmm_diag_t *diag);
void method_gimmik_close(void);
int method_gimmik_is_open(void);

/* How many there are for this case. */
int method_gimmik_count(const struct method_case *of);
/* That of a number below the count. */
struct method method_gimmik(int number);

#endif
