/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for both reading and writing frames. */
#include "frames.h"

#include <omp.h>

#include "format/base/log.h"

#define THREADS_MAX 256
#define THREAD_RAW (2 * SPMMI_FRAME_RAW) /* minimum bytes for which another thread pays */

int spmmi_threads(int requested, uint64_t raw_bytes)
{
    const uint64_t useful = raw_bytes / THREAD_RAW + 1;
    if (useful == 1)
        return 1;
    const int wanted = requested > 0 ? requested : omp_get_num_procs();
    const int threads = wanted > THREADS_MAX ? THREADS_MAX : wanted;
    if (requested > THREADS_MAX)
        spmmi_log(SPMM_LOG_WARNING, "%d threads were asked for, plan files take at most %d", requested,
                  THREADS_MAX);
    return (uint64_t)threads < useful ? threads : (int)useful;
}

int spmmi_transform_allowed(uint32_t type, uint32_t transform)
{
    const struct spmmi_section_row *row = spmmi_section_find(type);
    return row != NULL && transform < SPMMI_TRANSFORM_COUNT && (row->transforms >> transform & 1) != 0;
}

uint64_t spmmi_transform_features(uint32_t transform)
{
    return transform == SPMMI_TRANSFORM_DECIMAL ? SPMMI_FEATURE_DECIMAL : 0;
}

struct spmmi_run spmmi_span_run(const struct spmmi_span *span, uint64_t f)
{
    const uint64_t first = f * SPMMI_FRAME_RAW;
    const uint64_t left = span->raw_bytes - first;
    const uint64_t bytes = left < SPMMI_FRAME_RAW ? left : SPMMI_FRAME_RAW;
    return (struct spmmi_run){span->element_bytes, first / span->element_bytes, bytes / span->element_bytes,
                              span->row_ptr, span->rows};
}
