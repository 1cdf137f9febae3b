/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the number of threads that the caller requests into the number that the inspector starts. */
#ifndef SPMMI_THREAD_COUNT_H
#define SPMMI_THREAD_COUNT_H

#include <omp.h>

#include "format/base/team.h"

/* Returns 1 to SPMMI_TEAM_MAX. wanted 0 means as many threads as OpenMP uses by default. */
static inline int spmmi_thread_count(int wanted)
{
    const int most = omp_get_max_threads();
    if (wanted > 0)
        return spmmi_team_clamp(wanted, "the inspector");
    return most < SPMMI_TEAM_MAX ? most : SPMMI_TEAM_MAX;
}

#endif
