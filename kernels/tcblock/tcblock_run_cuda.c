/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_cuda.h. Runs products. A family may have kernels for column-major B and C
 * (docs/decisions/0078); B is then copied to scratch in the workspace only if spmmi_tcblock_aligns_b says so.
 * Other kernels read row-major B and, except for panel (0083), store row-major C. For them a column-major
 * operand is converted to or from row-major scratch, one pass of columns at a time. */
#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_call.h"
#include "tcblock_name.h"
#include "tcblock_cuda.h"
#include "tcblock_passes_shape.h"
#include "tcblock_state_cuda.h"
#include "kernels/shared/convert.h"

/* The passes of a product, and the offsets of their arrays in the workspace. */
struct passes {
    int is_columns;             /* the kernel takes column-major operands */
    int aligns_b;               /* with is_columns: B is first copied to aligned scratch */
    int converts_b, converts_c; /* B, C are converted to row-major scratch */
    int stores_columns;         /* the kernel stores column-major C */
    int64_t columns, pitch;     /* columns per pass; leading dimension of scratch */
    int64_t wide;               /* values in 16 bytes */
    uint64_t b_offset, c_offset, slots_offset, bytes; /* slots_offset: slots of the long rows */
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Returns the columns that the rows kernels multiply in a pass of n columns. If both operands are scratch,
 * which is padded to whole words, n is rounded up to whole words. */
static int64_t columns_of_rows(const struct passes *p, int64_t n)
{
    const int64_t wide = p->wide;
    return p->converts_b && p->converts_c ? (n + wide - 1) / wide * wide : n;
}

/* Whether the kernel may store column-major C itself. Split row groups and long rows need kernels for
 * row-major C. If rows are permuted but C is not, each value of a column would be stored separately. */
static int has_whole_columns(const struct tcblock_state *f, const struct spmmi_product *product)
{
    const uint32_t moved = f->part.flags & (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT);
    return moved != SPMMI_PART_REORDERED && product->c.layout == SPMM_COL_MAJOR &&
           f->layout.slot_count == 0 && f->long_rows.rows.row_count == 0;
}

static int takes_columns(const struct tcblock_state *f, const struct spmmi_product *product)
{
    return f->gpu->takes_columns && product->b.layout == SPMM_COL_MAJOR && has_whole_columns(f, product);
}

/* Whether B is copied to aligned columns first. */
static int aligns_b(const struct tcblock_state *f, const struct spmmi_product *product)
{
    const spmm_dense_t *const b = &product->b;
    const uint64_t value_bytes = spmm_dtype_size(product->a_type);
    const uint64_t starts = (uintptr_t)b->data | (uint64_t)b->ld * value_bytes;
    const double reads = (double)f->layout.step_count * SPMMI_TCBLOCK_WIDE_STEP * f->layout.block_columns;
    return spmmi_tcblock_aligns_b(starts, (uint32_t)value_bytes, (double)b->cols, reads, f->layout.cols);
}

/* The workspace of 16-bit types always includes scratch, because neither leading dimension nor address is
 * known when its size is requested. */
static struct passes plan_columns(const struct tcblock_state *f, const struct spmmi_product *product)
{
    const size_t value_bytes = spmm_dtype_size(product->a_type);
    const int64_t n = product->b.cols;
    struct passes p = {.is_columns = 1, .aligns_b = aligns_b(f, product)};
    p.pitch = spmmi_tcblock_aligned_pitch(f->layout.cols, value_bytes);
    p.columns = spmmi_tcblock_aligned_columns(n, f->layout.cols, value_bytes);
    p.bytes = value_bytes < SPMMI_TCBLOCK_WORD_BYTES
                  ? aligned((uint64_t)p.pitch * (uint64_t)p.columns * value_bytes)
                  : 0;
    if (!p.aligns_b)
        p.columns = n < SPMMI_PASS_MAX ? n : SPMMI_PASS_MAX;
    return p;
}

static struct passes plan_rows(const struct tcblock_state *f, const struct spmmi_product *product)
{
    const size_t value_bytes = spmm_dtype_size(product->a_type);
    const int64_t wide = 16 / (int64_t)value_bytes, n = product->b.cols;
    struct passes p = {.converts_b = product->b.layout == SPMM_COL_MAJOR,
                       .stores_columns = f->gpu->stores_columns && product->b.layout == SPMM_COL_MAJOR &&
                                         has_whole_columns(f, product),
                       .wide = wide};
    p.converts_c = product->c.layout == SPMM_COL_MAJOR && !p.stores_columns;
    p.columns = n < SPMMI_PASS_MAX ? n : SPMMI_PASS_MAX;
    if (p.converts_b || p.converts_c)
        p.columns =
            spmmi_tcblock_converted_columns(n, f->layout.rows, f->layout.cols, p.converts_c, value_bytes);
    const int64_t last = p.columns > 0 && n % p.columns > 0 ? n % p.columns : p.columns;
    p.pitch = (p.columns + wide - 1) / wide * wide;
    p.b_offset = aligned(spmmi_tcblock_slot_bytes(&f->layout, (int)product->a_type, p.columns));
    p.c_offset = p.b_offset;
    if (p.converts_b)
        p.c_offset += aligned((uint64_t)f->layout.cols * (uint64_t)p.pitch * value_bytes);
    p.slots_offset = p.c_offset;
    if (p.converts_c)
        p.slots_offset += aligned((uint64_t)f->layout.rows * (uint64_t)p.pitch * value_bytes);
    uint64_t slots = spmmi_cuda_long_rows_slots(&f->long_rows, columns_of_rows(&p, p.columns));
    if (last != p.columns) { /* fewer columns may need more slots */
        const uint64_t of_last = spmmi_cuda_long_rows_slots(&f->long_rows, columns_of_rows(&p, last));
        slots = of_last > slots ? of_last : slots;
    }
    p.bytes = p.slots_offset + aligned(slots);
    return p;
}

static struct passes plan_passes(const struct tcblock_state *f, const struct spmmi_product *product)
{
    return takes_columns(f, product) ? plan_columns(f, product) : plan_rows(f, product);
}

uint64_t spmmi_cuda_tcblocks_workspace(const void *state, const struct spmmi_product *product)
{
    return plan_passes(state, product).bytes;
}

/* Returns the compute type of the kernel. f32, which these kernels lack, occurs if a variant of another
 * family runs this part; 3xtf32 is as accurate. */
static spmm_compute_t compute_of(spmm_compute_t compute)
{
    return compute == SPMM_COMPUTE_F32 ? SPMM_COMPUTE_3XTF32 : compute;
}

void spmmi_cuda_tcblocks_part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows,
                                   char *text, size_t size)
{
    spmmi_tcblock_name("cuda", part, compute_of(compute), has_long_rows, text, size);
}

