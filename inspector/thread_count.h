/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads that the inspector starts for the number that its caller asks for. */
#ifndef SPMMI_THREAD_COUNT_H
#define SPMMI_THREAD_COUNT_H

#include <omp.h>

#include "format/base/team.h"

/* wanted 0: as many as the machine has. */
static inline int spmmi_thread_count(int wanted)
{
    const int most = omp_get_max_threads();
    if (wanted > 0)
        return spmmi_team_clamp(wanted, "the inspector");
    return most < SPMMI_TEAM_MAX ? most : SPMMI_TEAM_MAX;
}

#endif
