/* SPDX-License-Identifier: Apache-2.0 */
/* The log passes sentences to the function that the caller gave to spmm_log_set. A level that is off costs
 * one comparison, and its arguments are not evaluated. A product that succeeds logs nothing. */
#ifndef SPMMI_LOG_H
#define SPMMI_LOG_H

#include <spmm/common.h>

extern int spmmi_log_limit; /* the highest level that is logged; read it only through spmmi_log_on */

/* Whether this level is logged. Use it to skip the preparation of costly sentences. */
#define spmmi_log_on(level) ((int)(level) <= spmmi_log_limit)

/* Logs one sentence, without a newline. */
#define spmmi_log(level, ...)                      \
    do {                                           \
        if (spmmi_log_on(level))                   \
            spmmi_log_write((level), __VA_ARGS__); \
    } while (0)

__attribute__((format(printf, 2, 3))) void spmmi_log_write(spmm_log_level_t level, const char *format, ...);

#endif
