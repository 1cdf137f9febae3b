/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the programs may take if nobody says. */
#ifndef SPMM_TOOLS_MACHINE_MEMORY_H
#define SPMM_TOOLS_MACHINE_MEMORY_H

#include <stdint.h>

/* The budget of --budget, or where that is 0 three quarters of the memory that this process can have; UINT64_MAX where
 * the machine does not say. */
uint64_t machine_memory_budget(uint64_t asked);

/* The smallest memory limit of the control groups of a process: cgroups names them as /proc/self/cgroup does, their
 * files lie below root. UINT64_MAX: there is none. */
uint64_t machine_memory_limit(const char *cgroups, const char *root);

#endif
