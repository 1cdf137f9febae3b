/* SPDX-License-Identifier: Apache-2.0 */
/* See device_choice.h. */
#include "device_choice.h"

#include <string.h>

#include <spmm/executor.h>

static int parse(const char *text, int *device)
{
    if (strcmp(text, "auto") == 0)
        *device = SPMM_DEVICE_AUTO;
    else if (strcmp(text, "cpu") == 0)
        *device = SPMM_DEVICE_CPU;
    else if (strcmp(text, "cuda") == 0)
        *device = 0;
    else if (strncmp(text, "cuda:", 5) == 0 && text[5] >= '0' && text[5] <= '9' &&
             (text[6] == '\0' || (text[6] >= '0' && text[6] <= '9' && text[7] == '\0')))
        *device = text[6] == '\0' ? text[5] - '0' : 10 * (text[5] - '0') + (text[6] - '0');
    else
        return 0;
    return 1;
}

enum cli_result device_choice_read(const struct cli_program *program, const char *text, int *device)
{
    if (parse(text, device))
        return CLI_RUN;
    return cli_complain(program, "--device takes " DEVICE_CHOICE_VALUE ", not '%s'", text);
}

int device_choice_resolve(int device)
{
    if (device != SPMM_DEVICE_AUTO)
        return device;
    return spmm_device_count() > 0 ? 0 : SPMM_DEVICE_CPU;
}
