/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows for kernel positions. Neighbouring rows with equal rows of the left factor have the same
 * positions; the unknowns of a node often give such rows. Likewise, neighbouring rows of the right factor may
 * have equal columns. Both are processed together, so that a position is read once for all rows, and a sum
 * once for several products. */
#include "executor/spgemm/spgemm_stage.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

static uint8_t *flags_of(const struct spmmi_csr_pattern *a)
{
    uint8_t *flags = spmmi_alloc_zero((uint64_t)a->rows, 1);
    for (int64_t i = 1; flags != NULL && i < a->rows; i++)
        flags[i] = (uint8_t)spmmi_csr_row_repeats(a, i);
    return flags;
}

/* Takes rows that may have long entries out of all groups. */
static void separate_long(const struct spmmi_spgemm_stage *s, uint8_t *flags)
{
    const int64_t *left = s->task.left.row_ptr;
    for (int64_t i = 0; i < s->task.left.rows; i++)
        flags[i] = flags[i] && !spmmi_spgemm_is_long(s, left[i + 1] - left[i]);
}

/* Replaces the flags by numbers of rows, counted from each row to the end of its group. Returns the number of
 * groups. */
static int64_t count_rows(uint8_t *flags, int64_t rows)
{
    int64_t groups = 0;
    for (int64_t i = 0; i < rows; i += flags[i], groups++) {
        int64_t end = i + 1;
        while (end < rows && end - i < SPMMI_SPGEMM_LANES && flags[end])
            end++;
        for (int64_t j = i; j < end; j++)
            flags[j] = (uint8_t)(end - j);
    }
    return groups;
}

spmm_status_t spmmi_spgemm_alike(struct spmmi_spgemm_stage *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (s->task.is_lower)
        return SPMM_OK;
    SPMM_TRY_ALLOC(s->alike = flags_of(&s->task.left), diag);
    separate_long(s, s->alike);
    (void)count_rows(s->alike, s->task.left.rows);
cleanup:
    return status;
}

uint64_t spmmi_spgemm_groups_bytes(const struct spmmi_spgemm_stage *s)
{
    return (uint64_t)s->task.left.rows + (uint64_t)s->task.right.rows;
}

spmm_status_t spmmi_spgemm_groups(struct spmmi_spgemm_stage *s, int64_t groups_max, uint64_t *bytes,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = s->task.left.rows;
    *bytes = 0;
    if (s->task.is_lower)
        return SPMM_OK;
    SPMM_TRY_ALLOC(s->alike = flags_of(&s->task.left), diag);
    SPMM_TRY_ALLOC(s->follows = flags_of(&s->task.right), diag);
    separate_long(s, s->alike);
    if (count_rows(s->alike, rows) > groups_max) {
        spmmi_free(s->alike);
        spmmi_free(s->follows);
        s->alike = s->follows = NULL;
        return SPMM_OK;
    }
    s->sums *= SPMMI_SPGEMM_LANES;
    *bytes = spmmi_spgemm_groups_bytes(s);
cleanup:
    return status;
}
