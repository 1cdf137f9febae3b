/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_fragments.h. The kernels take row-major operands: a column-major one goes by way of row-major scratch in
 * the workspace, a pass of columns at a time. */
#include "fragment_cuda.h"

#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"
#include "fragment_pack.h"
#include "executor/pack/op_pattern.h"
#include "kernels/panel/panel_shape.h"
#include "kernels/shared/convert.h"

#define PANEL_ROWS_MAX 128u
#define PASS_MAX 32768 /* of any pass: tiles of 16 columns are within a grid's 65535 */

/* An array that the family may lack. */
static void *cut_some(struct spmmi_arena *arena, uint64_t count, size_t size)
{
    return count > 0 ? spmmi_arena_cut(arena, count, size) : NULL;
}

/* Device addresses by the counts of the layout. */
static void cut(struct spmmi_arena *arena, uint64_t nnz, size_t number_bytes, struct spmmi_cuda_fragments *f)
{
    struct spmmi_fragments *l = &f->layout;
    const struct spmmi_fragment_sizes sizes = spmmi_fragment_sizes_of(l);
    l->row_of = spmmi_arena_cut(arena, sizes.row_of, sizeof *l->row_of);
    l->columns = spmmi_arena_cut(arena, sizes.columns, sizeof *l->columns);
    l->locals = cut_some(arena, 8 * sizes.locals, sizeof *l->locals);
    l->block_first = cut_some(arena, sizes.block_first, sizeof *l->block_first);
    l->masks = cut_some(arena, sizes.masks, sizeof *l->masks);
    l->bitmaps = spmmi_arena_cut(arena, sizes.bitmaps, sizeof *l->bitmaps);
    l->value_first = cut_some(arena, sizes.value_first, sizeof *l->value_first);
    l->items = spmmi_arena_cut(arena, l->item_count, sizeof *l->items);
    l->splits = spmmi_arena_cut(arena, l->split_count, sizeof *l->splits);
    f->values = spmmi_arena_cut(arena, l->value_count + SPMMI_FRAGMENT_PAD, number_bytes);
    l->values = f->values;
    f->value_map = spmmi_arena_cut(arena, nnz, sizeof *f->value_map);
    spmmi_cuda_peeled_cut(arena, &f->peeled);
}

