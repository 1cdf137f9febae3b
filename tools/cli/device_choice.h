/* SPDX-License-Identifier: Apache-2.0 */
/* The --device option of the tools that compute. */
#ifndef SPMM_TOOLS_DEVICE_CHOICE_H
#define SPMM_TOOLS_DEVICE_CHOICE_H

#include <spmm/common.h>

#include "cli.h"

#define DEVICE_CHOICE_VALUE "auto|cpu|cuda[:I]"
extern const struct cli_choice device_choice_words[];

/* A device number of the executor, or SPMM_DEVICE_AUTO; a complaint when the text is none of these. */
enum cli_result device_choice_read(const struct cli_program *program, const char *text, int *device);
/* Where there is no plan yet: SPMM_DEVICE_AUTO becomes the device that the library takes for a plan of one entry. */
spmm_status_t device_choice_auto(int *device, spmm_diag_t *diag);

#endif
