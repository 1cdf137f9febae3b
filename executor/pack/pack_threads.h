/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads that pack and copy data for a GPU. */
#ifndef SPMMI_PACK_THREADS_H
#define SPMMI_PACK_THREADS_H

#include <omp.h>
#include <stdint.h>

#define SPMMI_PACK_PARALLEL_MIN ((uint64_t)1 << 20) /* below it a parallel region costs as much as it saves */
#define SPMMI_PACK_THREADS_MAX 16                   /* more threads wait longer than they copy */

/* Returns a number for spmmi_team. All regions of a create use the same number: OpenMP starts a team
 * anew if its size changes. */
static inline int spmmi_pack_threads(uint64_t bytes)
{
    const int most = omp_get_max_threads();
    if (bytes < SPMMI_PACK_PARALLEL_MIN)
        return 1;
    return most < SPMMI_PACK_THREADS_MAX ? most : SPMMI_PACK_THREADS_MAX;
}

#endif