spmm_status_t spmmi_cuda_fragments_bytes(const spmm_plan_t *plan, uint32_t part,
                                         const struct spmmi_rows_device *figures, uint64_t *bytes,
                                         spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_part *p = &plan->parts[part];
    struct spmmi_cuda_fragments f = {.family = p->family};
    SPMM_TRY(spmmi_op_pattern_open(plan, p->op, &a, diag));
    SPMM_TRY(spmmi_fragments_count(a.rows, a.cols, a.row_ptr, a.col_ind, p, plan->dtype, &f.layout, diag));
    if (spmmi_peeled_of(plan, part) != NULL) {
        const struct spmmi_peeled rows = spmmi_peeled_count(&a, spmmi_peeled_of(plan, part));
        spmmi_cuda_peeled_describe(&rows, a.cols, plan->dtype, figures, &f.peeled);
    }
    cut(&arena, (uint64_t)plan->nnz, spmm_dtype_size(plan->dtype), &f);
    *bytes = arena.bytes;
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t upload(const struct spmmi_cuda_fragments *f, const struct spmmi_fragment_layout *host,
                            uint64_t nnz, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_fragments *to = &f->layout;
    const struct spmmi_fragment_sizes sizes = spmmi_fragment_sizes_of(to);
    SPMM_TRY(spmmi_cuda_copy_up(to->row_of, host->row_of, sizes.row_of, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->columns, host->columns, sizes.columns, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->locals, host->locals, 8 * sizes.locals, 1, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->block_first, host->block_first, sizes.block_first, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->masks, host->masks, sizes.masks, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->bitmaps, host->bitmaps, sizes.bitmaps, 8, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->value_first, host->value_first, sizes.value_first, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->items, host->items, to->item_count, sizeof *to->items, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->splits, host->splits, to->split_count, sizeof *to->splits, diag));
    SPMM_TRY(spmmi_cuda_copy_up(f->value_map, host->value_map, nnz, 4, diag));
cleanup:
    return status;
}

/* A panel's stage is one step, which the kernels cannot cut. */
static spmm_status_t refuse_stage(const struct spmmi_cuda_fragments *f, uint32_t number_bytes,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_fragments *l = &f->layout;
    const uint32_t bytes = spmmi_panel_stage(SPMMI_PANEL_B_LEAST, number_bytes, (int)l->is_packed,
                                             l->step_blocks_max, l->step_values_max)
                               .bytes;
    SPMM_REQUIRE(f->family != SPMM_FAMILY_PANEL || bytes <= f->shared_max, SPMM_ERR_UNSUPPORTED, diag,
                 "panels of %u rows need %u bytes of shared memory, this GPU has %u: inspect for lower or "
                 "packed ones, or for windows",
                 l->unit_rows, bytes, f->shared_max);
cleanup:
    return status;
}

/* Packed on the host, then copied: one part at a time, so that the host holds one packed copy of A at most. */
spmm_status_t spmmi_cuda_fragments_create(const spmm_plan_t *plan, uint32_t part, int device,
                                          const struct spmmi_rows_device *figures,
                                          struct spmmi_cuda_fragments *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a = {.map = NULL};
    struct spmmi_fragment_layout host = {0};
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_part *p = &plan->parts[part];
    const size_t number_bytes = spmm_dtype_size(plan->dtype);
    struct spmmi_peeled rows = {.rows = 0};
    int shared_max = 0;
    SPMM_REQUIRE(p->panel_rows <= PANEL_ROWS_MAX, SPMM_ERR_UNSUPPORTED, diag,
                 "the GPU has no panels of %u rows, %u is the most", p->panel_rows, PANEL_ROWS_MAX);
    SPMM_TRY(spmmi_op_pattern_open(plan, p->op, &a, diag));
    SPMM_TRY(spmmi_fragments_build(a.rows, a.cols, a.row_ptr, a.col_ind, p, plan->dtype, &host, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_fragments_map_from_a(&host, plan->nnz, a.map, diag));
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), diag);
    *f = (struct spmmi_cuda_fragments){.layout = host.view,
                                       .family = p->family,
                                       .shared_max = (uint32_t)shared_max,
                                       .has_wgmma = spmmi_cuda_target(device) == 90};
    if (spmmi_peeled_of(plan, part) != NULL)
        SPMM_TRY(spmmi_peeled_make(&a, spmmi_peeled_of(plan, part), &rows, diag));
    spmmi_cuda_peeled_describe(&rows, a.cols, plan->dtype, figures, &f->peeled);
    SPMM_TRY(refuse_stage(f, (uint32_t)number_bytes, diag));
    cut(&arena, (uint64_t)plan->nnz, number_bytes, f);
    SPMM_TRY_CUDA(cudaMalloc((void **)&f->memory, (size_t)arena.bytes), diag);
    f->memory_bytes = arena.bytes;
    arena = (struct spmmi_arena){f->memory, 0};
    cut(&arena, (uint64_t)plan->nnz, number_bytes, f);
    SPMM_TRY_CUDA(cudaMemset(f->memory, 0, (size_t)f->memory_bytes), diag);
    SPMM_TRY(upload(f, &host, (uint64_t)plan->nnz, diag));
    SPMM_TRY(spmmi_cuda_peeled_upload(&f->peeled, &rows, diag));
cleanup:
    spmmi_peeled_free(&rows);
    spmmi_fragments_free(&host);
    spmmi_op_pattern_close(&a);
    return status;
}

/* ---- Products ---- */

