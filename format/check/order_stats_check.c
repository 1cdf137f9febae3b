/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of orders of the rows: docs/plan-format.md section 6.12. They advise and are not computed again, so only what
 * no matrix and order could give is refused. */
#include <math.h>

#include "format/base/diag.h"
#include "format/order.h"
#include "plan_check.h"

_Static_assert(sizeof(spmm_order_stats_t) == 208, "the file's record is the struct, member for member");

static int is_within(double figure, double most)
{
    return isfinite(figure) && figure >= 0 && figure <= most;
}

static int is_count(int64_t count, int64_t most)
{
    return count >= 0 && count <= most;
}

/* A block, and a column of a panel, holds a nonzero; so no count is above theirs. */
static int are_within(const spmm_order_stats_t *s, const spmm_plan_t *p)
{
    const int64_t longest = p->rows > p->cols ? p->rows : p->cols;
    int within = is_count(s->units, longest + p->nnz);
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
        const spmm_block_count_t *b = &s->blocks[shape];
        within = within && is_count(b->blocks, p->nnz) && is_count(b->most, b->blocks) &&
                 is_within(b->mean, (double)p->nnz) && is_within(b->stddev, (double)p->nnz);
    }
    for (int h = 0; h < SPMM_PANEL_HEIGHTS; h++)
        within = within && is_count(s->footprint[h], p->nnz) && is_within(s->reuse[h], (double)p->nnz);
    return within;
}

static int is_order(const spmm_order_stats_t *s)
{
    return (s->op == SPMM_OP_N || s->op == SPMM_OP_T) && spmmi_order_is_kind(s->order);
}

spmm_status_t spmmi_check_order_stats(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(plan->order_stats_count <= SPMMI_ORDER_STATS_MAX &&
                     (plan->order_stats_count == 0 || plan->order_stats != NULL),
                 SPMM_ERR_PLAN_ORDER_STATS, diag, "figures of %u orders", plan->order_stats_count);
    for (uint32_t i = 0; i < plan->order_stats_count; i++) {
        const spmm_order_stats_t *s = &plan->order_stats[i];
        SPMM_REQUIRE_AT(is_order(s), SPMM_ERR_PLAN_ORDER_STATS, diag, i,
                        "figures %u are of op %d and order %d", i, (int)s->op, (int)s->order);
        SPMM_REQUIRE_AT(are_within(s, plan), SPMM_ERR_PLAN_ORDER_STATS, diag, i,
                        "a figure of order %u is larger than the matrix allows, negative or not finite", i);
    }
cleanup:
    return status;
}
