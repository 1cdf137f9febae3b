/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend of the rows family: op(A) in CSR, which all parts of an op share, and the items of each
 * part. */
#include <stdio.h>
#include <string.h>

#include "executor/backend.h"
#include "executor/cpu/cpu_operand.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "rows_csr_cpu.h"

#define MADE_ITEM_SIZE 1024u /* item size of parts that are not in the plan */

struct state {
    const struct spmmi_cpu_operand *operand;
    int threads;
    struct spmmi_part part; /* items: owned */
};

static struct spmmi_part default_part(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule)
{
    (void)plan;
    return (struct spmmi_part){
        .op = op, .family = SPMM_FAMILY_ROWS, .schedule = schedule, .item_size = MADE_ITEM_SIZE};
}

/* Returns the number of items to allocate. In a part made here, all items but the last have item size
 * nonzeros or more. */
static uint64_t items_room(const struct spmmi_part_source *source)
{
    return source->is_made ? (uint64_t)source->plan->nnz / source->part->item_size + 1
                           : source->part->item_count;
}

static void items_row_split(const struct spmmi_cpu_operand *a, struct spmmi_part *part)
{
    int64_t begin = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        if (i == begin)
            part->items[part->item_count++] = (uint32_t)i;
        if (a->row_ptr[i + 1] - a->row_ptr[begin] >= part->item_size)
            begin = i + 1;
    }
}

static void items_nonzero_split(const struct spmmi_cpu_operand *a, struct spmmi_part *part)
{
    int64_t row = 0;
    for (int64_t p = 0; p < a->row_ptr[a->rows]; p += part->item_size) {
        while (a->row_ptr[row + 1] <= p)
            row++;
        part->items[part->item_count++] = (uint32_t)row;
    }
}

static void items_fill(const struct spmmi_part_source *source, struct state *state)
{
    struct spmmi_part *part = &state->part;
    if (!source->is_made && part->item_count > 0)
        memcpy(part->items, source->part->items, (size_t)part->item_count * sizeof *part->items);
    else if (source->is_made && part->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        items_row_split(state->operand, part);
    else if (source->is_made)
        items_nonzero_split(state->operand, part);
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct state *made = NULL;
    void *operand = NULL;
    *bytes += sizeof *made + items_room(source) * sizeof *made->part.items;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_cpu_operand_kind, source->part->op, &operand, bytes, diag));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(made = spmmi_alloc(1, sizeof *made), diag);
    *made = (struct state){operand, source->device->threads, *source->part};
    *state = made;
    SPMM_TRY_ALLOC(made->part.items = spmmi_alloc(items_room(source), sizeof *made->part.items), diag);
    items_fill(source, made);
cleanup:
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    spmmi_free(s->part.items);
    spmmi_free(s);
}

static struct spmmi_rows_csr csr_of(const struct state *s)
{
    const struct spmmi_cpu_operand *a = s->operand;
    return (struct spmmi_rows_csr){a->rows,    a->cols,   a->nnz,  a->row_ptr,
                                   a->col_ind, a->values, s->part, a->is_scattered};
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    const struct spmmi_rows_csr a = csr_of(state);
    return spmmi_rows_csr_workspace(&a, product);
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct state *s = state;
    const struct spmmi_rows_csr a = csr_of(s);
    (void)stream;
    spmmi_rows_csr_run(&a, product, workspace, s->threads);
    return SPMM_OK;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct spmmi_part *part = &((const struct state *)state)->part;
    (void)product;
    (void)snprintf(text, size, "cpu/%s/%s", spmm_family_name(part->family),
                   spmm_schedule_name(part->schedule));
}

const struct spmmi_backend spmmi_rows_cpu = {.create = create,
                                             .destroy = destroy,
                                             .workspace = workspace,
                                             .run = run,
                                             .describe = describe,
                                             .default_part = default_part,
                                             .prefers_default = 1};