void spmmi_cuda_tcblocks_describe(const void *state, const struct spmmi_product *product, char *text,
                                  size_t size)
{
    const struct tcblock_state *f = state;
    spmmi_cuda_tcblocks_part_name(&f->part, product->compute, f->long_rows.rows.row_count > 0, text, size);
}

/* Runs the long rows first, because their sums are the longest and there are few of them. The other kernel
 * starts while this one runs if the device allows it; the two write different rows of C. */
static int run_long_rows(const struct tcblock_state *f, const struct passes *p,
                         const struct spmmi_product *pass, char *workspace, struct spmmi_tcblock_cuda *args)
{
    struct spmmi_product rows = *pass;
    rows.b.cols = rows.c.cols = columns_of_rows(p, pass->b.cols);
    if (f->long_rows.rows.row_count == 0)
        return cudaSuccess;
    args->overtakes = f->device->can_overlap &&
                      /* If alpha = 0, the previous kernel in the stream may be the caller's. */
                      pass->alpha != 0;
    return spmmi_cuda_long_rows_run(&f->long_rows, &rows, workspace + p->slots_offset, args->cuda_stream);
}

/* Makes `dense` refer to the row-major scratch of a pass. */
static void to_scratch(const struct passes *p, spmm_dense_t *dense, void *scratch)
{
    dense->data = scratch;
    dense->ld = p->pitch;
    dense->layout = SPMM_ROW_MAJOR;
}

