/* SPDX-License-Identifier: Apache-2.0 */
/* See dense_operands_cuda.h. */
#include "dense_operands_cuda.h"

#include <cuda_runtime_api.h>

#include "format/family.h"
#include "kernels/shared/convert.h"
#include "dense_kernel.h"
#include "dense_narrow_shape.h"
#include "dense_shape.h"

/* Finds the forms of A that products need. The family's kernels for few columns split values while they
 * multiply, so they need whole values; if they cannot run (another device, too many rows, unaligned
 * operands) the library multiplies blocks. A part that runs only because it is forced, for no variant of its
 * own, uses whole values. */
static void forms_read(const spmm_plan_t *plan, spmm_op_t op, uint32_t target, struct spmmi_dense_a *a)
{
    const int has_own = target >= SPMMI_DENSE_NARROW_TARGET;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *const v = &plan->variants[i];
        if (v->op != op || plan->parts[v->part_first].family != SPMMI_DENSE)
            continue;
        a->has_blocks |= spmmi_is_tf32(v->compute);
        a->has_whole |= !spmmi_is_tf32(v->compute) || (has_own && v->n_min <= SPMMI_DENSE_NARROW_COLUMNS_MAX);
    }
    a->has_whole |= !a->has_blocks;
}

struct spmmi_dense_a spmmi_dense_a_of(const spmm_plan_t *plan, spmm_op_t op, uint32_t target)
{
    const int64_t rows = op == SPMM_OP_T ? plan->cols : plan->rows;
    const int64_t cols = op == SPMM_OP_T ? plan->rows : plan->cols;
    struct spmmi_dense_a a = {.dtype = plan->dtype,
                              .rows = (uint32_t)rows,
                              .cols = (uint32_t)cols,
                              .nnz = (uint32_t)plan->nnz,
                              .lda = spmmi_dense_lda(cols, plan->dtype)};
    forms_read(plan, op, target, &a);
    return a;
}

void spmmi_dense_a_cut(struct spmmi_arena *arena, struct spmmi_dense_a *a)
{
    const uint64_t entries = a->rows * a->lda;
    if (a->has_whole) /* rows of zeros follow them: see copy_of in dense_cuda.c */
        a->whole = spmmi_arena_cut(arena, spmmi_dense_rows_padded(a->rows, a->dtype) * a->lda,
                                   spmm_dtype_size(a->dtype));
    if (a->has_blocks) {
        a->blocks = spmmi_arena_cut(arena, SPMMI_DENSE_BLOCKS * entries, sizeof *a->blocks);
        a->has_special = spmmi_arena_cut(arena, 1, sizeof *a->has_special);
    }
}

int spmmi_dense_a_set(const struct spmmi_dense_a *a, const void *values, void *stream)
{
    const uint32_t room = (uint32_t)(a->rows * a->lda);
    int error = cudaSuccess;
    if (a->whole != NULL)
        error = spmmi_scatter_cuda((int)a->dtype, a->nnz, a->new_values.map, values, a->whole, room, stream);
    if (a->blocks != NULL && error == cudaSuccess)
        error = spmmi_dense_split_cuda(a->nnz, a->new_values.map, values, a->blocks, room, (uint32_t)a->lda,
                                       a->has_special, stream);
    return error;
}

/* If the variant of another part asks for f32 and only blocks exist, all blocks are
 * used: 3xtf32 is as accurate. */
int spmmi_dense_blocks_of(const struct spmmi_dense_a *a, const struct spmmi_product *product)
{
    if (!a->has_blocks || (a->has_whole && !spmmi_is_tf32(product->compute)))
        return 0;
    return product->compute == SPMM_COMPUTE_TF32 ? 1 : (int)SPMMI_DENSE_BLOCKS;
}

static int is_padded(const struct spmmi_dense_a *a)
{
    return spmmi_dense_pads(a->rows, a->cols, spmm_dtype_size(a->dtype));
}

static int has_form(const struct spmmi_dense_a *a, const struct spmmi_product *product)
{
    return spmmi_dense_blocks_of(a, product) > 0 || is_padded(a);
}

struct spmmi_dense_operand spmmi_dense_a_operand(const struct spmmi_dense_a *a,
                                                 const struct spmmi_product *product)
{
    const int blocks = spmmi_dense_blocks_of(a, product);
    const int64_t lda = (int64_t)a->lda, pitch = SPMMI_DENSE_BLOCKS * lda;
    if (blocks == 1) /* the last block alone: it has the high halves */
        return (struct spmmi_dense_operand){a->blocks + (pitch - lda), a->rows, lda, pitch, 1};
    if (blocks > 1)
        return (struct spmmi_dense_operand){a->blocks, a->rows, pitch, pitch, 1};
    return (struct spmmi_dense_operand){a->whole, a->rows, is_padded(a) ? lda : (int64_t)a->cols, lda, 0};
}

/* Describes the lines of B in the form of this product (struct spmmi_dense_lines), without data pointers. */
static struct spmmi_dense_lines lines_of(const struct spmmi_dense_a *a, const struct spmmi_product *product)
{
    const int blocks = spmmi_dense_blocks_of(a, product);
    const int64_t n = product->b.cols, k = (int64_t)a->lda, word = 16 / (int64_t)spmm_dtype_size(a->dtype);
    struct spmmi_dense_lines p = {.blocks = blocks, .ldb = product->b.ld};
    if (product->b.layout == SPMM_ROW_MAJOR) {
        p.lines = k;
        p.lines_of_b = a->cols;
        p.values = p.values_of_b = n;
        p.pitch = (n + word - 1) / word * word;
        p.block_step = k * p.pitch;
    } else {
        p.lines = p.lines_of_b = n;
        p.values = k;
        p.values_of_b = a->cols;
        p.pitch = (blocks > 0 ? blocks : 1) * k;
        p.block_step = k;
    }
    return p;
}

uint64_t spmmi_dense_b_bytes(const struct spmmi_dense_a *a, const struct spmmi_product *product)
{
    const int blocks = spmmi_dense_blocks_of(a, product);
    const uint64_t height = (uint64_t)(blocks > 0 ? blocks : 1) * a->lda * spmm_dtype_size(a->dtype);
    uint64_t bytes = 0;
    if (!has_form(a, product))
        return 0;
    if (__builtin_mul_overflow(height, ((uint64_t)product->b.cols + 7) / 8 * 8, &bytes) ||
        bytes > UINT64_MAX - SPMMI_DEVICE_ALIGN)
        return UINT64_MAX;
    return (bytes + SPMMI_DEVICE_ALIGN - 1) / SPMMI_DEVICE_ALIGN * SPMMI_DEVICE_ALIGN;
}

int spmmi_dense_b_form(const struct spmmi_dense_a *a, const struct spmmi_product *product, void *scratch,
                       spmm_dense_t *b, void *stream)
{
    struct spmmi_dense_lines lines = lines_of(a, product);
    if (!has_form(a, product))
        return cudaSuccess;
    lines.b = product->b.data;
    lines.scratch = scratch;
    lines.cuda_stream = stream;
    b->data = scratch;
    b->rows = (lines.blocks > 0 ? lines.blocks : 1) * (int64_t)a->lda;
    b->ld = lines.pitch;
    return spmmi_dense_lines_cuda(&lines);
}
