/* SPDX-License-Identifier: Apache-2.0 */
/* The name of the processor, for people. */
#ifndef SPMMI_CPU_NAME_H
#define SPMMI_CPU_NAME_H

#include <stddef.h>

/* Writes the name, or "CPU" if the processor does not report one. size is at least 1. */
void spmmi_cpu_name(char *text, size_t size);

#endif
