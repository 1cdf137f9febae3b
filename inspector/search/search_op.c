/* SPDX-License-Identifier: Apache-2.0 */
/* Data that all searches of one op share: metrics, permutations of the rows, and the cache of the
 * planners. */
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "search.h"

spmm_status_t spmmi_op_open(const struct spmmi_request *r, const struct spmmi_pattern *a, struct spmmi_op *op,
                            spmm_diag_t *diag)
{
    memset(op, 0, sizeof *op);
    op->request = r;
    op->pattern = a;
    op->permutations.rows = a->rows;
    op->permutations.cols = a->cols;
    op->permutations.row_ptr = a->row_ptr;
    op->permutations.col_ind = a->col_ind;
    op->permutations.threads = r->threads;
    return spmmi_model_analysis(a->rows, a->cols, a->row_ptr, a->col_ind, &op->model, diag);
}

void spmmi_op_forget(struct spmmi_op *op)
{
    for (struct spmmi_cache_entry *s = op->cache, *next; s != NULL; s = next) {
        next = s->next;
        s->close(s->memory);
        spmmi_free(s);
    }
    op->cache = NULL;
    op->unit_permutation_count = 0;
}

void spmmi_op_close(struct spmmi_op *op)
{
    spmmi_op_forget(op);
    spmmi_row_permutations_free(&op->permutations);
}

struct spmmi_search spmmi_op_search(struct spmmi_op *op, const struct spmmi_request *r, uint32_t layout,
                                    int64_t n)
{
    return (struct spmmi_search){.request = r,
                                 .pattern = op->pattern,
                                 .model = &op->model,
                                 .permutations = &op->permutations,
                                 .op = op,
                                 .layout = layout,
                                 .n = n,
                                 .list = op->list,
                                 .best = (double)INFINITY};
}

void *spmmi_search_cache(const struct spmmi_search *s, const void *owner, size_t size, void (*close)(void *))
{
    for (struct spmmi_cache_entry *entry = s->op->cache; entry != NULL; entry = entry->next)
        if (entry->owner == owner)
            return entry->memory;
    struct spmmi_cache_entry *const entry = spmmi_alloc_zero(1, sizeof *entry + size);
    if (entry == NULL)
        return NULL;
    entry->owner = owner;
    entry->close = close;
    entry->next = s->op->cache;
    s->op->cache = entry;
    return entry->memory;
}

spmm_status_t spmmi_search_note_permutation(const struct spmmi_search *s,
                                            const struct spmmi_unit_permutation *permutation,
                                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op *const op = s->op;
    SPMM_REQUIRE(op->unit_permutation_count < SPMMI_PERMUTATION_METRICS_MAX, SPMM_ERR_INTERNAL, diag,
                 "a family permutes its units in more than %d ways", SPMMI_PERMUTATION_METRICS_MAX);
    op->unit_permutations[op->unit_permutation_count++] = *permutation;
cleanup:
    return status;
}
