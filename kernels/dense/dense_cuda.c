/* SPDX-License-Identifier: Apache-2.0 */
/* The dense family on a GPU: op(A) with its zeros, its pattern, and the library that multiplies them. Decision 0045. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "executor/backend.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "format/family.h"
#include "kernels/shared/convert.h"
#include "dense_blas_cuda.h"
#include "dense_kernel.h"
#include "dense_shape.h"

/* Most that an algorithm of the library may take of the workspace: what its makers advise for sm_90. */
#define BLAS_WORKSPACE (UINT64_C(32) << 20)

struct state {
    const struct spmmi_device *device;
    spmm_dtype_t dtype;
    uint32_t rows, cols, nnz;
    uint64_t lda;
    void *a;                           /* op(A) by rows */
    const uint32_t *row_ptr, *columns; /* of op(A) */
    const uint32_t *map;               /* position in a of each value of A, in the order of A */
    struct spmmi_dense_blas *blas;
    struct spmmi_device_block memory;
};

static spmm_status_t supports(const struct spmmi_part_source *source, spmm_diag_t *diag)
{
    (void)source;
    return spmmi_dense_blas_check(diag);
}

static void cut(struct spmmi_arena *arena, struct state *s)
{
    s->a = spmmi_arena_cut(arena, s->rows * s->lda, spmm_dtype_size(s->dtype));
    s->row_ptr = spmmi_arena_cut(arena, (uint64_t)s->rows + 1, sizeof *s->row_ptr);
    s->columns = spmmi_arena_cut(arena, s->nnz, sizeof *s->columns);
    s->map = spmmi_arena_cut(arena, s->nnz, sizeof *s->map);
}

/* Row pointers, and positions of values in op(A) by rows. */
static void pack(const struct spmmi_op_pattern *a, uint64_t lda, uint32_t *row_ptr, uint32_t *map)
{
    for (int64_t i = 0; i <= a->rows; i++)
        row_ptr[i] = (uint32_t)a->row_ptr[i];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++)
            map[a->map != NULL ? a->map[q] : q] = (uint32_t)((uint64_t)i * lda + (uint64_t)a->col_ind[q]);
}

static spmm_status_t upload(const struct spmmi_op_pattern *a, const struct state *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *map = NULL, *row_ptr = spmmi_alloc((uint64_t)s->rows + 1, sizeof *row_ptr);
    SPMM_TRY_ALLOC(row_ptr, diag);
    SPMM_TRY_ALLOC(map = spmmi_alloc(s->nnz, sizeof *map), diag);
    pack(a, s->lda, row_ptr, map);
    SPMM_TRY(spmmi_cuda_copy_up(s->row_ptr, row_ptr, (uint64_t)s->rows + 1, sizeof *s->row_ptr, diag));
    SPMM_TRY(spmmi_cuda_copy_up(s->columns, a->col_ind, s->nnz, sizeof *s->columns, diag));
    SPMM_TRY(spmmi_cuda_copy_up(s->map, map, s->nnz, sizeof *s->map, diag));
cleanup:
    spmmi_free(map);
    spmmi_free(row_ptr);
    return status;
}

/* arena has counted. */
static spmm_status_t make(const struct spmmi_part_source *source, struct state *s, struct spmmi_arena *arena,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_arena_take(arena, &source->device->memory, &s->memory, diag));
    cut(arena, s);
    const struct spmmi_dense_operand operand = {s->a, s->rows, s->cols, (int64_t)s->lda};
    SPMM_TRY(spmmi_dense_blas_open(&operand, &s->blas, diag));
    SPMM_TRY(upload(&a, s, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = source->plan;
    const int is_turned = source->part->op == SPMM_OP_T;
    struct spmmi_arena arena = {NULL, 0};
    struct state *kept = NULL;
    struct state made = {.device = source->device,
                         .dtype = plan->dtype,
                         .rows = (uint32_t)(is_turned ? plan->cols : plan->rows),
                         .cols = (uint32_t)(is_turned ? plan->rows : plan->cols),
                         .nnz = (uint32_t)plan->nnz,
                         .lda = spmmi_dense_lda(is_turned ? plan->rows : plan->cols, plan->dtype)};
    SPMM_REQUIRE(
        made.lda == 0 || made.rows <= SPMMI_DENSE_ENTRIES_MAX / made.lda, SPMM_ERR_TOO_LARGE, diag,
        "A with its zeros has %u rows of %llu entries, expected at most %llu in all: take another kernel",
        made.rows, (unsigned long long)made.lda, (unsigned long long)SPMMI_DENSE_ENTRIES_MAX);
    cut(&arena, &made);
    *bytes += arena.bytes;
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(plan, source->part->op) +
                                 ((uint64_t)made.rows + 1 + made.nnz) * sizeof(uint32_t));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(*state = kept = spmmi_alloc(1, sizeof *kept), diag);
    *kept = made;
    SPMM_TRY(make(source, kept, &arena, diag));
cleanup:
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    spmmi_dense_blas_close(s->blas);
    spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    const struct state *s = state;
    return spmmi_cuda_status(spmmi_scatter_cuda((int)s->dtype, s->nnz, s->map, values, s->a,
                                                (uint32_t)(s->rows * s->lda), stream));
}

