/* SPDX-License-Identifier: Apache-2.0 */
/* See diag.h. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

spmm_diag_t spmmi_diag_unheard = {.status = SPMM_ERR_INTERNAL};

spmm_status_t spmmi_diag_set(spmm_diag_t *diag, spmm_status_t status, struct spmmi_where where,
                             const char *format, ...)
{
    spmm_diag_t unseen; /* holds the sentence if only the log needs it */
    if (diag == NULL && spmmi_log_on(SPMM_LOG_ERROR)) {
        spmmi_diag_clear(&unseen);
        diag = &unseen;
    }
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
    spmmi_log(SPMM_LOG_ERROR, "%s", diag->text);
    return status;
}

void spmmi_diag_clear(spmm_diag_t *diag)
{
    if (diag != NULL)
        memset(diag, 0, sizeof *diag);
}
