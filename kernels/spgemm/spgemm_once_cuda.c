/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a product without a plan on a GPU, in two phases: the entries of C are counted and exactly as much
 * memory is allocated; then columns and values are computed. The host reads counts before each phase. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_backend.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_memory.h"
#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_once_cuda.h"
#include "spgemm_once_result.h"
#include "spgemm_stage_cuda.h"

/* For all bitmaps together, unless a single one needs more. */
#define BITMAP_BYTES_MAX (UINT64_C(1) << 30)

/* Opens A (index 0) or B (index 1), with memory for a copy of columns of 64 bits. */
static spmm_status_t open_matrix(struct spmmi_once *o, const spmm_csr_t *from, int index,
                                 struct spmmi_once_matrix *to)
{
    spmm_status_t status = SPMM_OK;
    void *narrow = NULL;
    SPMM_REQUIRE(from->rows > 0 || from->nnz == 0, SPMM_ERR_CSR, o->diag, "%c has %lld entries and no rows",
                 index == 0 ? 'A' : 'B', (long long)from->nnz);
    *to = (struct spmmi_once_matrix){.rows = from->rows,
                                     .cols = from->cols,
                                     .nnz = from->nnz,
                                     .row_ptr = from->row_ptr,
                                     .given = from->col_ind,
                                     .has_wide_rows = from->row_ptr_type == SPMM_I64,
                                     .has_wide_columns = from->col_ind_type == SPMM_I64,
                                     .columns = from->col_ind,
                                     .values = from->values};
    if (to->has_wide_columns) {
        SPMM_TRY(spmmi_once_take_scratch(o, (uint64_t)from->nnz * sizeof *to->columns, &narrow));
        to->columns = to->narrow = narrow;
    }
cleanup:
    return status;
}

/* Allocates the counts, and the arrays with one element per row, 28 bytes per row in all. They are one block,
 * because each allocation takes time. */
static spmm_status_t take_arrays(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const uint64_t rows = (uint64_t)o->in->a->rows, sums = spmmi_once_scan_blocks(o->in->a->rows),
                   scan = spmmi_once_aligned(sizeof *w->counts), products = scan + sums * sizeof *w->sums,
                   entries = products + rows * sizeof *w->products,
                   lists = entries + rows * sizeof *w->entries;
    void *block = NULL;
    SPMM_TRY(spmmi_once_take_scratch(o, lists + SPMMI_ONCE_LISTS * rows * sizeof *w->lists, &block));
    char *const base = block;
    w->counts = block;
    w->sums = (int64_t *)(void *)(base + scan);
    w->products = (uint32_t *)(void *)(base + products);
    w->entries = (uint32_t *)(void *)(base + entries);
    w->lists = (uint32_t *)(void *)(base + lists);
    SPMM_TRY_CUDA(cudaMemsetAsync(block, 0, (size_t)entries, o->in->stream), o->diag);
cleanup:
    return status;
}

/* Allocates bitmaps in global memory if one does not fit in shared memory. */
static spmm_status_t take_bitmaps(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const uint64_t bytes = 2 * (uint64_t)w->bitmap_words * sizeof *w->bitmaps,
                   most = BITMAP_BYTES_MAX / bytes;
    void *block = NULL;
    if (w->bitmaps != NULL || w->bitmap_words <= w->words_max)
        return SPMM_OK;
    w->blocks = most == 0 ? 1 : most < SPMMI_ONCE_BLOCKS_MAX ? (uint32_t)most : SPMMI_ONCE_BLOCKS_MAX;
    SPMM_TRY(spmmi_once_take_scratch(o, w->blocks * bytes, &block));
    w->bitmaps = block;
cleanup:
    return status;
}

static spmm_status_t open_once(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    const spmm_csr_t *a = o->in->a, *b = o->in->b;
    struct spmmi_once_work *w = &o->work;
    int shared = 0;
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, o->in->device),
                  o->diag);
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&w->has_clusters, cudaDevAttrClusterLaunch, o->in->device), o->diag);
    SPMM_TRY(spmmi_spgemm_can_overlap(o->in->device, &w->can_overlap, o->diag));
    w->words_max = spmmi_once_words_max((uint32_t)shared);
    w->bitmap_words = (uint32_t)((uint64_t)b->cols / 32 + 1);
    w->all_wide = o->in->method == SPMMI_ONCE_BITMAP;
    w->has_merges = o->in->method == SPMMI_ONCE_MERGE && b->cols <= SPMMI_ONCE_MERGE_COLUMNS;
    SPMM_TRY(take_arrays(o));
    SPMM_TRY(open_matrix(o, a, 0, &w->a));
    w->b = w->a;
    w->b.values = b->values;
    if (!spmmi_once_is_square(a, b)) {
        SPMM_TRY(open_matrix(o, b, 1, &w->b));
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_check_cuda(&w->b, &w->counts->bad[1], NULL, o->in->stream),
                      o->diag);
    }
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_check_cuda(&w->a, &w->counts->bad[0], w, o->in->stream), o->diag);
cleanup:
    return status;
}

