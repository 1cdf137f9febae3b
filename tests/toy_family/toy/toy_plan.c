/* SPDX-License-Identifier: Apache-2.0 */
/* The toy family, as the inspector sees it: one candidate, whose part keeps the rows in their order. */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/search/planner.h"
#include "toy_shape.h"

#define INDEX_BYTES 4.0

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    struct spmmi_candidate c = {
        .family = SPMMI_TOY, .schedule = SPMMI_TOY_PLAIN, .item_size = 1, .is_default = true};
    return spmmi_search_emit(s, &c, diag);
}

/* Predicts an upper bound of the time: no value of B is found in a cache, and all other rows wait for the
 * longest one. */
static int cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_model_matrix *m = q->matrix;
    p->term[SPMMI_TERM_DRAM] = m->nnz * q->n * (INDEX_BYTES + 2 * q->value_bytes) / q->profile->copy_rate;
    p->term[SPMMI_TERM_LONGEST] = m->longest * SPMMI_MODEL_STEP_CYCLES / q->profile->clock_hz;
    return 1;
}

static spmm_status_t build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)s->pattern->rows;
    *part = (struct spmmi_part){.op = s->pattern->op,
                                .family = c->family,
                                .schedule = c->schedule,
                                .item_size = c->item_size,
                                .item_count = rows};
    SPMM_TRY_ALLOC(part->items = spmmi_alloc(rows, sizeof *part->items), diag);
    for (uint64_t i = 0; i < rows; i++)
        part->items[i] = (uint32_t)i;
cleanup:
    return status;
}

const struct spmmi_planner spmmi_toy_planner = {
    .family = SPMMI_TOY, .prices_cpu = true, .propose = propose, .cost = cost, .build = build};
