/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tables of a stage in device memory. Positions of items and streams of pulls are derived there:
 * they are hashed, equal ones share memory, and each one that shares is compared with what it shares. */
#include "spgemm_stage_cuda.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/alloc.h"
#include "spgemm_items.h"
#include "spgemm_limits.h"

#ifdef SPMM_TEST_HOOKS
unsigned long long spmmi_spgemm_hash_mask = ~0ull;
#define HASH_MASK spmmi_spgemm_hash_mask
#else
#define HASH_MASK ~0ull
#endif

#define KERNEL_GROUPS "groups"
#define KERNEL_PULL "pull"
#define KERNEL_MASKS "masks"

struct stage_making {
    const struct spmmi_spgemm_gpu_source *source;
    struct spmmi_spgemm_stage from; /* a copy, with long entries */
    struct spmmi_spgemm_longs longs;
    uint64_t host_left;
    const struct spmmi_device_memory *memory;
    int has_diagonal;
    uint64_t used; /* device bytes of the product before this stage */
    struct spmmi_spgemm_items items;
    struct spmmi_spgemm_gpu_stage *to;
    struct spmmi_spgemm_derivation derivation;
    struct spmmi_device_block scratch; /* for the derivation */
    spmm_diag_t *diag;
};

static spmm_status_t take(const struct stage_making *m, uint64_t bytes)
{
    return spmmi_spgemm_budget(m->source->device_left, m->used + m->to->bytes + m->scratch.bytes, bytes,
                               m->diag);
}

/* Returns the number of rows that are needed only to derive masks. */
static uint64_t derived_rows_of(const struct spmmi_spgemm_items *items)
{
    return items->mask_count > 0 && spmmi_spgemm_rows_of(items) == 0 ? items->direct : 0;
}

static void cut_tables(struct stage_making *m, struct spmmi_arena *arena)
{
    const struct spmmi_spgemm_items *items = &m->items;
    struct spmmi_spgemm_tables *t = &m->to->tables;
    t->items = spmmi_arena_cut(arena, items->count, sizeof *t->items);
    t->rows = spmmi_arena_cut(arena, spmmi_spgemm_rows_of(items), sizeof *t->rows);
    t->starts = spmmi_arena_cut(arena, items->start_count, sizeof *t->starts);
    if (items->near_starts != NULL)
        t->near_starts = spmmi_arena_cut(arena, items->direct, sizeof *t->near_starts);
    t->lefts = spmmi_arena_cut(arena, items->left_count, sizeof *t->lefts);
    if (items->k_count != NULL)
        t->k_count = spmmi_arena_cut(arena, items->listed, sizeof *t->k_count);
    t->pulls = spmmi_arena_cut(arena, items->pull_count, sizeof *t->pulls);
    t->joins = spmmi_arena_cut(arena, items->join_count, sizeof *t->joins);
    if (m->has_diagonal)
        t->k_of = spmmi_arena_cut(arena, items->direct, sizeof *t->k_of);
}

static spmm_status_t make_tables(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_spgemm_items *items = &m->items;
    struct spmmi_spgemm_tables *t = &m->to->tables;
    cut_tables(m, &arena);
    const uint64_t bytes = arena.bytes;
    if (bytes == 0)
        return SPMM_OK;
    SPMM_TRY(take(m, bytes));
    SPMM_TRY(spmmi_arena_take(&arena, m->memory, &m->to->memory, m->diag));
    m->to->bytes += bytes;
    cut_tables(m, &arena);
    t->direct = items->direct;
    t->start_shift = items->start_shift;
    t->left_shift = items->left_shift;
    t->pull_count = items->pull_count;
    t->join_count = items->join_count;
    t->item_count = items->count;
    t->row_count = (uint32_t)spmmi_spgemm_rows_of(items);
    t->right_count = (uint32_t)m->from.task.right.row_ptr[m->from.task.right.rows];
    SPMM_TRY(spmmi_cuda_copy_up(t->rows, items->rows, spmmi_spgemm_rows_of(items), sizeof *t->rows, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->starts, items->starts, items->start_count, sizeof *t->starts, m->diag));
    if (items->near_starts != NULL)
        SPMM_TRY(spmmi_cuda_copy_up(t->near_starts, items->near_starts, items->direct, sizeof *t->near_starts,
                                    m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->lefts, items->lefts, items->left_count, sizeof *t->lefts, m->diag));
    if (items->k_count != NULL)
        SPMM_TRY(spmmi_cuda_copy_up(t->k_count, items->k_count, items->listed, sizeof *t->k_count, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->joins, items->joins, items->join_count, sizeof *t->joins, m->diag));
    if (m->has_diagonal)
        SPMM_TRY(
            spmmi_cuda_copy_up(t->k_of, m->from.task.left.col_ind, items->direct, sizeof *t->k_of, m->diag));
cleanup:
    return status;
}

