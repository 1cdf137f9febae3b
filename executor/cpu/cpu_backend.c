/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_backend.h. Rows parts run the plan's CSR as it is, or for op = T the CSR of the transpose, made here;
 * the other families run their packed layout. */
#include "cpu_backend.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/tcblock/fragment_host_cpu.h"
#include "cpu_parts.h"
#include "cpu_scatter.h"
#include "kernels/tiled/tiled_host_cpu.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "kernels/tcblock/fragment_name.h"
#include "kernels/rows/rows_kernel.h"
#include "kernels/tiled/tiled_kernel.h"
#include "kernels/tcblock/fragment_kernel.h"
#include "kernels/tiled/tiled_name.h"

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
    spmm_compute_t compute_of_variant[SPMMI_VARIANT_MAX];
    struct side sides[2]; /* by op; without row_ptr where no rows part of the op runs */
    struct spmmi_part parts[SPMMI_CPU_PART_SLOTS]; /* items for rows parts only */
    struct spmmi_cpu_tiled tiled[SPMMI_CPU_PART_SLOTS];
    struct spmmi_cpu_fragments fragments[SPMMI_CPU_PART_SLOTS];
};

/* Room for the items of a forced part: an item but the last has at least a granule of nonzeros. */
static uint64_t forced_items(int64_t nnz)
{
    return (uint64_t)nnz / SPMMI_CPU_MADE_GRANULE + 1;
}

spmm_status_t spmmi_cpu_memory_bytes(const spmm_plan_t *plan, const char *force_kernel, uint64_t *host_bytes,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t nnz = (uint64_t)plan->nnz;
    const uint64_t a_nonzero = sizeof(int32_t) + spmm_dtype_size(plan->dtype);
    uint64_t bytes = sizeof(struct spmmi_cpu);
    *host_bytes = 0;
    SPMM_TRY(spmmi_cpu_parts_check(plan, force_kernel, diag));
    if (spmmi_cpu_has_rows_part(plan, SPMM_OP_N, force_kernel))
        bytes += ((uint64_t)plan->rows + 1) * sizeof(int64_t) + nnz * a_nonzero;
    if (spmmi_cpu_has_rows_part(plan, SPMM_OP_T, force_kernel))
        bytes += ((uint64_t)plan->cols + 1) * sizeof(int64_t) + nnz * (a_nonzero + sizeof(int64_t));
    for (uint32_t slot = 0; slot < SPMMI_CPU_PART_SLOTS; slot++) {
        if (!spmmi_cpu_slot_is_used(plan, slot, force_kernel))
            continue;
        const struct spmmi_part part = spmmi_cpu_part_in(plan, slot, force_kernel);
        uint64_t part_bytes =
            (slot < SPMMI_CPU_PARTS_MADE ? part.item_count : forced_items(plan->nnz)) * sizeof(uint32_t);
        if (part.family == SPMM_FAMILY_TILED)
            SPMM_TRY(spmmi_cpu_tiled_bytes(plan, &part, &part_bytes, diag));
        if (spmmi_is_fragments(part.family))
            SPMM_TRY(spmmi_cpu_fragments_bytes(plan, slot, &part_bytes, diag));
        bytes += part_bytes;
    }
    *host_bytes = bytes;
cleanup:
    return status;
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
    for (uint32_t slot = 0; slot < SPMMI_CPU_PART_SLOTS; slot++) {
        const struct spmmi_cpu_tiled *tiled = &cpu->tiled[slot];
        const struct spmmi_cpu_fragments *fragments = &cpu->fragments[slot];
        if (tiled->values != NULL)
            spmmi_cpu_scatter(cpu->dtype, cpu->nnz, tiled->layout.value_map, values, tiled->values);
        if (fragments->values != NULL)
            spmmi_cpu_fragments_set_values(fragments, cpu->dtype, cpu->nnz, values);
    }
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

static spmm_status_t rows_items_make(struct spmmi_cpu *cpu, const spmm_plan_t *plan, uint32_t slot,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_part *part = &cpu->parts[slot];
    const uint64_t room = slot < SPMMI_CPU_PARTS_MADE ? part->item_count : forced_items(cpu->nnz);
    SPMM_TRY_ALLOC(part->items = take(cpu, room, sizeof *part->items), diag);
    if (slot < SPMMI_CPU_PARTS_MADE) {
        if (room > 0)
            memcpy(part->items, plan->parts[slot].items, (size_t)room * sizeof *part->items);
    } else if (part->schedule == SPMM_SCHEDULE_ROW_SPLIT) {
        items_row_split(&cpu->sides[part->op], part);
    } else {
        items_nonzero_split(&cpu->sides[part->op], part);
    }
cleanup:
    return status;
}

static spmm_status_t part_make(struct spmmi_cpu *cpu, const spmm_plan_t *plan, uint32_t slot,
                               const char *force_kernel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part part = spmmi_cpu_part_in(plan, slot, force_kernel);
    cpu->parts[slot] = part;
    cpu->parts[slot].items = NULL;
    if (part.family == SPMM_FAMILY_TILED) {
        SPMM_TRY(spmmi_cpu_tiled_make(plan, &part, &cpu->tiled[slot], diag));
        cpu->host_bytes += cpu->tiled[slot].host_bytes;
    } else if (spmmi_is_fragments(part.family)) {
        SPMM_TRY(spmmi_cpu_fragments_make(plan, slot, &cpu->fragments[slot], diag));
        cpu->host_bytes += cpu->fragments[slot].host_bytes;
    } else {
        SPMM_TRY(rows_items_make(cpu, plan, slot, diag));
    }
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
    SPMM_TRY(spmmi_cpu_parts_check(plan, force_kernel, diag));
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++)
        if (spmmi_cpu_has_rows_part(plan, (spmm_op_t)op, force_kernel))
            SPMM_TRY(side_make(cpu, plan, (spmm_op_t)op, diag));
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        cpu->part_of_variant[i] = spmmi_cpu_slot_of(plan, &plan->variants[i], force_kernel);
        cpu->compute_of_variant[i] = plan->variants[i].compute;
    }
    for (uint32_t slot = 0; slot < SPMMI_CPU_PART_SLOTS; slot++)
        if (spmmi_cpu_slot_is_used(plan, slot, force_kernel))
            SPMM_TRY(part_make(cpu, plan, slot, force_kernel, diag));
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
    for (int slot = 0; slot < SPMMI_CPU_PART_SLOTS; slot++) {
        spmmi_cpu_fragments_free(&cpu->fragments[slot]);
        spmmi_cpu_tiled_free(&cpu->tiled[slot]);
        spmmi_free(cpu->parts[slot].items);
    }
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

