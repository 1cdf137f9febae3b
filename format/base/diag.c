/* SPDX-License-Identifier: Apache-2.0 */
/* See diag.h. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

spmm_status_t spmmi_diag_set(spmm_diag_t *diag, spmm_status_t status, struct spmmi_where where,
                             const char *format, ...)
{
    if (diag == NULL || diag->status != SPMM_OK)
        return status;
    diag->status = status;
    diag->offset = where.offset;
    diag->line = where.line;
    diag->native_error = where.native_error;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return status;
}

void spmmi_diag_clear(spmm_diag_t *diag)
{
    if (diag != NULL)
        memset(diag, 0, sizeof *diag);
}
