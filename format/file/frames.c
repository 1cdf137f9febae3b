/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that reading and writing frames share. */
#include "frames.h"

#include <omp.h>

#include "format/base/log.h"

#define THREADS_MAX 256
#define THREAD_RAW (2 * SPMMI_FRAME_RAW) /* minimum work for which another thread pays */

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
    switch ((enum spmmi_section_type)type) {
    case SPMMI_SECTION_ROW_LENGTHS:
        return transform == SPMMI_TRANSFORM_PLANES;
    case SPMMI_SECTION_COL_IND:
        return transform == SPMMI_TRANSFORM_ROW_DELTA;
    case SPMMI_SECTION_VALUES:
        return transform == SPMMI_TRANSFORM_NONE || transform == SPMMI_TRANSFORM_PLANES ||
               transform == SPMMI_TRANSFORM_DICTIONARY;
    case SPMMI_SECTION_ITEMS:
    case SPMMI_SECTION_SYMMETRIC_PERMUTATION:
        return transform == SPMMI_TRANSFORM_DIFFERENCE;
    case SPMMI_SECTION_STATS:
    case SPMMI_SECTION_VARIANTS:
    case SPMMI_SECTION_PARTS:
    case SPMMI_SECTION_TRACE:
    case SPMMI_SECTION_META:
    case SPMMI_SECTION_ROW_BLOCK_METRICS:
    case SPMMI_SECTION_PERMUTATION_METRICS:
    case SPMMI_SECTION_WRITER:
        return transform == SPMMI_TRANSFORM_NONE;
    }
    return 0;
}

struct spmmi_run spmmi_span_run(const struct spmmi_span *span, uint64_t f)
{
    const uint64_t first = f * SPMMI_FRAME_RAW;
    const uint64_t left = span->raw_bytes - first;
    const uint64_t bytes = left < SPMMI_FRAME_RAW ? left : SPMMI_FRAME_RAW;
    return (struct spmmi_run){span->element_bytes, first / span->element_bytes, bytes / span->element_bytes,
                              span->row_ptr, span->rows};
}
