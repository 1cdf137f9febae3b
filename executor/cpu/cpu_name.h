/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's name, for people. */
#ifndef SPMMI_CPU_NAME_H
#define SPMMI_CPU_NAME_H

#include <stddef.h>

/* "CPU" where the processor does not tell. size is at least 1. */
void spmmi_cpu_name(char *text, size_t size);

#endif
