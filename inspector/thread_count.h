/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads a caller gets. */
#ifndef SPMMI_THREAD_COUNT_H
#define SPMMI_THREAD_COUNT_H

#include <omp.h>

#include "format/base/log.h"

#define SPMMI_THREADS_MAX \
    1024 /* OpenMP ends the process when it cannot start the threads that it is asked for */

/* wanted 0: as many as the machine has. */
static inline int spmmi_thread_count(int wanted)
{
    const int threads = wanted > 0 ? wanted : omp_get_max_threads();
    if (wanted > SPMMI_THREADS_MAX)
        spmmi_log(SPMM_LOG_WARNING, "%d threads were asked for, the inspector takes at most %d", wanted,
                  SPMMI_THREADS_MAX);
    return threads < SPMMI_THREADS_MAX ? threads : SPMMI_THREADS_MAX;
}

#endif
