/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a product: row-major operands go straight to the kernel, column-major ones by way of
 * row-major scratch in the workspace, a pass of columns at a time. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cuda_call.h"
#include "cuda_state.h"
#include "kernels/tcblock/fragment_name.h"
#include "kernels/tiled/tiled_name.h"
#include "kernels/shared/convert.h"

uint32_t spmmi_cuda_part_of(const struct spmmi_cuda *cuda, int variant, spmm_op_t op)
{
    const uint32_t chosen = cuda->variants[variant].part_first;
    if (cuda->forced.schedule == 0 || spmmi_cuda_is_named(&cuda->forced, &cuda->parts[chosen]))
        return chosen;
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (cuda->parts[i].op == op && spmmi_cuda_is_named(&cuda->forced, &cuda->parts[i]))
            return i;
    }
    return chosen;
}

static uint32_t pick_part(const struct spmmi_cuda *cuda, const struct spmmi_product *product)
{
    return spmmi_cuda_part_of(cuda, product->variant, product->op);
}

/* The tiled part that runs, NULL for one of the rows family. */
static const struct spmmi_cuda_tiled *tiled_part(const struct spmmi_cuda *cuda,
                                                 const struct spmmi_product *product)
{
    const uint32_t part = pick_part(cuda, product);
    return cuda->parts[part].family == SPMM_FAMILY_TILED ? &cuda->tiled[part] : NULL;
}

/* The window, panel or bcsr part that runs, else NULL. */
static const struct spmmi_cuda_fragments *fragments_part(const struct spmmi_cuda *cuda,
                                                         const struct spmmi_product *product)
{
    const uint32_t part = pick_part(cuda, product);
    return spmmi_is_fragments(cuda->parts[part].family) ? &cuda->fragments[part] : NULL;
}

/* How such a part multiplies: as the variant says, or where that has another part and the plan's type is
 * f32, as exactly. */
static spmm_compute_t compute_of(const struct spmmi_cuda *cuda, const struct spmmi_product *product)
{
    const spmm_compute_t compute = cuda->variants[product->variant].compute;
    return compute == SPMM_COMPUTE_F32 ? SPMM_COMPUTE_3XTF32 : compute;
}

static uint32_t plan_launch(const struct spmmi_cuda *cuda, const struct spmmi_product *product,
                            struct spmmi_rows_launch *launch)
{
    const uint32_t part = pick_part(cuda, product);
    const struct spmmi_operand *operand = &cuda->operands[product->op];
    const struct spmmi_rows_problem problem = {
        .rows = operand->rows,
        .cols = operand->cols,
        .nnz = cuda->nnz,
        .item_count = cuda->items[part].item_count,
        .granule = cuda->items[part].granule,
        .schedule = cuda->parts[part].schedule,
        .dtype = cuda->dtype,
        .b = product->b,
        .c = product->c,
    };
    spmmi_rows_launch_plan(&problem, &cuda->figures, launch);
    return part;
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, const struct spmmi_product *product, char *text,
                       size_t size)
{
    struct spmmi_rows_launch launch;
    const struct spmmi_cuda_tiled *tiled = tiled_part(cuda, product);
    if (tiled != NULL) {
        spmmi_tiled_name("cuda", &cuda->parts[pick_part(cuda, product)],
                         spmmi_cuda_tiled_register_tile(tiled, cuda->dtype, product->b->cols), text, size);
        return;
    }
    if (fragments_part(cuda, product) != NULL) {
        spmmi_fragment_name("cuda", &cuda->parts[pick_part(cuda, product)], compute_of(cuda, product),
                            fragments_part(cuda, product)->peeled.rows.row_count > 0, text, size);
        return;
    }
    const uint32_t part = plan_launch(cuda, product, &launch);
    (void)snprintf(text, size, "cuda/rows/%s/v%ul%u%s", spmm_schedule_name(cuda->parts[part].schedule),
                   launch.shape.vec, launch.shape.lanes, launch.shape.is_single ? "single" : "");
}

spmm_status_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, const struct spmmi_product *product,
                                         uint64_t *bytes)
{
    struct spmmi_rows_launch launch;
    const struct spmmi_cuda_tiled *tiled = tiled_part(cuda, product);
    if (tiled != NULL) {
        *bytes = spmmi_cuda_tiled_workspace(tiled, cuda->dtype, product->b->cols);
        return SPMM_OK;
    }
    const struct spmmi_cuda_fragments *fragments = fragments_part(cuda, product);
    if (fragments != NULL) {
        *bytes = spmmi_cuda_fragments_workspace(fragments, product);
        return SPMM_OK;
    }
    (void)plan_launch(cuda, product, &launch);
    *bytes = launch.workspace_bytes;
    return SPMM_OK;
}

/* The part as its kernels read it. */
static struct spmmi_cuda_rows rows_of(const struct spmmi_cuda *cuda, spmm_op_t op, uint32_t part)
{
    struct spmmi_cuda_rows rows = {
        .schedule = cuda->parts[part].schedule,
        .dtype = cuda->dtype,
        .row_count = (uint32_t)cuda->operands[op].rows,
        .stream = cuda->operands[op].stream,
        .items = cuda->items[part],
        .arrivals = cuda->arrivals,
    };
    memcpy(rows.blocks, cuda->blocks[part], sizeof rows.blocks);
    return rows;
}

