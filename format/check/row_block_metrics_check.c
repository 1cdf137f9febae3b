/* SPDX-License-Identifier: Apache-2.0 */
/* The check of row-block metrics (docs/plan-format.md section 6.10). They are informational and are not
 * computed again, so only values that no matrix and schedule can give are refused. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/family.h"
#include "plan_check.h"
#include "format/row_block_metrics_fields.h"

#define WORD_BYTES sizeof(uint64_t)
#define REGISTER_TILE_MAX 1024

_Static_assert(sizeof(double) == WORD_BYTES && sizeof(int64_t) == WORD_BYTES, "members are 8 bytes wide");
_Static_assert(sizeof(spmm_row_block_metrics_t) == sizeof(size_t) + 872,
               "the file's record is the struct behind struct_size, member for member");

/* is_real is 1 for members of type double or array of double: in _Generic, an array decays to a pointer. */
#define MEMBER(record, name, at)                        \
    {offsetof(record, name), sizeof((record *)0)->name, \
     _Generic(((record *)0)->name, double : 1, double * : 1, default : 0)},
static const struct member {
    size_t at, bytes;
    int is_real;
} members[] = {SPMMI_ROW_BLOCK_METRICS_FIELDS(MEMBER, spmm_row_block_metrics_t)};

/* Returns true if every member is finite and not negative. */
static int are_numbers(const spmm_row_block_metrics_t *s)
{
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        for (size_t at = 0; at < members[m].bytes; at += WORD_BYTES) {
            const char *word = (const char *)s + members[m].at + at;
            int64_t whole = 0;
            double real = 0;
            memcpy(&whole, word, sizeof whole);
            memcpy(&real, word, sizeof real);
            if (members[m].is_real ? !(isfinite(real) && real >= 0) : whole < 0)
                return 0;
        }
    }
    return 1;
}

/* Returns true if a family can stage row blocks of this height with this number of slots. */
static int is_staged(const spmm_row_block_metrics_t *s)
{
    const struct spmmi_family *f;
    for (int i = 0; (f = spmmi_family_at(i)) != NULL; i++)
        if (f->slots_max > 0 && spmmi_is_power_within(s->block_rows, f->unit_min, f->unit_max) &&
            s->stage_slots >= f->slots_min && s->stage_slots <= f->slots_max)
            return 1;
    return 0;
}

static int is_segment(int64_t segment)
{
    const struct spmmi_schedule *row;
    for (int i = 0; (row = spmmi_schedule_at(i)) != NULL; i++)
        if (row->items == SPMMI_ITEMS_SEGMENTS && segment >= row->item_size_min &&
            segment <= row->item_size_max)
            return 1;
    return segment == 0;
}

static int is_schedule(const spmm_row_block_metrics_t *s)
{
    const int64_t bytes = s->value_bytes;
    return is_staged(s) && is_segment(s->segment) && s->is_reordered <= 1 &&
           (bytes == 2 || bytes == 4 || bytes == 8) && s->register_tile >= 1 &&
           s->register_tile <= REGISTER_TILE_MAX && s->n <= SPMMI_N_MAX && s->multiprocessors <= INT32_MAX;
}

/* Checks the upper limits: the row blocks have no more columns and nonzeros than the matrix. The metrics may
 * be for op T, so rows and columns have the same limit. */
static int are_within(const spmm_row_block_metrics_t *s, const spmm_plan_t *p)
{
    const int64_t longest = p->rows > p->cols ? p->rows : p->cols;
    int within = s->units <= longest + p->nnz && s->units <= SPMMI_UNIT_MAX && s->unit_max <= longest &&
                 s->columns_used <= longest && s->working_set_sum <= p->nnz &&
                 s->working_set_max <= s->working_set_sum && s->stages_max <= s->stages &&
                 s->rho <= (double)p->nnz;
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        within = within && s->working_set[h] <= p->nnz && s->reuse[h] <= (double)p->nnz;
    return within;
}

spmm_status_t spmmi_check_row_block_metrics(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_row_block_metrics_t *s = &plan->row_block_metrics;
    if (!plan->has_row_block_metrics)
        return SPMM_OK;
    SPMM_RULE(are_numbers(s), ROW_BLOCK_METRICS, 0, "a metric of the row blocks is negative or not finite");
    SPMM_RULE(is_schedule(s), ROW_BLOCK_METRICS, 0, "the metrics are of row blocks that no part can have");
    SPMM_RULE(are_within(s, plan), ROW_BLOCK_METRICS, 0,
              "a metric of the row blocks is larger than the matrix allows");
    SPMM_RULE(s->row_blocks == (s->units + s->block_rows - 1) / s->block_rows, ROW_BLOCK_METRICS, 0,
              "%lld units do not make %lld row blocks", (long long)s->units, (long long)s->row_blocks);
cleanup:
    return status;
}
