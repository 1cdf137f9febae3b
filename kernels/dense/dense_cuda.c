/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU backend of the dense family: op(A) with its zeros, its pattern, and the library that
 * multiplies them (decision 0045). */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "executor/backend.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "dense_blas_cuda.h"
#include "dense_kernel.h"
#include "dense_operands_cuda.h"
#include "dense_own_cuda.h"
#include "dense_shape.h"

/* Maximum workspace of an algorithm of the library: what NVIDIA recommends for sm_90. */
#define BLAS_WORKSPACE (UINT64_C(32) << 20)

#define COLUMNS_16_MAX 65536u /* maximum number of columns whose indices fit 16 bits */

struct state {
    const struct spmmi_device *device;
    struct spmmi_dense_a a;
    const uint32_t *row_ptr, *columns; /* pattern of op(A) */
    const uint16_t *columns_16;        /* column indices if they fit 16 bits; columns is then NULL */
    struct spmmi_dense_blas *blas;
    struct spmmi_allowed allowed;
    struct spmmi_device_block memory;
};

static spmm_status_t supports(const struct spmmi_part_source *source, spmm_diag_t *diag)
{
    (void)source;
    return spmmi_dense_blas_check(diag);
}

static void cut(struct spmmi_arena *arena, struct state *s)
{
    spmmi_dense_a_cut(arena, &s->a);
    s->row_ptr = spmmi_arena_cut(arena, (uint64_t)s->a.rows + 1, sizeof *s->row_ptr);
    if (s->a.cols > COLUMNS_16_MAX)
        s->columns = spmmi_arena_cut(arena, s->a.nnz, sizeof *s->columns);
    else
        s->columns_16 = spmmi_arena_cut(arena, s->a.nnz, sizeof *s->columns_16);
}

/* Converts column indices to 16 bits: a spmmi_upload_fill. */
static void columns_16_fill(const void *columns, uint64_t first, uint64_t count, void *to)
{
    for (uint64_t q = 0; q < count; q++)
        ((uint16_t *)to)[q] = (uint16_t)((const int32_t *)columns)[first + q];
}

/* Writes the row pointers, and the position of each value in op(A) by rows. */
static void pack(const struct spmmi_op_pattern *a, uint64_t lda, uint32_t *row_ptr, uint32_t *map)
{
    for (int64_t i = 0; i <= a->rows; i++)
        row_ptr[i] = (uint32_t)a->row_ptr[i];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++)
            map[a->map != NULL ? a->map[q] : q] = (uint32_t)((uint64_t)i * lda + (uint64_t)a->col_ind[q]);
}

static spmm_status_t upload(const struct spmmi_op_pattern *a, struct state *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t nnz = s->a.nnz;
    const uint64_t rows = (uint64_t)s->a.rows + 1;
    struct spmmi_value_memory *const new_values = &s->a.new_values;
    struct spmmi_uploads all = {.count = 0};
    uint32_t *map = NULL, *row_ptr = spmmi_alloc(rows, sizeof *row_ptr);
    SPMM_TRY_ALLOC(row_ptr, diag);
    SPMM_TRY_ALLOC(map = spmmi_alloc(nnz, sizeof *map), diag);
    pack(a, s->a.lda, row_ptr, map);
    SPMM_TRY(spmmi_value_map_take(new_values, spmmi_array_move(&map), nnz, diag));
    spmmi_cuda_table_add(&all, s->row_ptr, rows, NULL, row_ptr);
    if (s->columns != NULL)
        spmmi_cuda_table_add(&all, s->columns, nnz, NULL, a->col_ind);
    else
        spmmi_cuda_table_add(&all, s->columns_16, nnz, columns_16_fill, a->col_ind);
    spmmi_cuda_table_add(&all, new_values->map, nnz, NULL, new_values->host_map);
    SPMM_TRY(spmmi_cuda_upload_all(&all, diag));
cleanup:
    spmmi_free(map);
    spmmi_free(row_ptr);
    return status;
}

