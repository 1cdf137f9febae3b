/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate on a GPU: its memory and launches. */
#include <cuda_runtime_api.h>

#include "certify_launch.h"
#include "certify_table.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/alloc.h"

static void csr_cut(struct spmmi_arena *arena, const struct spmmi_certify_csr *a, size_t value_bytes,
                    struct spmmi_certify_csr *at)
{
    *at = *a;
    at->row_ptr = spmmi_arena_cut(arena, (uint64_t)a->rows + 1, sizeof *a->row_ptr);
    at->col_ind = spmmi_arena_cut(arena, (uint64_t)a->nnz, sizeof *a->col_ind);
    at->values = spmmi_arena_cut(arena, (uint64_t)a->nnz, value_bytes);
}

static spmm_status_t csr_fill(const struct spmmi_certify_csr *to, const struct spmmi_certify_csr *from,
                              size_t value_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(
        spmmi_cuda_copy_up(to->row_ptr, from->row_ptr, (uint64_t)from->rows + 1, sizeof *to->row_ptr, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->col_ind, from->col_ind, (uint64_t)from->nnz, sizeof *to->col_ind, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->values, from->values, (uint64_t)from->nnz, value_bytes, diag));
cleanup:
    return status;
}

uint64_t spmmi_certify_cuda_upload_bytes(const struct spmmi_certify_csr *a, spmm_dtype_t dtype)
{
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_certify_csr at;
    csr_cut(&arena, a, spmm_dtype_size(dtype), &at);
    return arena.bytes;
}

spmm_status_t spmmi_certify_cuda_upload(const struct spmmi_device_memory *from,
                                        const struct spmmi_certify_csr *a, spmm_dtype_t dtype,
                                        struct spmmi_certify_device **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_certify_device *made = spmmi_alloc_zero(1, sizeof *made);
    *out = NULL;
    SPMM_TRY_ALLOC(made, diag);
    made->from = from;
    SPMM_TRY_CUDA(spmmi_cuda_enter(from->device, &scope), diag);
    SPMM_TRY(spmmi_device_take(from, spmmi_certify_cuda_upload_bytes(a, dtype), NULL, &made->memory, diag));
    arena.base = made->memory.memory;
    csr_cut(&arena, a, spmm_dtype_size(dtype), &made->a);
    SPMM_TRY(csr_fill(&made->a, a, spmm_dtype_size(dtype), diag));
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag); /* so that streams need not wait for the copies */
    *out = made;
    made = NULL;
cleanup:
    spmmi_certify_cuda_free(made);
    spmmi_cuda_leave(scope);
    return status;
}

void spmmi_certify_cuda_free(struct spmmi_certify_device *a)
{
    if (a == NULL)
        return;
    spmmi_device_release(&a->memory);
    spmmi_free(a);
}

static void projection_cut(struct spmmi_arena *arena, int64_t rows, const struct spmmi_certify_rows *of,
                           struct spmmi_certify_projection *p)
{
    *p = (struct spmmi_certify_projection){NULL, of->lanes, of->rule.is_compensated};
    p->records = spmmi_arena_cut(arena, (uint64_t)rows, (size_t)spmmi_certify_stride(p) * sizeof *p->records);
}

static struct spmmi_certify_rows rows_of(const struct spmmi_certify_csr *a,
                                         const struct spmmi_certify_job *job)
{
    return (struct spmmi_certify_rows){.rule = spmmi_certify_rule_of(job),
                                       .rows = job->product.c.rows,
                                       .row_ptr = a->row_ptr,
                                       .col_ind = a->col_ind,
                                       .values = a->values,
                                       .vectors = job->vectors,
                                       .lanes = spmmi_certify_lanes(job)};
}

