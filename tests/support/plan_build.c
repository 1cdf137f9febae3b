/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_build.h. */
#include "plan_build.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "format/base/alloc.h"
#include "tests/support/tcblocks.h"

#define STAGE_SLOTS 447u

static void *take(int64_t count, size_t size)
{
    void *block = spmmi_alloc_zero((uint64_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

void *test_values_of(const struct test_matrix *a, spmm_dtype_t dtype)
{
    void *values = calloc((size_t)a->nnz + 1, spmm_dtype_size(dtype));
    if (values == NULL)
        abort();
    for (int64_t p = 0; p < a->nnz; p++)
        test_value_set(dtype, values, p, a->values[p]);
    return values;
}

/* Computes items as struct spmmi_part defines them, in a simple but slow way. */
static void items_fill(struct spmmi_part *part, int64_t rows, const int64_t *row_ptr)
{
    const int64_t item_size = part->item_size;
    const int is_nonzero_split =
        spmmi_schedule_of(part->family, part->schedule)->items == SPMMI_ITEMS_NONZERO_SPLIT;
    part->items = take(rows + row_ptr[rows], sizeof *part->items);
    int64_t held = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (is_nonzero_split) {
            for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
                if (p % item_size == 0)
                    part->items[part->item_count++] = (uint32_t)i;
            continue;
        }
        if (i == 0 || held >= item_size) {
            part->items[part->item_count++] = (uint32_t)i;
            held = 0;
        }
        held += row_ptr[i + 1] - row_ptr[i];
    }
}

/* Computes the units, whole rows or segments, by counting nonzeros one by one. They are not permuted. */
static void units_fill(struct spmmi_part *part, int64_t rows, const int64_t *row_ptr)
{
    const int is_cut = spmmi_schedule_of(part->family, part->schedule)->items == SPMMI_ITEMS_SEGMENTS;
    part->items = take(rows + row_ptr[rows], sizeof *part->items);
    for (int64_t i = 0; i < rows; i++) {
        uint64_t units = 1;
        for (int64_t p = row_ptr[i] + 1; is_cut && p < row_ptr[i + 1]; p++)
            units += (p - row_ptr[i]) % part->item_size == 0;
        for (; units > 0; units--, part->item_count++)
            part->items[part->item_count] = (uint32_t)part->item_count;
    }
}

/* Returns the first schedule of the list with this number. */
static const struct spmmi_schedule *schedule_of(spmm_schedule_t schedule)
{
    const struct spmmi_schedule *row;
    for (int i = 0; (row = spmmi_schedule_at(i)) != NULL; i++)
        if (row->id == schedule)
            return row;
    abort();
}

void test_plan_part_fill(const spmm_plan_t *plan, struct spmmi_part *part)
{
    const enum spmmi_items_rule rule = spmmi_schedule_of(part->family, part->schedule)->items;
    const int64_t rows = part->op == SPMM_OP_T ? plan->cols : plan->rows;
    int64_t *t_row_ptr = part->op == SPMM_OP_T ? take(rows, sizeof *t_row_ptr) : NULL;
    const int64_t *row_ptr = t_row_ptr != NULL ? t_row_ptr : plan->row_ptr;
    if (t_row_ptr != NULL)
        spmmi_transpose_row_ptr(rows, plan->nnz, plan->col_ind, t_row_ptr);
    spmmi_free(part->items);
    part->item_count = 0;
    if (rule == SPMMI_ITEMS_ROW_SPLIT || rule == SPMMI_ITEMS_NONZERO_SPLIT)
        items_fill(part, rows, row_ptr);
    else
        units_fill(part, rows, row_ptr);
    spmmi_free(t_row_ptr);
}

static void variant_add(spmm_plan_t *plan, spmm_op_t op, const struct test_plan_options *options)
{
    const struct spmmi_schedule *const row = schedule_of(options->schedule);
    const struct spmmi_family *const family = spmmi_family_of(row->family);
    const int is_split = options->dtype == SPMM_F32 && test_is_tcblocks(row->family);
    plan->variants[plan->variant_count++] =
        (struct spmmi_variant){op,
                               is_split ? SPMM_COMPUTE_3XTF32 : (spmm_compute_t)options->dtype,
                               SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR,
                               0,
                               1,
                               SPMMI_N_MAX,
                               plan->part_count,
                               1};
    struct spmmi_part *part = &plan->parts[plan->part_count++];
    *part = (struct spmmi_part){.op = op,
                                .family = row->family,
                                .schedule = options->schedule,
                                .item_size = row->item_size_max == 0 ? 0 : options->item_size,
                                .block_rows = family->unit_min,
                                .stage_slots = family->slots_max > 0 ? STAGE_SLOTS : 0};
    test_plan_part_fill(plan, part);
}

void test_shuffle(uint32_t *list, uint64_t count, uint64_t seed)
{
    for (uint64_t k = count; k > 1; k--) {
        const uint64_t other = test_hash(seed, k) % k;
        const uint32_t last = list[k - 1];
        list[k - 1] = list[other];
        list[other] = last;
    }
}

void test_plan_reorder(spmm_plan_t *plan, uint64_t seed, int permutes_output)
{
    for (uint32_t i = 0; i < plan->part_count; i++) {
        struct spmmi_part *part = &plan->parts[i];
        const enum spmmi_permutation_rule permutation =
            spmmi_schedule_of(part->family, part->schedule)->permutation;
        if (permutation == SPMMI_PERMUTATION_KEPT)
            continue;
        part->flags |= SPMMI_PART_REORDERED;
        if (permutes_output && permutation == SPMMI_PERMUTATION_OUTPUT)
            part->flags |= SPMMI_PART_PERMUTES_OUTPUT;
        test_shuffle(part->items, part->item_count, seed);
    }
}

void test_plan_permutation_metrics(spmm_plan_t *plan)
{
    enum { PERMUTATIONS = 2 };
    plan->permutation_metrics = spmmi_alloc_zero(PERMUTATIONS, sizeof *plan->permutation_metrics);
    if (plan->permutation_metrics == NULL)
        abort();
    plan->permutation_metrics_count = PERMUTATIONS;
    for (int i = 0; i < PERMUTATIONS; i++) {
        spmm_permutation_metrics_t *const s = &plan->permutation_metrics[i];
        s->kind = i == 0 ? SPMM_REORDER_NONE : SPMM_REORDER_MINHASH;
        s->units = plan->rows;
        for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
            s->block_count[shape] = plan->nnz - i - shape;
            s->block_max[shape] = 2 + i;
            s->block_mean[shape] = 1.5 + i;
            s->block_stddev[shape] = 0.25 * shape;
        }
        for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
            s->working_set[h] = plan->nnz - i - h;
            s->reuse[h] = (double)plan->nnz / (double)s->working_set[h];
        }
    }
}