/* Allocates and uploads everything. The arena has counted the bytes. */
static spmm_status_t make(const struct spmmi_part_source *source, struct state *s, struct spmmi_arena *arena,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_arena_take(arena, &source->device->memory, &s->memory, diag));
    cut(arena, s);
    SPMM_TRY(spmmi_dense_blas_open(&s->blas, diag));
    SPMM_TRY(upload(&a, s, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    struct state *kept = NULL;
    struct state made = {
        .device = source->device,
        .a = spmmi_dense_a_of(source->plan, source->part->op, source->device->target),
    };
    const struct spmmi_dense_a *const a = &made.a;
    SPMM_REQUIRE(
        a->lda == 0 || a->rows <= SPMMI_DENSE_ENTRIES_MAX / a->lda, SPMM_ERR_TOO_LARGE, diag,
        "A with its zeros has %u rows of %llu entries, expected at most %llu in all: take another kernel",
        a->rows, (unsigned long long)a->lda, (unsigned long long)SPMMI_DENSE_ENTRIES_MAX);
    cut(&arena, &made);
    *bytes += arena.bytes;
    spmmi_value_map_count(source, a->nnz, 0);
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 ((uint64_t)a->rows + 1 + a->nnz) * sizeof(uint32_t));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(*state = kept = spmmi_alloc(1, sizeof *kept), diag);
    *kept = made;
    kept->a.new_values.from = &source->device->memory;
    SPMM_TRY(make(source, kept, &arena, diag));
cleanup:
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    spmmi_dense_blas_close(s->blas);
    spmmi_value_memory_free(&s->a.new_values);
    spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static struct spmmi_value_memory *value_memory(void *state, int index)
{
    return index == 0 ? &((struct state *)state)->a.new_values : NULL;
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    const struct state *s = state;
    return spmmi_cuda_status(spmmi_dense_a_set(&s->a, values, stream));
}

/* Returns true if the library writes f32 sums, to which C is added later: for 16-bit C and beta != 0 the
 * library may round the product before it adds C. */
static int has_sums(const struct spmmi_product *p)
{
    return p->beta != 0 && spmm_dtype_size(p->c.type) == 2;
}

#define SUMS_PITCH 4u /* lines of sums begin at words of 16 bytes, which the library's fast kernels need */

/* Returns a copy of column-major 16-bit C whose columns begin at whole words. Its height is a multiple of 8
 * too, for which op(A) has rows of zeros at its end: with another height the library is just as slow. The
 * copy takes no more space than the sums. */
static spmm_dense_t copy_of(const spmm_dense_t *c, void *workspace)
{
    const int64_t word = SPMMI_DENSE_ROW_BYTES / (int64_t)spmm_dtype_size(c->type);
    const int64_t rows = (c->rows + word - 1) / word * word;
    return (spmm_dense_t){workspace, rows, c->cols, rows, c->layout, c->type};
}

/* Returns the matrix at the beginning of the workspace: C before the product, without gaps, or the sums,
 * with lines of whole words. */
static spmm_dense_t kept_of(const spmm_dense_t *c, void *workspace)
{
    spmm_dense_t kept = *c;
    kept.data = workspace;
    kept.ld = c->layout == SPMM_ROW_MAJOR ? c->cols : c->rows;
    if (spmm_dtype_size(c->type) == 2) {
        kept.type = SPMM_F32;
        kept.ld = (int64_t)(((uint64_t)kept.ld + SUMS_PITCH - 1) / SUMS_PITCH * SUMS_PITCH);
    }
    return kept;
}

/* Returns the bytes of that matrix, enough for any beta; UINT64_MAX: overflow. */
static uint64_t kept_bytes(const spmm_dense_t *c)
{
    const spmm_dense_t kept = kept_of(c, NULL);
    const uint64_t lines = (uint64_t)(c->layout == SPMM_ROW_MAJOR ? c->rows : c->cols);
    uint64_t bytes = 0;
    if (__builtin_mul_overflow((uint64_t)kept.ld * spmm_dtype_size(kept.type), lines, &bytes) ||
        bytes > UINT64_MAX - SPMMI_DEVICE_ALIGN)
        return UINT64_MAX;
    return (bytes + SPMMI_DEVICE_ALIGN - 1) / SPMMI_DEVICE_ALIGN * SPMMI_DEVICE_ALIGN;
}

/* Returns the bytes of the old C or the sums, B in another form, and the library's workspace. */
static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    const struct state *s = state;
    const uint64_t kept = kept_bytes(&product->c), form = spmmi_dense_b_bytes(&s->a, product);
    uint64_t bytes = BLAS_WORKSPACE;
    return __builtin_add_overflow(bytes, kept, &bytes) || __builtin_add_overflow(bytes, form, &bytes)
               ? UINT64_MAX
               : bytes;
}

