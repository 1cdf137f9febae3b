/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads pack and copy what a GPU gets. */
#ifndef SPMMI_PACK_THREADS_H
#define SPMMI_PACK_THREADS_H

#include <omp.h>
#include <stdint.h>

#define SPMMI_PACK_PARALLEL_MIN ((uint64_t)1 << 20) /* below it a region costs as much as it saves */
#define SPMMI_PACK_THREADS_MAX 16                   /* more wait longer for each other than they copy */

/* For spmmi_team. One number for all regions of a create: a team that changes its size is started anew. */
static inline int spmmi_pack_threads(uint64_t bytes)
{
    const int most = omp_get_max_threads();
    if (bytes < SPMMI_PACK_PARALLEL_MIN)
        return 1;
    return most < SPMMI_PACK_THREADS_MAX ? most : SPMMI_PACK_THREADS_MAX;
}

#endif
