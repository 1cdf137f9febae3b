/* SPDX-License-Identifier: Apache-2.0 */
/* The --device option of the tools that compute. */
#ifndef SPMM_TOOLS_DEVICE_CHOICE_H
#define SPMM_TOOLS_DEVICE_CHOICE_H

#include "cli.h"

#define DEVICE_CHOICE_VALUE "auto|cpu|cuda[:I]"

/* A device number of the executor; a complaint when the text is none of these. */
enum cli_result device_choice_read(const struct cli_program *program, const char *text, int *device);
/* SPMM_DEVICE_AUTO becomes what it stands for here. */
int device_choice_resolve(int device);

#endif