/* Runs a pass with column-major B and C. */
static int run_columns(const struct tcblock_state *f, const struct passes *p,
                       const struct spmmi_product *turn, char *workspace, struct spmmi_tcblock_cuda *args)
{
    const spmm_dense_t *b = &turn->b;
    const int is_copied = p->aligns_b && turn->alpha != 0;
    int error = cudaSuccess;
    args->n = (uint32_t)b->cols;
    args->b = p->aligns_b ? workspace : b->data;
    args->c = turn->c.data;
    args->is_early = is_copied && f->device->can_overlap;
    if (is_copied)
        error = spmmi_columns_copy_cuda((int)f->dtype, b->rows, b->cols, b->data, b->ld, workspace, p->pitch,
                                        args->cuda_stream, 0);
    return error == cudaSuccess ? f->gpu->launch(args) : error;
}

/* Runs a pass with row-major operands or scratch. turn: the part of the product that the pass computes. */
static int run_pass(const struct tcblock_state *f, const struct passes *p, const struct spmmi_product *turn,
                    char *workspace, struct spmmi_tcblock_cuda *args)
{
    const int dtype = (int)f->dtype;
    const spmm_dense_t *b = &turn->b, *c = &turn->c;
    struct spmmi_product pass = *turn;
    int error = cudaSuccess;
    if (p->converts_b)
        to_scratch(p, &pass.b, workspace + p->b_offset);
    if (p->converts_b && turn->alpha != 0)
        error = spmmi_rows_from_columns_cuda(dtype, b->rows, b->cols, b->data, b->ld, pass.b.data, p->pitch,
                                             0, args->cuda_stream);
    if (p->converts_c) {
        to_scratch(p, &pass.c, workspace + p->c_offset);
        if (error == cudaSuccess && turn->beta != 0) /* so that C is rounded only once */
            error = spmmi_rows_from_columns_cuda(dtype, c->rows, c->cols, c->data, c->ld, pass.c.data,
                                                 p->pitch, 0, args->cuda_stream);
    }
    args->n = (uint32_t)b->cols;
    args->b = pass.b.data;
    args->c = pass.c.data;
    args->is_early = p->stores_columns && turn->alpha != 0 && f->device->can_overlap;
    if (error == cudaSuccess)
        error = run_long_rows(f, p, &pass, workspace, args);
    if (error == cudaSuccess)
        error = f->gpu->launch(args);
    if (error == cudaSuccess && p->converts_c)
        error = spmmi_columns_from_rows_cuda(dtype, c->rows, c->cols, pass.c.data, p->pitch, c->data, c->ld,
                                             0, args->cuda_stream, f->device->can_overlap);
    return error;
}

spmm_status_t spmmi_cuda_tcblocks_run(const void *state, const struct spmmi_product *product, void *workspace,
                                      void *stream)
{
    const struct tcblock_state *f = state;
    const struct passes p = plan_passes(f, product);
    struct spmmi_tcblock_cuda args = {
        .layout = f->layout,
        .compute = (int)compute_of(product->compute),
        .shared_max = f->device->shared_max,
        .multiprocessors = f->device->multiprocessors,
        .l2_bytes = f->device->l2_bytes,
        .device = f->device->number,
        .allowed = spmmi_allowed_of(&f->allowed),
        .has_long_rows = f->long_rows.rows.row_count > 0,
        .has_wgmma = f->device->target == 90,
        .is_columns = p.is_columns,
        .c_is_columns = p.stores_columns,
        .ldb = (uint64_t)(p.converts_b || p.aligns_b ? p.pitch : product->b.ld),
        .ldc = (uint64_t)(p.converts_c ? p.pitch : product->c.ld),
        .alpha = product->alpha,
        .beta = product->beta,
        .slots = workspace,
        .cuda_stream = stream,
        .can_overlap = f->device->can_overlap,
    };
    int error = cudaSuccess;
    if (!spmmi_has_short_rows(&product->b) || !spmmi_has_short_rows(&product->c))
        return SPMM_ERR_TOO_LARGE;
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += p.columns) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, p.columns);
        error = (p.is_columns ? run_columns : run_pass)(f, &p, &turn, workspace, &args);
    }
    return spmmi_cuda_status(error);
}