/* Reads what the checks of both matrices found. Errors: CSR. */
static spmm_status_t read_checks(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_once_read_counts(o, &o->counts));
    o->work.has_empty_factors =
        o->counts.bad[spmmi_once_is_square(o->in->a, o->in->b) ? 0 : 1].has_empty_rows != 0;
    for (int i = 0; i < 2; i++) {
        const struct spmmi_once_bad *bad = &o->counts.bad[i];
        const unsigned long long found = bad->pointers != 0 ? bad->pointers : bad->columns, row = ~found;
        SPMM_REQUIRE_AT(found == 0, SPMM_ERR_CSR, o->diag, row,
                        "row %llu of %c is not valid CSR: its %s do not ascend or are out of range", row,
                        i == 0 ? 'A' : 'B', bad->pointers != 0 ? "row pointers" : "columns");
    }
cleanup:
    return status;
}

/* Returns true if an entry of C may be long. It has at most one product per entry of A in its piece, and a
 * piece has fewer products than the limit at which it is cut plus a row of B. */
static int may_have_long(const struct spmmi_once *o)
{
    const struct spmmi_once_work *w = &o->work;
    const uint64_t columns = (uint64_t)w->b.cols, own = columns * w->piece_entries,
                   cut = own > w->share ? own : w->share;
    return o->counts.long_rows > 0 && o->counts.products <= SPMMI_SPGEMM_STRETCHED_MAX &&
           cut + columns > w->stretch;
}

/* The symbolic phase: counts the entries of each row of C, and of C. */
static spmm_status_t count_entries(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    const uint32_t *tried = o->counts.tried;
    w->share = spmmi_spgemm_share(o->counts.products, o->counts.heavy_rows);
    if (may_have_long(o))
        SPMM_TRY(spmmi_once_find_hubs(o));
    int is_dependent = 0;
    if (tried[SPMMI_ONCE_GIANT] > 0) {
        SPMM_TRY(take_bitmaps(o));
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_once_columns_cuda(w, SPMMI_ONCE_GIANT, tried[SPMMI_ONCE_GIANT], 0, stream),
            o->diag);
        is_dependent = w->can_overlap;
    }
    for (int c = SPMMI_ONCE_WIDE; c-- > 0;)
        if (tried[c] > 0) {
            int (*const run)(const struct spmmi_once_work *, int, uint32_t, int, void *) =
                c < SPMMI_ONCE_MERGES ? spmmi_once_merge_count_cuda : spmmi_once_count_cuda;
            SPMM_TRY_CUDA((cudaError_t)run(w, c, tried[c], is_dependent, stream), o->diag);
            is_dependent = w->can_overlap;
        }
    const uint32_t most = tried[SPMMI_ONCE_WIDE - 1] + tried[SPMMI_ONCE_WIDE];
    /* These include rows that joined the list, so this launch must wait for the kernels above. */
    if (most > 0) {
        SPMM_TRY(take_bitmaps(o));
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_columns_cuda(w, SPMMI_ONCE_WIDE, most, 0, stream), o->diag);
    }
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_sum_cuda(w, stream), o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_bin_entries_cuda(w, stream), o->diag);
    SPMM_TRY(spmmi_once_read_counts(o, &o->counts));
cleanup:
    return status;
}

/* Allocates C as one block, which belongs to the caller after the product. */
static spmm_status_t take_result(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const spmm_csr_t *a = o->in->a;
    const struct spmmi_once_result at = spmmi_once_result_of(a->rows, o->counts.nnz, a->value_type);
    SPMM_TRY(spmmi_once_require_left(o, at.bytes));
    SPMM_TRY(spmmi_device_take(&o->memory, at.bytes, o->in->stream, &o->c, o->diag));
    char *const base = o->c.memory;
    w->c_row_ptr = o->c.memory;
    w->c_values = base + at.values;
    w->c_columns = (int32_t *)(void *)(base + at.columns);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_row_ptr_cuda(w, o->in->stream), o->diag);
cleanup:
    return status;
}

static int has_wide(const struct spmmi_once *o)
{
    return o->counts.rows[SPMMI_ONCE_WIDE] + o->counts.rows[SPMMI_ONCE_GIANT] > 0;
}

/* Makes the tasks of rows that do not use tables. They need nothing of C, for which the host allocates memory
 * meanwhile: cudaMalloc of 15 MB took 80 us. */