/* Removes the long rows from a part and returns them as a part. Returns an empty part if the part has no long
 * rows or only long rows. */
static struct spmmi_part part_split(struct spmmi_part *part, const int64_t *row_ptr, int64_t minimum)
{
    struct spmmi_part long_rows = {.op = part->op,
                                   .family = SPMM_FAMILY_ROWS,
                                   .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                   .item_size = 8,
                                   .flags = SPMMI_PART_LONG_ROWS};
    const uint64_t rows = part->item_count;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < rows; i++)
        long_rows.item_count += row_ptr[i + 1] - row_ptr[i] >= minimum;
    if (long_rows.item_count == rows)
        long_rows.item_count = 0;
    if (long_rows.item_count == 0)
        return long_rows;
    long_rows.items = take((int64_t)long_rows.item_count, sizeof *long_rows.items);
    long_rows.item_count = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint32_t row = part->items[i];
        if (row_ptr[i + 1] - row_ptr[i] >= minimum)
            long_rows.items[long_rows.item_count++] = (uint32_t)i;
        if (row_ptr[row + 1] - row_ptr[row] < minimum)
            part->items[kept++] = row;
    }
    part->item_count = kept;
    return long_rows;
}

int64_t test_long_rows_min(const struct test_matrix *a)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < a->rows; i++)
        longest = a->row_ptr[i + 1] - a->row_ptr[i] > longest ? a->row_ptr[i + 1] - a->row_ptr[i] : longest;
    return (longest + a->nnz / (a->rows > 0 ? a->rows : 1)) / 2 + 1;
}

/* Returns the row pointers of op(A). Those of the transpose are computed once, when they are first needed. */
static const int64_t *op_row_ptr(const spmm_plan_t *plan, spmm_op_t op, int64_t **transposed)
{
    if (op == SPMM_OP_N)
        return plan->row_ptr;
    if (*transposed == NULL) {
        *transposed = take(plan->cols, sizeof **transposed);
        spmmi_transpose_row_ptr(plan->cols, plan->nnz, plan->col_ind, *transposed);
    }
    return *transposed;
}

