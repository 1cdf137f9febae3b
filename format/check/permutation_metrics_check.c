/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the metrics of row permutations (docs/plan-format.md section 6.12). They are informational and
 * are not computed again, so only values that no matrix and permutation can give are refused. */
#include "format/base/diag.h"
#include "format/permutation.h"
#include "plan_check.h"

/* Returns true if value is in 0 to most. False for a NaN. */
static int is_within(double value, double most)
{
    return value >= 0 && value <= most;
}

static int is_count(int64_t count, int64_t most)
{
    return count >= 0 && count <= most;
}

/* Checks the upper limits.
 * Each block and each column of a row block has a nonzero, so no count exceeds nnz. */
static int are_within(const spmm_permutation_metrics_t *s, const spmm_plan_t *p)
{
    const int64_t longest = p->rows > p->cols ? p->rows : p->cols;
    int within = is_count(s->units, longest + p->nnz);
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
        within = within && is_count(s->block_count[shape], p->nnz) &&
                 is_count(s->block_max[shape], s->block_count[shape]) &&
                 is_within(s->block_mean[shape], (double)p->nnz) &&
                 is_within(s->block_stddev[shape], (double)p->nnz);
    }
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        within = within && is_count(s->working_set[h], p->nnz) && is_within(s->reuse[h], (double)p->nnz);
    return within;
}

static int is_permutation(const spmm_permutation_metrics_t *s)
{
    return (s->op == SPMM_OP_N || s->op == SPMM_OP_T) && spmmi_permutation_is_kind(s->kind);
}

spmm_status_t spmmi_check_permutation_metrics(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(plan->permutation_metrics_count <= SPMMI_PERMUTATION_METRICS_MAX &&
                  (plan->permutation_metrics_count == 0 || plan->permutation_metrics != NULL),
              PERMUTATION_METRICS, 0, "metrics of %u permutations", plan->permutation_metrics_count);
    for (uint32_t i = 0; i < plan->permutation_metrics_count; i++) {
        const spmm_permutation_metrics_t *s = &plan->permutation_metrics[i];
        SPMM_RULE(is_permutation(s), PERMUTATION_METRICS, i, "metrics %u are of op %d and permutation %d", i,
                  (int)s->op, (int)s->kind);
        SPMM_RULE(are_within(s, plan), PERMUTATION_METRICS, i,
                  "a metric of permutation %u is larger than the matrix allows, negative or not finite", i);
    }
cleanup:
    return status;
}
