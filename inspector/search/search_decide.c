/* SPDX-License-Identifier: Apache-2.0 */
/* All searches of one op and target, over layouts and ranges of n. */
#include <string.h>

#include "format/base/diag.h"
#include "search_share.h"

#define BOTH (SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR)
#define DENSE_TIMES 16.0    /* a matrix counts as nearly dense if 1/16 of its entries or more are nonzeros */
#define IDLE_NONZEROS 50000 /* a matrix with fewer nonzeros does not fill a GPU even with 256 columns */
#define N_TYPICAL 64        /* n of the prediction for all n, if the caller names no n */

/* Returns the number of ranges of n that need a decision. With permuted output there is one for all n,
 * because all variants have to permute C the same way. */
static int ranges_of(const struct spmmi_request *r, enum spmmi_range_set set,
                     struct spmmi_range ranges[SPMMI_RANGE_MAX])
{
    const spmm_inspect_options_t *const o = &r->options;
    if (!o->permute_output)
        return spmmi_ranges(o->n, o->n_count, set, ranges);
    ranges[0] = (struct spmmi_range){1, SPMMI_N_MAX, o->n_count > 0 ? o->n[0] : N_TYPICAL};
    return 1;
}

/* The input of the searches, and a copy of their results. */
struct asker {
    struct spmmi_op *op;
    const struct spmmi_request *request;
    const spmm_plan_t *plan;
    struct spmmi_tuning *tuning;
    struct spmmi_considered considered[SPMMI_DECISION_MAX];
    int considered_count;
};

/* Wide n is split for small matrices and for nearly dense ones: on a GPU their fastest kernel for 4,096
 * columns is often not the fastest for 256 (search_ranges.c). */
static enum spmmi_range_set set_of(const struct asker *x)
{
    const struct spmmi_model_matrix *const m = &x->op->model;
    const bool is_dense = DENSE_TIMES * m->nnz >= m->rows * m->cols;
    if (x->request->device.target == SPMMI_TARGET_CPU)
        return SPMMI_RANGES_CPU;
    return m->nnz < IDLE_NONZEROS || is_dense ? SPMMI_RANGES_WIDE : SPMMI_RANGES_GPU;
}

static spmm_status_t decide_layout(struct asker *x, uint32_t layout, struct spmmi_decision *decisions,
                                   int *count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_range ranges[SPMMI_RANGE_MAX];
    const int wanted = ranges_of(x->request, set_of(x), ranges);
    *count = 0;
    for (int i = 0; i < wanted; i++) {
        struct spmmi_search s = spmmi_op_search(x->op, x->request, layout, ranges[i].n);
        SPMM_TRY(spmmi_search_decide(&s, x->plan, x->tuning, &decisions[i], diag));
        decisions[i].range = ranges[i];
        decisions[i].first_n = ranges[i].n;
        *count = i + 1;
        SPMM_TRY(spmmi_considered_keep(&s, &decisions[i], &x->considered[x->considered_count++], diag));
    }
cleanup:
    return status;
}

static bool all_agree(const struct spmmi_decision *a, const struct spmmi_decision *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!spmmi_candidates_agree(&a[i].winner, &b[i].winner))
            return false;
    return true;
}

/* If both layouts have the same decisions, they share their variants. The records are then those of
 * column-major, where families differ most. */
spmm_status_t spmmi_decide(struct spmmi_op *op, const struct spmmi_request *r, const spmm_plan_t *plan,
                           struct spmmi_tuning *tuning, struct spmmi_decision *decisions, int *count,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct asker x = {.op = op, .request = r, .plan = plan, .tuning = tuning};
    struct spmmi_decision *const row = decisions, *const col = decisions + SPMMI_RANGE_MAX;
    const uint32_t layouts = r->options.layouts;
    int rows = 0, cols = 0;
    if ((layouts & SPMM_LAYOUTS_COL_MAJOR) != 0)
        SPMM_TRY(decide_layout(&x, SPMM_LAYOUTS_COL_MAJOR, col, &cols, diag));
    if ((layouts & SPMM_LAYOUTS_ROW_MAJOR) != 0 && !(r->options.permute_output && layouts == BOTH))
        SPMM_TRY(decide_layout(&x, SPMM_LAYOUTS_ROW_MAJOR, row, &rows, diag));
    if (r->device.target != SPMMI_TARGET_CPU)
        spmmi_decisions_share(x.considered, x.considered_count);
    if (layouts == BOTH && all_agree(row, col, rows)) {
        for (int i = 0; i < cols; i++)
            col[i].layouts = BOTH;
        rows = 0;
    }
    rows = spmmi_decisions_merge(row, rows);
    cols = spmmi_decisions_merge(col, cols);
    memmove(decisions + rows, col, (size_t)cols * sizeof *col);
    *count = rows + cols;
    spmmi_decisions_losses(x.considered, x.considered_count, decisions, *count);
cleanup:
    spmmi_considered_free(x.considered, x.considered_count);
    return status;
}