static void cut_scratch(struct stage_making *m, struct spmmi_arena *arena)
{
    const struct spmmi_spgemm_stage *s = &m->from;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    const uint64_t right = (uint64_t)s->task.right.row_ptr[s->task.right.rows],
                   c = (uint64_t)s->c.row_ptr[s->task.left.rows];
    d->c_at = spmmi_arena_cut(arena, m->items.count, sizeof *d->c_at);
    d->rows = m->to->tables.rows;
    if (derived_rows_of(&m->items) > 0)
        d->rows = spmmi_arena_cut(arena, derived_rows_of(&m->items), sizeof *d->rows);
    d->writes = spmmi_arena_cut(arena, m->items.count, sizeof *d->writes);
    d->hashes = spmmi_arena_cut(arena, m->items.count, sizeof *d->hashes);
    d->words = spmmi_arena_cut(arena, m->items.word_count, sizeof *d->words);
    d->words_at = spmmi_arena_cut(arena, m->items.pull_count, sizeof *d->words_at);
    if (m->items.pull_count > 0) {
        d->row_of = spmmi_arena_cut(arena, m->items.direct, sizeof *d->row_of);
        d->c_row_ptr = spmmi_arena_cut(arena, (uint64_t)s->task.left.rows + 1, sizeof *d->c_row_ptr);
    }
    d->pull_writes = spmmi_arena_cut(arena, m->items.pull_count, sizeof *d->pull_writes);
    d->pull_hashes = spmmi_arena_cut(arena, m->items.pull_count, sizeof *d->pull_hashes);
    d->right_columns = spmmi_arena_cut(arena, right, sizeof *d->right_columns);
    d->c_columns = spmmi_arena_cut(arena, c, sizeof *d->c_columns);
    d->differs = spmmi_arena_cut(arena, 1, sizeof *d->differs);
}

