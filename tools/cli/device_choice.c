/* SPDX-License-Identifier: Apache-2.0 */
/* See device_choice.h. */
#include "device_choice.h"

#include <string.h>

#include <spmm/spmm.h>

#include "fail.h"

const struct cli_choice device_choice_words[] = {{"auto", 0}, {"cpu", 0}, {"cuda", 0}, {NULL, 0}};

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

spmm_status_t device_choice_auto(int *device, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_executor_t *executor = NULL;
    spmm_status_t status = SPMM_OK;
    if (*device != SPMM_DEVICE_AUTO)
        return SPMM_OK;
    TRY(spmm_matrix_generate("gen:diag:1", &matrix, diag));
    TRY(spmm_inspect(matrix, &options, &plan, diag));
    TRY(spmm_executor_create(plan, SPMM_DEVICE_AUTO, NULL, &executor, diag));
    TRY(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, diag));
    *device = info.device;
cleanup:
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return status;
}
