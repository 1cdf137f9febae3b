/* SPDX-License-Identifier: Apache-2.0 */
/* Long entries of a stage on a GPU (spgemm_launch.h): lists of their products, on the host. */
#ifndef SPMMI_SPGEMM_LONGS_H
#define SPMMI_SPGEMM_LONGS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

struct spmmi_spgemm_longs {
    uint32_t count, stretch_count;
    uint64_t word_count;
    struct spmmi_spgemm_long *entries; /* by ascending entry of C; this and all arrays below are owned */
    struct spmmi_spgemm_stretch *stretches;
    uint32_t *order; /* of stretches: by descending length, then by their first entry of the left factor */
    struct spmmi_spgemm_word *words;
};

/* Makes the lists. If has_all is set, entries with fewer products also get lists if that is faster; else only
 * the entries that the format calls long. *bytes: size of the lists, at most bytes_max. Errors: TOO_LARGE,
 * PLAN_BUDGET, MEMORY. Free longs also after an error. */
spmm_status_t spmmi_spgemm_longs_make(const struct spmmi_spgemm_stage *stage, int has_all, uint64_t bytes_max,
                                      struct spmmi_spgemm_longs *longs, uint64_t *bytes, spmm_diag_t *diag);
void spmmi_spgemm_longs_free(struct spmmi_spgemm_longs *longs);

/* Returns true if entries of C may have lists in a row, or a piece of one, with this many entries of the left
 * factor. The plan must say that there may be long entries. */
static inline int spmmi_spgemm_may_have_lists(const struct spmmi_spgemm_stage *stage, int64_t length)
{
    return stage->has_stretches && length > SPMMI_SPGEMM_LONG_LENGTH;
}

/* Returns the first long entry of C in [q, end), or end if there is none. */
static inline int64_t spmmi_spgemm_next_long(const struct spmmi_spgemm_stage *stage, int64_t q, int64_t end)
{
    const struct spmmi_spgemm_longs *const longs = stage->longs;
    if (longs == NULL)
        return end;
    uint32_t first = 0, count = longs->count;
    while (count > 0) {
        const uint32_t half = count / 2;
        const int is_before = longs->entries[first + half].out < q;
        first += is_before ? half + 1 : 0;
        count = is_before ? count - half - 1 : half;
    }
    return first < longs->count && longs->entries[first].out < end ? longs->entries[first].out : end;
}

/* Moves *q to the first entry of C in [*q, end) that is not long. Returns the number of entries from there up
 * to a long one, at most `most`; 0 if none is left. */
static inline int64_t spmmi_spgemm_next_slice(const struct spmmi_spgemm_stage *stage, int64_t *q, int64_t end,
                                              int64_t most)
{
    while (*q < end && spmmi_spgemm_next_long(stage, *q, *q + 1) == *q)
        ++*q;
    return spmmi_spgemm_next_long(stage, *q, *q + most < end ? *q + most : end) - *q;
}

/* Returns true if this row of C has long entries. */
static inline int spmmi_spgemm_row_is_long(const struct spmmi_spgemm_stage *stage, int64_t row)
{
    const int64_t *c = stage->c.row_ptr;
    return spmmi_spgemm_next_long(stage, c[row], c[row + 1]) < c[row + 1];
}

#endif