/* Uploads the row of each entry of the left factor, and the row pointers of C. */
static spmm_status_t upload_rows(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_task *task = &m->from.task;
    const uint64_t rows = (uint64_t)task->left.rows + 1;
    uint32_t *row_of = NULL, *row_ptr = NULL;
    SPMM_TRY_ALLOC(row_of = spmmi_alloc(m->items.direct, sizeof *row_of), m->diag);
    SPMM_TRY_ALLOC(row_ptr = spmmi_alloc(rows, sizeof *row_ptr), m->diag);
    for (int64_t i = 0; i < task->left.rows; i++)
        for (int64_t p = task->left.row_ptr[i]; p < task->left.row_ptr[i + 1]; p++)
            row_of[p] = (uint32_t)i;
    for (uint64_t i = 0; i < rows; i++)
        row_ptr[i] = (uint32_t)m->from.c.row_ptr[i];
    SPMM_TRY(spmmi_cuda_copy_up(m->derivation.row_of, row_of, m->items.direct, sizeof *row_of, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(m->derivation.c_row_ptr, row_ptr, rows, sizeof *row_ptr, m->diag));
cleanup:
    spmmi_free(row_of);
    spmmi_free(row_ptr);
    return status;
}

static spmm_status_t make_scratch(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_spgemm_stage *s = &m->from;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    cut_scratch(m, &arena);
    SPMM_TRY(take(m, arena.bytes));
    SPMM_TRY(spmmi_arena_take(&arena, m->memory, &m->scratch, m->diag));
    cut_scratch(m, &arena);
    SPMM_TRY(spmmi_cuda_copy_up(d->c_at, m->items.c_at, m->items.count, sizeof *d->c_at, m->diag));
    SPMM_TRY(
        spmmi_cuda_copy_up(d->rows, m->items.rows, derived_rows_of(&m->items), sizeof *d->rows, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->right_columns, s->task.right.col_ind,
                                (uint64_t)s->task.right.row_ptr[s->task.right.rows], sizeof *d->right_columns,
                                m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->c_columns, s->c.col_ind, (uint64_t)s->c.row_ptr[s->task.left.rows],
                                sizeof *d->c_columns, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->words, m->items.words, m->items.word_count, sizeof *d->words, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->words_at, m->items.words_at, m->items.pull_count, sizeof *d->words_at,
                                m->diag));
    if (m->items.pull_count > 0)
        SPMM_TRY(upload_rows(m));
    d->mask = HASH_MASK;
cleanup:
    return status;
}

static spmm_status_t derive(struct stage_making *m, enum spmmi_spgemm_pass pass)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_derivation *d = &m->derivation;
    for (uint32_t g = 0; g < m->items.group_count; g++)
        SPMM_TRY_CUDA((cudaError_t)spmmi_spgemm_derive_cuda(d, &m->items.groups[g].bin, pass, NULL), m->diag);
    for (uint32_t b = 0; b < m->items.bins.count; b++)
        SPMM_TRY_CUDA((cudaError_t)spmmi_spgemm_derive_cuda(d, &m->items.bins.bin[b], pass, NULL), m->diag);
    for (uint32_t b = 0; b < m->items.mask_count; b++)
        SPMM_TRY_CUDA((cudaError_t)spmmi_spgemm_derive_cuda(d, &m->items.masks[b], pass, NULL), m->diag);
    if (m->items.pull_count > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_spgemm_derive_pulls_cuda(d, pass, NULL), m->diag);
cleanup:
    return status;
}

/* Decides where streams begin and which are written. *bytes: total size. hashes NULL: nothing is shared. */
static spmm_status_t place_streams(struct stage_making *m, const unsigned long long *hashes, uint64_t *bytes)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_items *items = &m->items;
    const struct spmmi_spgemm_tables *t = &m->to->tables;
    uint64_t units = 0;
    SPMM_TRY(spmmi_spgemm_streams_place(&items->positions, hashes, &units, m->diag));
    SPMM_TRY(spmmi_spgemm_streams_place(&items->pull_streams, hashes != NULL ? hashes + items->count : NULL,
                                        &units, m->diag));
    for (uint32_t i = 0; i < items->count; i++)
        items->items[i].position = items->positions.at[i];
    for (uint32_t i = 0; i < items->pull_count; i++)
        items->pulls[i].stream = items->pull_streams.at[i];
    SPMM_TRY(spmmi_cuda_copy_up(t->items, items->items, items->count, sizeof *t->items, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->pulls, items->pulls, items->pull_count, sizeof *t->pulls, m->diag));
    *bytes = units * SPMMI_SPGEMM_POSITION_UNIT;
cleanup:
    return status;
}