/* Cuts all memory of a check from the arena. */
static void rows_cut(struct spmmi_arena *arena, const struct spmmi_certify_job *job,
                     struct spmmi_certify_rows *rows)
{
    if (rows->rule.alpha != 0)
        projection_cut(arena, job->product.b.rows, rows, &rows->b);
    projection_cut(arena, rows->rows, rows, &rows->c);
    if (rows->rule.beta != 0)
        projection_cut(arena, rows->rows, rows, &rows->before);
    if (job->permutation != NULL)
        rows->permutation = spmmi_arena_cut(arena, (uint64_t)rows->rows, sizeof *rows->permutation);
    rows->counts = spmmi_arena_cut(arena, 1, sizeof *rows->counts);
}

uint64_t spmmi_certify_cuda_bytes(const struct spmmi_certify_job *job)
{
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_certify_rows rows = rows_of(job->a, job);
    rows_cut(&arena, job, &rows);
    return arena.bytes;
}

static struct spmmi_certify_dense dense_of(const spmm_dense_t *d)
{
    return (struct spmmi_certify_dense){d->data, d->rows, d->cols, spmmi_row_step(d), spmmi_column_step(d)};
}

static int project(const struct spmmi_certify_job *job, const spmm_dense_t *d,
                   const struct spmmi_certify_projection *to, void *stream)
{
    const struct spmmi_certify_dense dense = dense_of(d);
    return spmmi_certify_project_cuda((int)d->type, &dense, job->seed, to, stream);
}

/* Enqueues the projections and the judgement. */
static spmm_status_t launch(const struct spmmi_certify_job *job, const struct spmmi_certify_rows *rows,
                            void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_product *p = &job->product;
    if (p->alpha != 0)
        SPMM_TRY_CUDA((cudaError_t)project(job, &p->b, &rows->b, stream), diag);
    SPMM_TRY_CUDA((cudaError_t)project(job, &p->c, &rows->c, stream), diag);
    if (p->beta != 0)
        SPMM_TRY_CUDA((cudaError_t)project(job, &job->before, &rows->before, stream), diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_certify_judge_cuda((int)p->a_type, rows, stream), diag);
cleanup:
    return status;
}

static struct spmmi_certify_findings findings_of(const struct spmmi_certify_counts *counts, int64_t rows)
{
    union {
        unsigned long long bits;
        double value;
    } ratio = {.bits = counts->ratio};
    return (struct spmmi_certify_findings){.failed = (int64_t)counts->failed,
                                           .first =
                                               counts->failed == 0 ? -1 : rows - 1 - (int64_t)counts->last,
                                           .by_class = (int64_t)counts->by_class,
                                           .ratio = ratio.value};
}

spmm_status_t spmmi_certify_cuda(const struct spmmi_certify_device *a, const struct spmmi_certify_job *job,
                                 void *stream, struct spmmi_certify_findings *findings, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_certify_counts counts = {0};
    struct spmmi_device_block block = {.memory = NULL};
    struct spmmi_certify_rows rows = rows_of(&a->a, job);
    SPMM_TRY_CUDA(spmmi_cuda_enter(a->from->device, &scope), diag);
    SPMM_TRY(spmmi_device_take(a->from, spmmi_certify_cuda_bytes(job), stream, &block, diag));
    arena.base = block.memory;
    rows_cut(&arena, job, &rows);
    if (rows.permutation != NULL)
        SPMM_TRY_CUDA(cudaMemcpyAsync((void *)(uintptr_t)rows.permutation, job->permutation,
                                      (size_t)rows.rows * sizeof *rows.permutation, cudaMemcpyHostToDevice,
                                      stream),
                      diag);
    SPMM_TRY_CUDA(cudaMemsetAsync(rows.counts, 0, sizeof counts, stream), diag);
    SPMM_TRY(launch(job, &rows, stream, diag));
    SPMM_TRY_CUDA(cudaMemcpyAsync(&counts, rows.counts, sizeof counts, cudaMemcpyDeviceToHost, stream), diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(stream), diag);
    *findings = findings_of(&counts, rows.rows);
cleanup:
    spmmi_device_release(&block);
    spmmi_cuda_leave(scope);
    return status;
}
