/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of spmmi_stats_compute_on (plan.h), for budgets. */
#ifndef SPMMI_STATS_H
#define SPMMI_STATS_H

#include <stdint.h>

/* Returns the maximum memory in bytes. */
uint64_t spmmi_stats_bytes(uint64_t cols, uint64_t nnz, int threads);

#endif
