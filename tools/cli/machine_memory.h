/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a program may use if the user sets no budget. */
#ifndef SPMM_TOOLS_MACHINE_MEMORY_H
#define SPMM_TOOLS_MACHINE_MEMORY_H

#include <stdint.h>

/* Returns asked, the value of --budget, if it is not 0. Otherwise returns three quarters of the memory that
 * this process can use, or UINT64_MAX if that is unknown. */
uint64_t machine_memory_budget(uint64_t asked);

/* Returns the smallest memory limit of the control groups of a process, or UINT64_MAX if there is none.
 * cgroups is a file such as /proc/self/cgroup, and root is the folder of the control groups' files. */
uint64_t machine_memory_limit(const char *cgroups, const char *root);

#endif