static cudaError_t run_pass(struct spmmi_cuda *cuda, const struct spmmi_product *product, uint32_t part,
                            const struct spmmi_rows_launch *launch, int64_t j, char *workspace, void *stream)
{
    const struct spmmi_operand *operand = &cuda->operands[product->op];
    const int64_t left = product->b->cols - j;
    const int64_t n = left < launch->n_pass ? left : launch->n_pass;
    const int64_t padded = (n + launch->shape.vec - 1) / launch->shape.vec * launch->shape.vec;
    struct spmmi_cuda_pass pass = {.n = n,
                                   .alpha = product->alpha,
                                   .beta = product->beta,
                                   .slots = workspace + launch->slots_offset,
                                   .cuda_stream = stream};
    int error = cudaSuccess;
    /* A single column-major column is a row-major matrix of ld 1. */
    pass.ldb = product->b->order == SPMM_COL_MAJOR ? 1 : product->b->ld;
    pass.c_is_col_major = product->c->order == SPMM_COL_MAJOR && product->c->cols > 1;
    pass.ldc = product->c->order == SPMM_COL_MAJOR && product->c->cols == 1 ? 1 : product->c->ld;
    pass.b = spmmi_cuda_at_column(product->b, j);
    pass.c = spmmi_cuda_at_column(product->c, j);
    if (launch->converts_b && product->alpha != 0) {
        error = spmmi_rows_from_columns_cuda((int)cuda->dtype, operand->cols, n, pass.b, product->b->ld,
                                             workspace + launch->b_offset, launch->pitch, stream);
        pass.b = workspace + launch->b_offset;
        pass.ldb = launch->pitch;
        pass.is_dependent = cuda->figures.can_overlap;
    }
    if (launch->converts_c) {
        pass.c = workspace + launch->c_offset;
        pass.c_is_col_major = 0;
        pass.ldc = launch->pitch;
        pass.beta = 0;
        pass.n = launch->converts_b ? padded : n;
    }
    if (error == cudaSuccess) {
        const struct spmmi_cuda_rows rows = rows_of(cuda, product->op, part);
        error = spmmi_cuda_rows_run(&rows, launch, &pass);
    }
    if (error == cudaSuccess && launch->converts_c)
        error =
            spmmi_columns_from_rows_cuda((int)cuda->dtype, operand->rows, n, workspace + launch->c_offset,
                                         launch->pitch, spmmi_cuda_at_column(product->c, j), product->c->ld,
                                         product->beta, stream, cuda->figures.can_overlap);
    return (cudaError_t)error;
}

static cudaError_t run_passes(struct spmmi_cuda *cuda, const struct spmmi_product *product, void *workspace,
                              void *stream)
{
    struct spmmi_rows_launch launch;
    const uint32_t part = plan_launch(cuda, product, &launch);
    cudaError_t error = cudaSuccess;
    for (int64_t j = 0; j < product->b->cols && error == cudaSuccess; j += launch.n_pass)
        error = run_pass(cuda, product, part, &launch, j, workspace, stream);
    return error;
}

spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, const struct spmmi_product *product,
                                 void *workspace, uint64_t workspace_bytes, void *stream)
{
    const struct spmmi_cuda_tiled *tiled = tiled_part(cuda, product);
    const struct spmmi_cuda_fragments *fragments = fragments_part(cuda, product);
    const int is_rows = tiled == NULL && fragments == NULL, can_overlap = cuda->figures.can_overlap;
    uint64_t needed = 0;
    (void)spmmi_cuda_workspace_bytes(cuda, product, &needed);
    if (needed > workspace_bytes || (needed > 0 && workspace == NULL) || (uintptr_t)workspace % 16 != 0)
        return SPMM_ERR_WORKSPACE;
    /* Strides are 32-bit in the kernels: row-major leading dimensions in bytes must fit. */
    if (tiled == NULL && ((product->b->order == SPMM_ROW_MAJOR && product->b->ld > UINT32_MAX / 8) ||
                          (product->c->order == SPMM_ROW_MAJOR && product->c->ld > UINT32_MAX / 8)))
        return SPMM_ERR_TOO_LARGE;
    struct spmmi_cuda_scope scope;
    cudaError_t error = spmmi_cuda_enter(cuda->device, &scope);
    if (error == cudaSuccess)
        error = is_rows ? run_passes(cuda, product, workspace, stream)
                : tiled != NULL
                    ? (cudaError_t)spmmi_cuda_tiled_execute(tiled, cuda->dtype, product, workspace,
                                                            can_overlap, stream)
                    : (cudaError_t)spmmi_cuda_fragments_execute(fragments, compute_of(cuda, product), product,
                                                                workspace, can_overlap, stream);
    spmmi_cuda_leave(scope);
    if (error != cudaSuccess)
        (void)cudaGetLastError(); /* the status tells it; the caller's next check is not about this call */
    return error == cudaSuccess ? SPMM_OK : SPMM_ERR_DEVICE;
}