static int keep_old(const spmm_dense_t *c, const spmm_dense_t *old, void *stream)
{
    const size_t size = spmm_dtype_size(c->type);
    const int by_rows = c->layout == SPMM_ROW_MAJOR;
    return (int)cudaMemcpy2DAsync(old->data, (size_t)old->ld * size, c->data, (size_t)c->ld * size,
                                  (size_t)old->ld * size, (size_t)(by_rows ? c->rows : c->cols),
                                  cudaMemcpyDeviceToDevice, stream);
}

/* Returns the arguments of the kernel that follows. old: C before the product; sums: f32 without C, or NULL;
 * is_whole: no product was computed before. */
static struct spmmi_dense_exact exact_of(const struct state *s, const struct spmmi_product *p,
                                         const spmm_dense_t *old, const spmm_dense_t *sums, int is_whole,
                                         void *stream)
{
    const int is_split = s->a.whole == NULL;
    return (struct spmmi_dense_exact){
        .dtype = (int)s->a.dtype,
        .rows = s->a.rows,
        .cols = s->a.cols,
        .nnz = s->a.nnz,
        .row_ptr = s->row_ptr,
        .columns = s->columns,
        .columns_16 = s->columns_16,
        .a = is_split ? s->a.blocks : s->a.whole,
        .lda = is_split ? SPMMI_DENSE_BLOCKS * s->a.lda : s->a.lda,
        .high = is_split ? s->a.lda : 0,
        .has_special = spmmi_dense_blocks_of(&s->a, p) > 0 ? s->a.has_special : NULL,
        .n = p->b.cols,
        .b = p->b.data,
        .old = old->data,
        .sums = sums != NULL ? sums->data : NULL,
        .sums_row_step = sums != NULL ? spmmi_row_step(sums) : 0,
        .sums_column_step = sums != NULL ? spmmi_column_step(sums) : 0,
        .c = p->c.data,
        .b_row_step = spmmi_row_step(&p->b),
        .b_column_step = spmmi_column_step(&p->b),
        .c_row_step = spmmi_row_step(&p->c),
        .c_column_step = spmmi_column_step(&p->c),
        .old_row_step = spmmi_row_step(old),
        .old_column_step = spmmi_column_step(old),
        .alpha = p->alpha,
        .beta = p->beta,
        .is_whole = is_whole,
        .is_dependent = !is_whole && s->device->can_overlap,
        .cuda_stream = stream,
    };
}

/* Computes the product by the library, into C after keeping its old values, or into the sums. */
static spmm_status_t run_library(const struct state *s, const struct spmmi_product *p,
                                 const spmm_dense_t *kept, char *workspace, void *stream, int *is_done)
{
    struct spmmi_dense_operand a = spmmi_dense_a_operand(&s->a, p);
    struct spmmi_product turn = *p;
    spmm_status_t status = SPMM_OK;
    int error = cudaSuccess;
    if (has_sums(p)) {
        turn.c = *kept;
        turn.beta = 0;
    } else if (p->beta != 0) {
        error = keep_old(&p->c, kept, stream);
    } else if (spmmi_dense_library_copies_c(p)) {
        turn.c = copy_of(&p->c, kept->data);
        a.rows = turn.c.rows;
    }
    if (error == cudaSuccess)
        error = spmmi_dense_b_form(&s->a, p, workspace, &turn.b, stream);
    if (error != cudaSuccess)
        return spmmi_cuda_status(error);
    status = spmmi_dense_blas_multiply(s->blas, &a, &turn, workspace + spmmi_dense_b_bytes(&s->a, p),
                                       BLAS_WORKSPACE, stream, is_done);
    if (status == SPMM_OK && *is_done && spmmi_dense_library_copies_c(p))
        error = spmmi_columns_copy_cuda((int)p->c.type, p->c.rows, p->c.cols, turn.c.data, turn.c.ld,
                                        p->c.data, p->c.ld, stream, s->device->can_overlap);
    return error != cudaSuccess ? spmmi_cuda_status(error) : status;
}