static spmm_status_t make_tasks(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    void *block = NULL;
    const uint32_t *rows = o->counts.rows;
    spmmi_once_limit_long(o);
    const uint64_t tasks = o->counts.tasks + o->long_need.tasks,
                   partials = spmmi_once_aligned(tasks * sizeof *w->tasks),
                   cuts = partials +
                          spmmi_once_aligned(o->counts.partials * spmm_dtype_size(o->in->a->value_type)),
                   pieces = cuts + spmmi_once_aligned(o->counts.cuts * sizeof *w->cuts);
    SPMM_TRY(spmmi_once_take_scratch(o, pieces + o->long_need.pieces * sizeof *w->long_pieces, &block));
    w->tasks = block;
    w->tasks_room = o->counts.tasks;
    w->long_tasks = w->tasks + o->counts.tasks;
    w->partials = (char *)block + partials;
    w->cuts = (struct spmmi_once_cut *)(void *)((char *)block + cuts);
    w->long_pieces = (struct spmmi_once_piece *)(void *)((char *)block + pieces);
    int is_dependent = 0;
    for (int c = SPMMI_ONCE_GIANT; c >= SPMMI_ONCE_WIDE; c--)
        if (rows[c] > 0) {
            SPMM_TRY_CUDA((cudaError_t)spmmi_once_tasks_cuda(w, c, rows[c], o->counts.products, is_dependent,
                                                             o->in->stream),
                          o->diag);
            is_dependent = w->can_overlap;
        }
    SPMM_TRY(spmmi_once_portion_long(o));
cleanup:
    return status;
}

/* Finds the columns of rows that do not use tables, then their values. */
static spmm_status_t compute_wide(struct spmmi_once *o, int is_f64)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    const uint32_t *rows = o->counts.rows;
    SPMM_TRY(take_bitmaps(o));
    int is_dependent = 0;
    for (int c = SPMMI_ONCE_GIANT; c >= SPMMI_ONCE_WIDE; c--)
        if (rows[c] > 0) {
            SPMM_TRY_CUDA((cudaError_t)spmmi_once_columns_cuda(w, c, rows[c], is_dependent, stream), o->diag);
            is_dependent = w->can_overlap;
        }
    SPMM_TRY(spmmi_once_list_long(o));
    SPMM_TRY_CUDA(
        (cudaError_t)spmmi_once_values_cuda(w, o->counts.tasks, o->counts.warp_tasks, is_f64, stream),
        o->diag);
    SPMM_TRY(spmmi_once_compute_long(o, is_f64));
cleanup:
    return status;
}

static spmm_status_t compute(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t *rows = o->counts.rows;
    const int is_f64 = o->in->a->value_type == SPMM_F64;
    void *stream = o->in->stream;
    int is_dependent = has_wide(o) && o->work.can_overlap;
    if (has_wide(o))
        SPMM_TRY(compute_wide(o, is_f64));
    for (int c = SPMMI_ONCE_WIDE; c-- > 0;)
        if (rows[c] > 0) {
            int (*const run)(const struct spmmi_once_work *, int, uint32_t, int, int, void *) =
                c < SPMMI_ONCE_MERGES ? spmmi_once_merge_rows_cuda : spmmi_once_rows_cuda;
            SPMM_TRY_CUDA((cudaError_t)run(&o->work, c, rows[c], is_f64, is_dependent, stream), o->diag);
            is_dependent = o->work.can_overlap;
        }
    SPMM_TRY(spmmi_once_put_hubs(o, is_f64));
    if (o->counts.cuts > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_join_cuda(&o->work, o->counts.cuts, is_f64, stream), o->diag);
cleanup:
    return status;
}

static spmm_status_t multiply(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(open_once(o));
    o->work.piece_entries = SPMMI_SPGEMM_PIECE_ENTRIES;
    o->work.heavy_products = SPMMI_SPGEMM_HEAVY_PRODUCTS;
    o->work.stretch = SPMMI_SPGEMM_STRETCH;
    if (o->in->a->rows > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_bin_products_cuda(&o->work, o->in->stream), o->diag);
    SPMM_TRY(read_checks(o));
    if (o->counts.products > 0)
        SPMM_TRY(count_entries(o));
    if (has_wide(o))
        SPMM_TRY(make_tasks(o));
    SPMM_TRY(take_result(o));
    if (o->counts.nnz > 0)
        SPMM_TRY(compute(o));
    SPMM_TRY_CUDA(cudaStreamSynchronize(o->in->stream), o->diag);
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_gpu_once(const struct spmmi_spgemm_gpu_once *in, spmm_csr_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_once o = {.in = in, .diag = diag};
    SPMM_REQUIRE(in->b->nnz <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "B has %lld entries, a GPU takes up to %u", (long long)in->b->nnz, UINT32_MAX);
    SPMM_REQUIRE(spmmi_cuda_device_runs(in->device), SPMM_ERR_NO_DEVICE, diag,
                 "this build has no kernels for GPU %d", in->device);
    SPMM_TRY(spmmi_device_memory_open(in->allocator, in->device, &o.memory, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(in->device, &scope), diag);
    SPMM_TRY(multiply(&o));
    *c = (spmm_csr_t){in->a->rows, in->b->cols,      (int64_t)o.counts.nnz, SPMM_I64,       SPMM_I32,
                      o.c.memory,  o.work.c_columns, in->a->value_type,     o.work.c_values};
    o.c.memory = NULL;
cleanup:
    for (int i = 0; i < o.block_count; i++)
        spmmi_device_release(&o.blocks[i]);
    spmmi_device_release(&o.c);
    spmmi_cuda_leave(scope);
    return status;
}
