/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_backend.h. The CPU runs the plan's CSR as it is; op = T runs the CSR of the transpose, made here. */
#include "cpu_backend.h"

#include <stdio.h>
#include <string.h>

#include "format/alloc.h"
#include "format/diag.h"
#include "kernel_abi.h"

#define FORCED_GRANULE 1024u /* of the items made for a schedule that the plan has none for */

static const char *const kernel_names[] = {"cpu/rows/row-split",
                                           "cpu/rows/nonzero-split"}; /* by schedule - 1 */

/* op(A) in CSR. */
struct side {
    int64_t rows, cols;
    int64_t *row_ptr;
    int32_t *col_ind;
    void *values;
    int64_t *map; /* op = T: position in A of each nonzero */
};

struct spmmi_cpu {
    int64_t nnz;
    spmm_dtype_t dtype;
    int threads;
    uint64_t host_bytes;
    uint32_t part_of_variant[SPMMI_VARIANT_MAX];
    struct side sides[2]; /* by op; without row_ptr where the plan has no variant of the op */
    struct spmmi_part parts[SPMMI_PART_MAX];
};

static int has_op(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (plan->variants[i].op == op)
            return 1;
    return 0;
}

/* The schedule that a catalogue name stands for, 0 for NULL. */
static spmm_schedule_t forced_schedule(const char *force_kernel)
{
    if (force_kernel == NULL)
        return (spmm_schedule_t)0;
    return strcmp(force_kernel, kernel_names[0]) == 0 ? SPMM_SCHEDULE_ROW_SPLIT : SPMM_SCHEDULE_NONZERO_SPLIT;
}

/* Room for the items of a forced part: an item but the last has at least a granule of nonzeros. */
static uint64_t forced_items(int64_t nnz)
{
    return (uint64_t)nnz / FORCED_GRANULE + 1;
}

spmm_status_t spmmi_cpu_memory_bytes(const spmm_plan_t *plan, const char *force_kernel, uint64_t *host_bytes)
{
    const uint64_t nnz = (uint64_t)plan->nnz;
    const uint64_t a_nonzero = sizeof(int32_t) + spmm_dtype_size(plan->dtype);
    uint64_t bytes = sizeof(struct spmmi_cpu);
    if (has_op(plan, SPMM_OP_N))
        bytes += ((uint64_t)plan->rows + 1) * sizeof(int64_t) + nnz * a_nonzero;
    if (has_op(plan, SPMM_OP_T))
        bytes += ((uint64_t)plan->cols + 1) * sizeof(int64_t) + nnz * (a_nonzero + sizeof(int64_t));
    if (force_kernel != NULL)
        bytes += (uint64_t)(has_op(plan, SPMM_OP_N) + has_op(plan, SPMM_OP_T)) * forced_items(plan->nnz) *
                 sizeof(uint32_t);
    else
        for (uint32_t i = 0; i < plan->part_count; i++)
            bytes += plan->parts[i].item_count * sizeof(uint32_t);
    *host_bytes = bytes;
    return SPMM_OK;
}

static void *take(struct spmmi_cpu *cpu, uint64_t count, size_t size)
{
    void *block = spmmi_alloc(count, size);
    if (block != NULL)
        cpu->host_bytes += count * size;
    return block;
}

static void values_permute(const struct spmmi_cpu *cpu, const void *values)
{
    const struct side *side = &cpu->sides[SPMM_OP_T];
    if (cpu->dtype == SPMM_F32) {
        for (int64_t q = 0; q < cpu->nnz; q++)
            ((float *)side->values)[q] = ((const float *)values)[side->map[q]];
    } else {
        for (int64_t q = 0; q < cpu->nnz; q++)
            ((double *)side->values)[q] = ((const double *)values)[side->map[q]];
    }
}

void spmmi_cpu_set_values(struct spmmi_cpu *cpu, const void *values)
{
    if (cpu->sides[SPMM_OP_N].row_ptr != NULL && cpu->nnz > 0)
        memcpy(cpu->sides[SPMM_OP_N].values, values, (size_t)cpu->nnz * spmm_dtype_size(cpu->dtype));
    if (cpu->sides[SPMM_OP_T].row_ptr != NULL)
        values_permute(cpu, values);
}