/* C before the product, without gaps: it comes first in the workspace. */
static spmm_dense_t old_of(const spmm_dense_t *c, void *workspace)
{
    spmm_dense_t old = *c;
    old.data = workspace;
    old.ld = c->layout == SPMM_ROW_MAJOR ? c->cols : c->rows;
    return old;
}

/* UINT64_MAX where they overflow. */
static uint64_t old_bytes(const spmm_dense_t *c)
{
    uint64_t bytes = 0;
    if (__builtin_mul_overflow((uint64_t)c->rows * spmm_dtype_size(c->type), (uint64_t)c->cols, &bytes) ||
        bytes > UINT64_MAX - BLAS_WORKSPACE - SPMMI_DEVICE_ALIGN)
        return UINT64_MAX;
    return (bytes + SPMMI_DEVICE_ALIGN - 1) / SPMMI_DEVICE_ALIGN * SPMMI_DEVICE_ALIGN;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    const uint64_t old = old_bytes(&product->c);
    (void)state;
    return old == UINT64_MAX ? UINT64_MAX : old + BLAS_WORKSPACE;
}

static int keep_old(const spmm_dense_t *c, const spmm_dense_t *old, void *stream)
{
    const size_t size = spmm_dtype_size(c->type);
    const int by_rows = c->layout == SPMM_ROW_MAJOR;
    return (int)cudaMemcpy2DAsync(old->data, (size_t)old->ld * size, c->data, (size_t)c->ld * size,
                                  (size_t)old->ld * size, (size_t)(by_rows ? c->rows : c->cols),
                                  cudaMemcpyDeviceToDevice, stream);
}

/* is_whole: no product was made before. */
static int run_exact(const struct state *s, const struct spmmi_product *p, const spmm_dense_t *old,
                     int is_whole, void *stream)
{
    const struct spmmi_dense_exact args = {
        .dtype = (int)s->dtype,
        .rows = s->rows,
        .cols = s->cols,
        .nnz = s->nnz,
        .row_ptr = s->row_ptr,
        .columns = s->columns,
        .a = s->a,
        .lda = s->lda,
        .n = p->b.cols,
        .b = p->b.data,
        .old = old->data,
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
    return spmmi_dense_exact_cuda(&args);
}

static spmm_status_t run(const void *state, const struct spmmi_product *p, void *workspace_, void *stream)
{
    const struct state *s = state;
    const spmm_dense_t old = old_of(&p->c, workspace_);
    char *const room = (char *)workspace_ + old_bytes(&p->c);
    int is_done = 0, error = cudaSuccess;
    if (p->alpha == 0 || s->nnz == 0)
        return spmmi_cuda_status(run_exact(s, p, &p->c, 1, stream));
    if (p->beta != 0)
        error = keep_old(&p->c, &old, stream);
    if (error != cudaSuccess)
        return SPMM_ERR_DEVICE;
    const spmm_status_t status =
        spmmi_dense_blas_multiply(s->blas, p, room, BLAS_WORKSPACE, stream, &is_done);
    return status != SPMM_OK ? status
                             : spmmi_cuda_status(run_exact(s, p, is_done ? &old : &p->c, !is_done, stream));
}

/* Types of 16 bits are multiplied on tensor cores, which add otherwise: docs/accuracy.md. */
#define SUFFIX "tensor"

static int has_suffix(const char *suffix)
{
    return strcmp(suffix, SUFFIX) == 0;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct state *s = state;
    (void)product;
    (void)snprintf(text, size, "cuda/dense/gemm%s",
                   spmmi_is_on_tensor_cores(SPMMI_DENSE, s->dtype) ? "/" SUFFIX : "");
}

const struct spmmi_backend spmmi_dense_cuda = {.supports = supports,
                                               .create = create,
                                               .destroy = destroy,
                                               .set_values = set_values,
                                               .workspace = workspace,
                                               .run = run,
                                               .describe = describe,
                                               .has_suffix = has_suffix};