static struct spmmi_tiled_host tiled_args(const struct spmmi_cpu *cpu, const struct spmmi_product *product)
{
    return (struct spmmi_tiled_host){.layout =
                                         &cpu->tiled[cpu->part_of_variant[product->variant]].layout.view,
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

static struct spmmi_fragment_host fragment_args(const struct spmmi_cpu *cpu,
                                                const struct spmmi_product *product)
{
    return (struct spmmi_fragment_host){.dtype = (int)cpu->dtype,
                                        .compute = (int)cpu->compute_of_variant[product->variant],
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

uint64_t spmmi_cpu_workspace_bytes(const struct spmmi_cpu *cpu, const struct spmmi_product *product)
{
    const uint32_t slot = cpu->part_of_variant[product->variant];
    const int64_t n = product->b->cols;
    if (cpu->parts[slot].family == SPMM_FAMILY_TILED)
        return spmmi_tiled_host_workspace(&cpu->tiled[slot].layout.view, (int)cpu->dtype, n);
    if (spmmi_is_fragments(cpu->parts[slot].family)) {
        const struct spmmi_fragment_host args = fragment_args(cpu, product);
        return spmmi_cpu_fragments_workspace(&cpu->fragments[slot], &args);
    }
    const struct spmmi_rows_host args = rows_args(cpu, product);
    return kernel_of(cpu, product)->workspace_bytes(&args);
}

void spmmi_cpu_execute(const struct spmmi_cpu *cpu, const struct spmmi_product *product, void *workspace)
{
    const spmm_family_t family = part_of(cpu, product)->family;
    if (family == SPMM_FAMILY_TILED) {
        struct spmmi_tiled_host args = tiled_args(cpu, product);
        args.workspace = workspace;
        spmmi_tiled_host_kernels[cpu->dtype - 1](&args);
    } else if (spmmi_is_fragments(family)) {
        struct spmmi_fragment_host args = fragment_args(cpu, product);
        args.workspace = workspace;
        spmmi_cpu_fragments_run(&cpu->fragments[cpu->part_of_variant[product->variant]], &args);
    } else {
        struct spmmi_rows_host args = rows_args(cpu, product);
        args.workspace = workspace;
        kernel_of(cpu, product)->run(&args);
    }
}

void spmmi_cpu_kernel(const struct spmmi_cpu *cpu, const struct spmmi_product *product, char *text,
                      size_t size)
{
    const struct spmmi_part *part = part_of(cpu, product);
    if (part->family == SPMM_FAMILY_TILED)
        spmmi_tiled_name("cpu", part, 0, text, size);
    else if (spmmi_is_fragments(part->family))
        spmmi_fragment_name("cpu", part, cpu->compute_of_variant[product->variant],
                            cpu->fragments[cpu->part_of_variant[product->variant]].peeled.a.rows > 0, text,
                            size);
    else
        (void)snprintf(text, size, "%s", spmmi_cpu_kernel_name((int)part->schedule - 1));
}