/* Writes all streams where they were placed. *differs: 1 if one is unlike the stream that it shares. */
static spmm_status_t write_streams(struct stage_making *m, uint64_t bytes, uint32_t *differs)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    struct spmmi_spgemm_gpu_stage *to = m->to;
    SPMM_TRY(take(m, bytes));
    SPMM_TRY(spmmi_device_take(m->memory, bytes, NULL, &to->positions, m->diag));
    to->bytes += bytes;
    to->tables.positions = d->positions = to->positions.memory;
    to->tables.position_bytes = bytes;
    d->tables = to->tables;
    SPMM_TRY(
        spmmi_cuda_copy_up(d->writes, m->items.positions.writes, m->items.count, sizeof *d->writes, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->pull_writes, m->items.pull_streams.writes, m->items.pull_count,
                                sizeof *d->pull_writes, m->diag));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_WRITE));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_COMPARE));
    SPMM_TRY_CUDA(cudaMemcpy(differs, d->differs, sizeof *differs, cudaMemcpyDeviceToHost), m->diag);
cleanup:
    return status;
}

/* Computes the hashes of items, followed by those of pulls. */
static spmm_status_t find_hashes(struct stage_making *m, unsigned long long *hashes)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_items *items = &m->items;
    const struct spmmi_spgemm_tables *t = &m->to->tables;
    m->derivation.tables = *t;
    SPMM_TRY(spmmi_cuda_copy_up(t->items, items->items, items->count, sizeof *t->items, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->pulls, items->pulls, items->pull_count, sizeof *t->pulls, m->diag));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_HASH));
    SPMM_TRY_CUDA(
        cudaMemcpy(hashes, m->derivation.hashes, items->count * sizeof *hashes, cudaMemcpyDeviceToHost),
        m->diag);
    SPMM_TRY_CUDA(cudaMemcpy(hashes + items->count, m->derivation.pull_hashes,
                             items->pull_count * sizeof *hashes, cudaMemcpyDeviceToHost),
                  m->diag);
cleanup:
    return status;
}

/* Items and pulls with equal streams share them. If hashes were wrong about that, nothing is shared. */
static spmm_status_t make_positions(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    uint32_t differs = 0;
    unsigned long long *hashes = NULL;
    SPMM_TRY_ALLOC(hashes = spmmi_alloc((uint64_t)m->items.count + m->items.pull_count, sizeof *hashes),
                   m->diag);
    SPMM_TRY(find_hashes(m, hashes));
    SPMM_TRY(place_streams(m, hashes, &bytes));
    SPMM_TRY(write_streams(m, bytes, &differs));
    if (differs != 0) {
        spmmi_device_release(&m->to->positions);
        m->to->bytes -= bytes;
        SPMM_TRY(place_streams(m, NULL, &bytes));
        SPMM_TRY(write_streams(m, bytes, &differs));
    }
cleanup:
    spmmi_free(hashes);
    return status;
}

/* Reads the choice from the name of the kernel. With a diagonal there are no groups. */
static spmm_status_t read_choice(const struct stage_making *m, struct spmmi_spgemm_wanted *wanted)
{
    spmm_status_t status = SPMM_OK;
    static const struct {
        const char *name;
        enum spmmi_spgemm_choice groups, pulls, masks;
    } choices[] = {
        {SPMMI_SPGEMM_KERNEL_POSITIONS, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER},
        {KERNEL_GROUPS, SPMMI_SPGEMM_WHEREVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER},
        {KERNEL_PULL, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_WHEREVER, SPMMI_SPGEMM_NEVER},
        {KERNEL_MASKS, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_WHEREVER},
        {NULL, SPMMI_SPGEMM_BY_RULE, SPMMI_SPGEMM_BY_RULE, SPMMI_SPGEMM_BY_RULE}};
    const char *kernel = m->source->kernel;
    int i = 0;
    while (choices[i].name != NULL && (kernel == NULL || strcmp(kernel, choices[i].name) != 0))
        i++;
    SPMM_REQUIRE(kernel == NULL || choices[i].name != NULL, SPMM_ERR_ARGUMENT, m->diag,
                 "unknown kernel \"%s\" of products on a GPU, expected %s, %s, %s, %s or %s", kernel,
                 SPMMI_SPGEMM_KERNEL_COLUMNS, SPMMI_SPGEMM_KERNEL_POSITIONS, KERNEL_GROUPS, KERNEL_PULL,
                 KERNEL_MASKS);
    *wanted = (struct spmmi_spgemm_wanted){m->has_diagonal ? SPMMI_SPGEMM_NEVER : choices[i].groups,
                                           choices[i].pulls, choices[i].masks, m->source->dtype};
cleanup:
    return status;
}

