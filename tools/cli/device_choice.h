/* SPDX-License-Identifier: Apache-2.0 */
/* The --device option of the programs that run products. */
#ifndef SPMM_TOOLS_DEVICE_CHOICE_H
#define SPMM_TOOLS_DEVICE_CHOICE_H

#include <spmm/common.h>

#include "cli.h"

#define DEVICE_CHOICE_VALUE "auto|cpu|cuda[:I]"
extern const struct cli_choice device_choice_words[];

/* Parses a device option into a device number of the executor or SPMM_DEVICE_AUTO. Complains if text is
 * neither. */
enum cli_result device_choice_read(const struct cli_program *program, const char *text, int *device);
/* Replaces SPMM_DEVICE_AUTO by the device that the library chooses for a plan of one entry. For programs that
 * need a device before they have a plan. */
spmm_status_t device_choice_auto(int *device, spmm_diag_t *diag);

#endif