/* How a product is cut into passes, and where in the workspace its pieces lie. */
struct passes {
    int converts_b, converts_c;
    int64_t columns, pitch;                           /* of a pass; leading dimension of scratch */
    int64_t wide;                                     /* numbers of 16 bytes */
    uint64_t b_offset, c_offset, slots_offset, bytes; /* slots: of the peeled rows */
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Columns that the rows kernels take of a pass of n: whole words where both operands are scratch, which has them. */
static int64_t columns_of_rows(const struct passes *p, int64_t n)
{
    const int64_t wide = p->wide;
    return p->converts_b && p->converts_c ? (n + wide - 1) / wide * wide : n;
}

static struct passes plan_passes(const struct spmmi_cuda_fragments *f, const struct spmmi_product *product)
{
    const spmm_dense_t *b = product->b, *c = product->c;
    const size_t number_bytes = spmm_dtype_size(b->type);
    const int64_t wide = 16 / (int64_t)number_bytes, n = b->cols;
    struct passes p = {
        .converts_b = b->order == SPMM_COL_MAJOR, .converts_c = c->order == SPMM_COL_MAJOR, .wide = wide};
    const int64_t most = p.converts_b || p.converts_c ? (int64_t)SPMMI_FRAGMENT_PASS_COLUMNS : PASS_MAX;
    p.columns = n < most ? n : most;
    const int64_t last = p.columns > 0 && n % p.columns > 0 ? n % p.columns : p.columns;
    p.pitch = (p.columns + wide - 1) / wide * wide;
    p.b_offset = aligned(spmmi_fragment_slot_bytes(&f->layout, (int)b->type, p.columns));
    p.c_offset = p.b_offset;
    if (p.converts_b)
        p.c_offset += aligned((uint64_t)f->layout.cols * (uint64_t)p.pitch * number_bytes);
    p.slots_offset = p.c_offset;
    if (p.converts_c)
        p.slots_offset += aligned((uint64_t)f->layout.rows * (uint64_t)p.pitch * number_bytes);
    const uint64_t most_slots = spmmi_cuda_peeled_slots(&f->peeled, columns_of_rows(&p, p.columns));
    const uint64_t last_slots = spmmi_cuda_peeled_slots(&f->peeled, columns_of_rows(&p, last));
    p.bytes = p.slots_offset + aligned(most_slots > last_slots ? most_slots : last_slots);
    return p;
}

uint64_t spmmi_cuda_fragments_workspace(const struct spmmi_cuda_fragments *fragments,
                                        const struct spmmi_product *product)
{
    return plan_passes(fragments, product).bytes;
}

static int launch(spmm_family_t family, const struct spmmi_fragment_cuda *args)
{
    if (family == SPMM_FAMILY_BCSR)
        return spmmi_bcsr_cuda_launch(args);
    return family == SPMM_FAMILY_WINDOW ? spmmi_window_cuda_launch(args) : spmmi_panel_cuda_launch(args);
}

/* The peeled rows come first: sum by sum they take longest, and there are few of them. The other kernel starts while
 * theirs runs, where the device can do that; they write other rows of C. */
static int run_peeled(const struct spmmi_cuda_fragments *f, const struct passes *p, int can_overlap,
                      char *workspace, struct spmmi_fragment_cuda *args)
{
    const struct spmmi_cuda_pass pass = {.n = columns_of_rows(p, args->n),
                                         .b = args->b,
                                         .c = args->c,
                                         .ldb = (int64_t)args->ldb,
                                         .ldc = (int64_t)args->ldc,
                                         .alpha = args->alpha,
                                         .beta = args->beta,
                                         .slots = workspace + p->slots_offset,
                                         .cuda_stream = args->cuda_stream};
    if (f->peeled.rows.row_count == 0)
        return cudaSuccess;
    args->overtakes =
        can_overlap && args->alpha != 0; /* else there may be no kernel before it but the caller's */
    return spmmi_cuda_peeled_run(&f->peeled, &pass);
}

static int run_pass(const struct spmmi_cuda_fragments *f, const struct passes *p,
                    const struct spmmi_product *product, int64_t j, char *workspace,
                    struct spmmi_fragment_cuda *args)
{
    const int dtype = (int)product->b->type;
    const int64_t left = product->b->cols - j, n = left < p->columns ? left : p->columns;
    int error = cudaSuccess;
    args->n = (uint32_t)n;
    args->b = spmmi_cuda_at_column(product->b, j);
    args->c = spmmi_cuda_at_column(product->c, j);
    if (p->converts_b && product->alpha != 0) {
        error = spmmi_rows_from_columns_cuda(dtype, f->layout.cols, n, args->b, product->b->ld,
                                             workspace + p->b_offset, p->pitch, args->cuda_stream);
        args->b = workspace + p->b_offset;
    }
    if (p->converts_c) {
        args->c = workspace + p->c_offset;
        if (error == cudaSuccess && product->beta != 0) /* so that C is rounded once */
            error =
                spmmi_rows_from_columns_cuda(dtype, f->layout.rows, n, spmmi_cuda_at_column(product->c, j),
                                             product->c->ld, args->c, p->pitch, args->cuda_stream);
    }
    if (error == cudaSuccess)
        error = run_peeled(f, p, args->can_overlap, workspace, args);
    if (error == cudaSuccess)
        error = launch(f->family, args);
    if (error == cudaSuccess && p->converts_c)
        error = spmmi_columns_from_rows_cuda(dtype, f->layout.rows, n, args->c, p->pitch,
                                             spmmi_cuda_at_column(product->c, j), product->c->ld, 0,
                                             args->cuda_stream, 0);
    return error;
}

int spmmi_cuda_fragments_execute(const struct spmmi_cuda_fragments *fragments, spmm_compute_t compute,
                                 const struct spmmi_product *product, void *workspace, int can_overlap,
                                 void *stream)
{
    const struct passes p = plan_passes(fragments, product);
    struct spmmi_fragment_cuda args = {
        .layout = fragments->layout,
        .compute = (int)compute,
        .shared_max = fragments->shared_max,
        .has_wgmma = fragments->has_wgmma,
        .ldb = (uint64_t)(p.converts_b ? p.pitch : product->b->ld),
        .ldc = (uint64_t)(p.converts_c ? p.pitch : product->c->ld),
        .alpha = product->alpha,
        .beta = product->beta,
        .slots = workspace,
        .cuda_stream = stream,
        .can_overlap = can_overlap,
    };
    int error = cudaSuccess;
    for (int64_t j = 0; j < product->b->cols && error == cudaSuccess; j += p.columns)
        error = run_pass(fragments, &p, product, j, workspace, &args);
    return error;
}
