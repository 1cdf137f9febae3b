/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the host's memory a certificate takes. */
#ifndef SPMM_TOOLS_CERTIFY_MEMORY_H
#define SPMM_TOOLS_CERTIFY_MEMORY_H

#include <spmm/spmm.h>

/* The certifier of a plan. It transposes A where the plan has variants for op T, whatever the op of the product is. */
uint64_t certify_memory_certifier(const spmm_plan_t *plan, const spmm_plan_info_t *info);
/* A check on the CPU: the sums of its vectors, of n columns, for each row of B. */
uint64_t certify_memory_check(spmm_dtype_t a_type, int64_t b_rows, int64_t n, int vectors);

#endif