static struct spmmi_spgemm_table_source table_source(const struct stage_making *m)
{
    return (struct spmmi_spgemm_table_source){
        &m->from, m->memory, m->has_diagonal, m->host_left, m->source->device_left, m->used + m->to->bytes};
}

static spmm_status_t make_longs(struct stage_making *m, int has_all)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    const struct spmmi_spgemm_table_source source = table_source(m);
    SPMM_TRY(spmmi_spgemm_gpu_longs_make(&source, has_all, &m->longs, &bytes, &m->to->longs, m->diag));
    m->host_left -= bytes;
    m->from.longs = &m->longs;
    m->to->bytes += m->to->longs.memory.bytes;
cleanup:
    return status;
}

static spmm_status_t make_columns(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_table_source source = table_source(m);
    m->to->kernel = SPMMI_SPGEMM_KERNEL_COLUMNS;
    SPMM_TRY(spmmi_spgemm_gpu_columns_make(&source, &m->to->columns, m->diag));
    m->to->bytes += m->to->columns.memory.bytes;
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_gpu_stage_make(const struct spmmi_spgemm_gpu_source *source, int index,
                                          const struct spmmi_device_memory *memory, uint64_t used,
                                          struct spmmi_spgemm_gpu_stage *stage, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct stage_making m = {.source = source,
                             .from = source->stages[index],
                             .host_left = source->host_left,
                             .memory = memory,
                             .has_diagonal = source->has_diagonal && index == source->tasks->count - 1,
                             .used = used,
                             .to = stage,
                             .diag = diag};
    struct spmmi_spgemm_wanted wanted = {.dtype = source->dtype};
    /* Chosen by name, or because a budget refuses all other kernels. */
    const int is_by_columns =
        source->kernel != NULL && strcmp(source->kernel, SPMMI_SPGEMM_KERNEL_COLUMNS) == 0;
    memset(stage, 0, sizeof *stage);
    SPMM_TRY(make_longs(&m, !is_by_columns));
    if (is_by_columns) {
        SPMM_TRY(make_columns(&m));
        goto cleanup;
    }
    SPMM_TRY(read_choice(&m, &wanted));
    SPMM_TRY(spmmi_spgemm_items_make(&m.from, &wanted, source->threads, m.host_left, &m.items, diag));
    stage->bins = m.items.bins;
    stage->mask_count = m.items.mask_count;
    memcpy(stage->masks, m.items.masks, sizeof stage->masks);
    stage->group_count = m.items.group_count;
    memcpy(stage->groups, m.items.groups, sizeof stage->groups);
    stage->kernel = m.items.are_mostly_pulled   ? KERNEL_PULL
                    : m.items.are_mostly_masked ? KERNEL_MASKS
                    : stage->group_count > 0    ? KERNEL_GROUPS
                                                : SPMMI_SPGEMM_KERNEL_POSITIONS;
    stage->partials = m.items.join_count > 0 ? (uint64_t)m.from.partials : 0;
    SPMM_TRY(make_tables(&m));
    if (m.items.count > 0 || m.items.pull_count > 0) {
        SPMM_TRY(make_scratch(&m));
        SPMM_TRY(make_positions(&m));
    }
cleanup:
    spmmi_device_release(&m.scratch);
    spmmi_spgemm_items_free(&m.items);
    spmmi_spgemm_longs_free(&m.longs);
    return status;
}

void spmmi_spgemm_gpu_stage_free(struct spmmi_spgemm_gpu_stage *stage)
{
    spmmi_device_release(&stage->memory);
    spmmi_device_release(&stage->positions);
    spmmi_device_release(&stage->columns.memory);
    spmmi_device_release(&stage->longs.memory);
}