uint32_t test_plan_split_long_rows(spmm_plan_t *plan, int64_t minimum)
{
    const uint32_t parts_before = plan->part_count;
    int64_t *t_row_ptr = NULL;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        struct spmmi_part *part = &plan->parts[i];
        if (!test_is_tcblocks(part->family) || (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ||
            spmmi_long_rows_of(plan, i) != NULL)
            continue;
        const struct spmmi_part long_rows = part_split(part, op_row_ptr(plan, part->op, &t_row_ptr), minimum);
        if (long_rows.item_count == 0)
            continue;
        memmove(part + 2, part + 1, (plan->part_count - i - 1) * sizeof *part);
        part[1] = long_rows;
        plan->part_count++;
        for (uint32_t v = 0; v < plan->variant_count; v++) {
            struct spmmi_variant *variant = &plan->variants[v];
            variant->part_count += variant->part_first == i;
            variant->part_first += variant->part_first > i;
        }
        i++;
    }
    spmmi_free(t_row_ptr);
    return plan->part_count - parts_before;
}

void test_plan_symmetric_permutation(spmm_plan_t *plan, uint64_t seed)
{
    plan->symmetric_permutation = spmmi_alloc((uint64_t)plan->rows, sizeof *plan->symmetric_permutation);
    if (plan->symmetric_permutation == NULL)
        abort();
    for (int64_t i = 0; i < plan->rows; i++)
        plan->symmetric_permutation[i] = (uint32_t)i;
    test_shuffle(plan->symmetric_permutation, (uint64_t)plan->rows, seed);
}

static void units_set(spmm_plan_t *plan, spmm_family_t family, uint32_t unit_rows, spmm_compute_t compute)
{
    for (uint32_t i = 0; i < plan->part_count; i++) {
        plan->parts[i].family = family;
        plan->parts[i].block_rows = unit_rows;
    }
    for (uint32_t i = 0; i < plan->variant_count; i++)
        plan->variants[i].compute = compute;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        plan->trace[i].family = plan->parts[i].family;
        plan->trace[i].compute = (int)compute == (int)plan->dtype ? 0 : compute;
    }
}

void test_plan_family(spmm_plan_t *plan, const struct spmmi_family *family, uint32_t unit_rows)
{
    const int is_split = plan->dtype == SPMM_F32 && family->compute == SPMMI_COMPUTE_TENSOR;
    units_set(plan, family->id, unit_rows, is_split ? SPMM_COMPUTE_3XTF32 : (spmm_compute_t)plan->dtype);
    for (uint32_t i = 0; i < plan->part_count; i++)
        plan->parts[i].stage_slots = family->slots_min;
}

void test_plan_units(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute)
{
    units_set(plan, unit_rows == SPMMI_WINDOW_ROWS ? SPMM_FAMILY_WINDOW : SPMM_FAMILY_PANEL, unit_rows,
              compute);
}

void test_plan_groups(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute)
{
    units_set(plan, SPMM_FAMILY_BCSR, unit_rows, compute);
}

void test_plan_join(spmm_plan_t *plan, spmm_plan_t *more)
{
    for (uint32_t i = 0; i < more->variant_count; i++) {
        plan->variants[plan->variant_count] = more->variants[i];
        plan->variants[plan->variant_count++].part_first += plan->part_count;
    }
    for (uint32_t i = 0; i < more->part_count; i++) {
        plan->parts[plan->part_count + i] = more->parts[i];
        more->parts[i].items = NULL;
    }
    plan->part_count += more->part_count;
    spmm_plan_destroy(more);
}

spmm_plan_t *test_plan_build(const struct test_matrix *a, struct test_plan_options options)
{
    spmm_plan_t *plan = spmmi_plan_new();
    if (plan == NULL)
        abort();
    plan->rows = a->rows;
    plan->cols = a->cols;
    plan->nnz = a->nnz;
    plan->dtype = options.dtype;
    plan->row_ptr = take(a->rows, sizeof *plan->row_ptr);
    memcpy(plan->row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *plan->row_ptr);
    plan->col_ind = take(a->nnz, sizeof *plan->col_ind);
    if (a->nnz > 0)
        memcpy(plan->col_ind, a->col_ind, (size_t)a->nnz * sizeof *plan->col_ind);
    if (!options.has_no_values) {
        void *values = test_values_of(a, options.dtype);
        plan->values = take(a->nnz, spmm_dtype_size(options.dtype));
        memcpy(plan->values, values, (size_t)a->nnz * spmm_dtype_size(options.dtype));
        free(values);
    }
    variant_add(plan, SPMM_OP_N, &options);
    if (options.has_transpose)
        variant_add(plan, SPMM_OP_T, &options);
    return plan;
}
