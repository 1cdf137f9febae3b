/* SPDX-License-Identifier: Apache-2.0 */
/* See fail.h. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

spmm_status_t fail(spmm_diag_t *diag, spmm_status_t status, const char *format, ...)
{
    va_list args;
    *diag = (spmm_diag_t){.status = status};
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return status;
}

spmm_status_t fail_memory(spmm_diag_t *diag, uint64_t bytes, const char *what)
{
    return fail(diag, SPMM_ERR_MEMORY, "out of memory: %s needs %llu bytes", what, (unsigned long long)bytes);
}
