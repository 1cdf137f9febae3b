/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_input.h. */
#include "plan_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* All of standard input, in a block that doubles as it fills. */
static spmm_status_t read_all(FILE *in, char **bytes, size_t *size, spmm_diag_t *diag)
{
    size_t room = (size_t)1 << 20;
    *bytes = malloc(room);
    *size = 0;
    while (*bytes != NULL) {
        const size_t got = fread(*bytes + *size, 1, room - *size, in);
        *size += got;
        if (ferror(in))
            return fail(diag, SPMM_ERR_IO, "standard input: %s", strerror(errno));
        if (*size < room)
            return SPMM_OK;
        char *larger = room <= SIZE_MAX / 2 ? realloc(*bytes, room * 2) : NULL;
        if (larger == NULL)
            break;
        *bytes = larger;
        room *= 2;
    }
    return fail_memory(diag, room, "standard input");
}

spmm_status_t plan_input_open(const char *argument, const spmm_load_options_t *options, spmm_plan_t **plan,
                              spmm_diag_t *diag)
{
    if (strcmp(argument, "-") != 0)
        return spmm_plan_load(argument, options, plan, diag);
    char *bytes = NULL;
    size_t size = 0;
    spmm_status_t status = read_all(stdin, &bytes, &size, diag);
    *plan = NULL;
    if (status == SPMM_OK)
        status = spmm_plan_read(bytes, size, options, plan, diag);
    free(bytes);
    return status;
}