#ifdef SPMMI_HAVE_WGMMA
/* Computes the product by warpgroups. If the lines of B are not aligned, its other form is multiplied. */
static int run_tiles(const struct state *s, const struct spmmi_product *p,
                     const struct spmmi_dense_exact *exact, void *form)
{
    const struct spmmi_dense_tile_shape tile = spmmi_dense_tile_of(s->device, &s->a, p);
    const struct spmmi_dense_tile_launch launch = {
        &tile, p->b.layout != SPMM_ROW_MAJOR, p->c.layout != SPMM_ROW_MAJOR, spmmi_allowed_of(&s->allowed)};
    struct spmmi_dense_exact args = *exact;
    spmm_dense_t b = p->b;
    int error = tile.columns > 0 ? cudaSuccess : cudaErrorNotSupported;
    if (error == cudaSuccess && !spmmi_dense_tile_reads(&s->a, &p->b))
        error = spmmi_dense_b_form(&s->a, p, form, &b, exact->cuda_stream);
    args.is_dependent = b.data != p->b.data && s->device->can_overlap;
    args.b = b.data;
    args.b_row_step = spmmi_row_step(&b);
    args.b_column_step = spmmi_column_step(&b);
    return error == cudaSuccess ? spmmi_dense_tile_cuda(&args, &launch) : error;
}
#endif

/* Computes the product by a kernel of the family; *is_done is 0 if there is none for it. form: space
 * for B in its other form. */
static int run_own(const struct state *s, const struct spmmi_product *p, const struct spmmi_dense_exact *args,
                   void *form, int *is_done)
{
    const struct spmmi_dense_narrow_shape narrow = spmmi_dense_narrow_of(s->device, &s->a, p);
    *is_done = 1;
    if (p->alpha == 0 || s->a.nnz == 0)
        return spmmi_dense_exact_cuda(args);
    if (narrow.columns > 0)
        return spmmi_dense_narrow_cuda(args, &narrow);
#ifdef SPMMI_HAVE_WGMMA
    const int error = run_tiles(s, p, args, form);
    if (error != cudaErrorNotSupported)
        return error;
#endif
    *is_done = 0;
    return cudaSuccess;
}

static spmm_status_t run(const void *state, const struct spmmi_product *p, void *workspace_, void *stream)
{
    const struct state *s = state;
    const spmm_dense_t kept = kept_of(&p->c, workspace_);
    struct spmmi_dense_exact args = exact_of(s, p, &p->c, NULL, 1, stream);
    int is_done = 0;
    void *const form = (char *)workspace_ + kept_bytes(&p->c);
    const int error = run_own(s, p, &args, form, &is_done);
    if (is_done)
        return spmmi_cuda_status(error);
    const spmm_status_t status = run_library(s, p, &kept, form, stream, &is_done);
    if (status != SPMM_OK)
        return status;
    const int is_summed = is_done && has_sums(p);
    args = exact_of(s, p, is_done && !is_summed ? &kept : &p->c, is_summed ? &kept : NULL, !is_done, stream);
    return spmmi_cuda_status(spmmi_dense_exact_cuda(&args));
}

/* Words for products on tensor cores, whose sums have other bounds (docs/accuracy.md).
 * "tensor": 16-bit types. */
static const char *const suffixes[] = {"tensor", "tf32", "3xtf32"};

static int has_suffix(const char *suffix)
{
    int is_found = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        is_found |= strcmp(suffix, suffixes[i]) == 0;
    return is_found;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct state *s = state;
    const int is_split =
        s->a.dtype == SPMM_F32 && spmmi_dense_narrow_of(s->device, &s->a, product).columns > 0;
    const int blocks = is_split ? (int)SPMMI_DENSE_BLOCKS : spmmi_dense_blocks_of(&s->a, product);
    const char *const suffix = blocks > 1                         ? suffixes[2]
                               : blocks == 1                      ? suffixes[1]
                               : spmm_dtype_size(s->a.dtype) == 2 ? suffixes[0]
                                                                  : "";
    (void)snprintf(text, size, "cuda/dense/gemm%s%s", *suffix != '\0' ? "/" : "", suffix);
}

const struct spmmi_backend spmmi_dense_cuda = {.supports = supports,
                                               .create = create,
                                               .destroy = destroy,
                                               .set_values = set_values,
                                               .value_memory = value_memory,
                                               .workspace = workspace,
                                               .run = run,
                                               .describe = describe,
                                               .has_suffix = has_suffix};