static spmm_status_t side_make(struct spmmi_cpu *cpu, const spmm_plan_t *plan, spmm_op_t op,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct side *side = &cpu->sides[op];
    const uint64_t nnz = (uint64_t)plan->nnz;
    side->rows = op == SPMM_OP_N ? plan->rows : plan->cols;
    side->cols = op == SPMM_OP_N ? plan->cols : plan->rows;
    SPMM_TRY_ALLOC(side->row_ptr = take(cpu, (uint64_t)side->rows + 1, sizeof *side->row_ptr), diag);
    SPMM_TRY_ALLOC(side->col_ind = take(cpu, nnz, sizeof *side->col_ind), diag);
    SPMM_TRY_ALLOC(side->values = take(cpu, nnz, spmm_dtype_size(plan->dtype)), diag);
    if (op == SPMM_OP_T) {
        SPMM_TRY_ALLOC(side->map = take(cpu, nnz, sizeof *side->map), diag);
        SPMM_TRY(spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, side->row_ptr,
                                 side->col_ind, side->map));
    } else {
        memcpy(side->row_ptr, plan->row_ptr, ((size_t)side->rows + 1) * sizeof *side->row_ptr);
        if (nnz > 0)
            memcpy(side->col_ind, plan->col_ind, (size_t)nnz * sizeof *side->col_ind);
    }
cleanup:
    return status == SPMM_ERR_MEMORY
               ? spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, 0}, "out of memory in %s", __func__)
               : status;
}

static void items_row_split(const struct side *side, struct spmmi_part *part)
{
    int64_t begin = 0;
    for (int64_t i = 0; i < side->rows; i++) {
        if (i == begin)
            part->items[part->item_count++] = (uint32_t)i;
        if (side->row_ptr[i + 1] - side->row_ptr[begin] >= part->granule)
            begin = i + 1;
    }
}

static void items_nonzero_split(const struct side *side, struct spmmi_part *part)
{
    int64_t row = 0;
    for (int64_t p = 0; p < side->row_ptr[side->rows]; p += part->granule) {
        while (side->row_ptr[row + 1] <= p)
            row++;
        part->items[part->item_count++] = (uint32_t)row;
    }
}

/* Items of the forced schedule for one op, as struct spmmi_part says. */
static spmm_status_t part_force(struct spmmi_cpu *cpu, spmm_op_t op, spmm_schedule_t schedule,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_part *part = &cpu->parts[op];
    *part = (struct spmmi_part){op, SPMM_FAMILY_ROWS, schedule, FORCED_GRANULE, 0, NULL, 0, 0, 0};
    SPMM_TRY_ALLOC(part->items = take(cpu, forced_items(cpu->nnz), sizeof *part->items), diag);
    if (schedule == SPMM_SCHEDULE_ROW_SPLIT)
        items_row_split(&cpu->sides[op], part);
    else
        items_nonzero_split(&cpu->sides[op], part);
cleanup:
    return status;
}

static spmm_status_t part_copy(struct spmmi_cpu *cpu, const spmm_plan_t *plan, uint32_t index,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_part *part = &cpu->parts[index];
    *part = plan->parts[index];
    part->items = NULL;
    SPMM_TRY_ALLOC(part->items = take(cpu, part->item_count, sizeof *part->items), diag);
    if (part->item_count > 0)
        memcpy(part->items, plan->parts[index].items, (size_t)part->item_count * sizeof *part->items);
cleanup:
    return status;
}

static spmm_status_t parts_make(struct spmmi_cpu *cpu, const spmm_plan_t *plan, const char *force_kernel,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *variant = &plan->variants[i];
        SPMM_REQUIRE(
            variant->part_count == 1 && variant->compute == plan->dtype, SPMM_ERR_UNSUPPORTED, diag,
            "variant %u has %u parts and computes in %s; this build runs one part in the plan's own type", i,
            variant->part_count, spmm_dtype_name(variant->compute));
        cpu->part_of_variant[i] = force_kernel != NULL ? (uint32_t)variant->op : variant->part_first;
    }
    if (force_kernel == NULL)
        for (uint32_t i = 0; i < plan->part_count; i++)
            SPMM_TRY(part_copy(cpu, plan, i, diag));
    for (int op = SPMM_OP_N; force_kernel != NULL && op <= SPMM_OP_T; op++)
        if (has_op(plan, (spmm_op_t)op))
            SPMM_TRY(part_force(cpu, (spmm_op_t)op, forced_schedule(force_kernel), diag));
