/* SPDX-License-Identifier: Apache-2.0 */
/* The log: sentences for the function that the caller gave to spmm_log_set. A level that is off costs one comparison;
 * its arguments are not evaluated. Nothing is logged while a product runs as it should. */
#ifndef SPMMI_LOG_H
#define SPMMI_LOG_H

#include <spmm/common.h>

extern int spmmi_log_limit; /* the highest level that is logged; read it only through spmmi_log_on */

/* Is this level logged? For sentences that are costly to make. */
#define spmmi_log_on(level) ((int)(level) <= spmmi_log_limit)

/* One sentence, without a newline. */
#define spmmi_log(level, ...)                      \
    do {                                           \
        if (spmmi_log_on(level))                   \
            spmmi_log_write((level), __VA_ARGS__); \
    } while (0)

__attribute__((format(printf, 2, 3))) void spmmi_log_write(spmm_log_level_t level, const char *format, ...);

#endif
