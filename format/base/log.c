/* SPDX-License-Identifier: Apache-2.0 */
/* See log.h. The state needs no lock: callers must not call spmm_log_set while another call runs. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#define SENTENCE_BYTES 512

int spmmi_log_limit = SPMM_LOG_OFF;

static spmm_log_fn log_function;
static void *log_context;

void spmm_log_set(spmm_log_fn log, void *context, spmm_log_level_t level)
{
    log_function = log;
    log_context = context;
    spmmi_log_limit = log != NULL ? (int)level : SPMM_LOG_OFF;
}

void spmmi_log_write(spmm_log_level_t level, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_function(log_context, level, text);
}