cleanup:
    return status;
}

spmm_status_t spmmi_cpu_create(const spmm_plan_t *plan, int threads, const char *force_kernel,
                               struct spmmi_cpu **cpu_out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cpu *cpu = spmmi_alloc_zero(1, sizeof *cpu);
    *cpu_out = NULL;
    SPMM_TRY_ALLOC(cpu, diag);
    cpu->host_bytes = sizeof *cpu;
    cpu->nnz = plan->nnz;
    cpu->dtype = plan->dtype;
    cpu->threads = threads;
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++)
        if (has_op(plan, (spmm_op_t)op))
            SPMM_TRY(side_make(cpu, plan, (spmm_op_t)op, diag));
    SPMM_TRY(parts_make(cpu, plan, force_kernel, diag));
    if (plan->values != NULL)
        spmmi_cpu_set_values(cpu, plan->values);
    *cpu_out = cpu;
    cpu = NULL;
cleanup:
    spmmi_cpu_destroy(cpu);
    return status;
}

void spmmi_cpu_destroy(struct spmmi_cpu *cpu)
{
    if (cpu == NULL)
        return;
    for (int i = 0; i < SPMMI_PART_MAX; i++)
        spmmi_free(cpu->parts[i].items);
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++) {
        spmmi_free(cpu->sides[op].map);
        spmmi_free(cpu->sides[op].values);
        spmmi_free(cpu->sides[op].col_ind);
        spmmi_free(cpu->sides[op].row_ptr);
    }
    spmmi_free(cpu);
}

uint64_t spmmi_cpu_host_bytes(const struct spmmi_cpu *cpu)
{
    return cpu->host_bytes;
}

static const struct spmmi_part *part_of(const struct spmmi_cpu *cpu, const struct spmmi_product *product)
{
    return &cpu->parts[cpu->part_of_variant[product->variant]];
}

static struct spmmi_rows_host rows_args(const struct spmmi_cpu *cpu, const struct spmmi_product *product)
{
    const struct side *side = &cpu->sides[product->op];
    const struct spmmi_part *part = part_of(cpu, product);
    return (struct spmmi_rows_host){.rows = side->rows,
                                    .cols = side->cols,
                                    .nnz = cpu->nnz,
                                    .row_ptr = side->row_ptr,
                                    .col_ind = side->col_ind,
                                    .values = side->values,
                                    .granule = part->granule,
                                    .item_count = part->item_count,
                                    .items = part->items,
                                    .n = product->b->cols,
                                    .b = product->b->data,
                                    .ldb = product->b->ld,
                                    .b_is_col_major = product->b->order == SPMM_COL_MAJOR,
                                    .c = product->c->data,
                                    .ldc = product->c->ld,
                                    .c_is_col_major = product->c->order == SPMM_COL_MAJOR,
                                    .alpha = product->alpha,
                                    .beta = product->beta,
                                    .threads = cpu->threads};
}

static const struct spmmi_rows_host_kernel *kernel_of(const struct spmmi_cpu *cpu,
                                                      const struct spmmi_product *product)
{
    return &spmmi_rows_host_kernels[part_of(cpu, product)->schedule - 1][cpu->dtype - 1];
}

uint64_t spmmi_cpu_workspace_bytes(const struct spmmi_cpu *cpu, const struct spmmi_product *product)
{
    const struct spmmi_rows_host args = rows_args(cpu, product);
    return kernel_of(cpu, product)->workspace_bytes(&args);
}

void spmmi_cpu_execute(const struct spmmi_cpu *cpu, const struct spmmi_product *product, void *workspace)
{
    struct spmmi_rows_host args = rows_args(cpu, product);
    args.workspace = workspace;
    kernel_of(cpu, product)->run(&args);
}

void spmmi_cpu_kernel(const struct spmmi_cpu *cpu, const struct spmmi_product *product, char *text,
                      size_t size)
{
    (void)snprintf(text, size, "%s", kernel_names[part_of(cpu, product)->schedule - 1]);
}

int spmmi_cpu_kernel_count(void)
{
    return (int)(sizeof kernel_names / sizeof kernel_names[0]);
}

const char *spmmi_cpu_kernel_name(int index)
{
    return index >= 0 && index < spmmi_cpu_kernel_count() ? kernel_names[index] : NULL;
}
