/* SPDX-License-Identifier: Apache-2.0 */
/* From a stage to its tables in device memory. Positions are derived there: items are hashed, equal ones share their
 * positions, and each that shares is compared with what it shares. */
#include "spgemm_stage_cuda.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/alloc.h"
#include "spgemm_items.h"

#ifdef SPMM_TEST_HOOKS
unsigned long long spmmi_spgemm_hash_mask = ~0ull;
#define HASH_MASK spmmi_spgemm_hash_mask
#else
#define HASH_MASK ~0ull
#endif

#define KERNEL_POSITIONS "positions"
#define KERNEL_GROUPS "groups"

struct stage_making {
    const struct spmmi_spgemm_gpu_source *source;
    const struct spmmi_spgemm_stage *from;
    const struct spmmi_device_memory *memory;
    int has_diagonal;
    uint64_t used; /* bytes of the device before this stage */
    struct spmmi_spgemm_items items;
    struct spmmi_spgemm_gpu_stage *to;
    struct spmmi_spgemm_derivation derivation;
    struct spmmi_device_block scratch; /* of the derivation */
    spmm_diag_t *diag;
};

spmm_status_t spmmi_spgemm_budget(uint64_t allowed, uint64_t used, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(used <= allowed && bytes <= allowed - used, SPMM_ERR_PLAN_BUDGET, diag,
                 "the product takes %llu bytes of the GPU so far and %llu more, %llu are allowed",
                 (unsigned long long)used, (unsigned long long)bytes, (unsigned long long)allowed);
cleanup:
    return status;
}

static spmm_status_t take(const struct stage_making *m, uint64_t bytes)
{
    return spmmi_spgemm_budget(m->source->device_left, m->used + m->to->bytes + m->scratch.bytes, bytes,
                               m->diag);
}

static void cut_tables(struct stage_making *m, struct spmmi_arena *arena)
{
    const struct spmmi_spgemm_items *items = &m->items;
    struct spmmi_spgemm_tables *t = &m->to->tables;
    t->items = spmmi_arena_cut(arena, items->count, sizeof *t->items);
    t->rows = spmmi_arena_cut(arena, (uint64_t)items->direct + items->listed, sizeof *t->rows);
    t->value_of = spmmi_arena_cut(arena, items->listed, sizeof *t->value_of);
    if (items->k_count != NULL)
        t->k_count = spmmi_arena_cut(arena, items->listed, sizeof *t->k_count);
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
    t->join_count = items->join_count;
    SPMM_TRY(spmmi_cuda_copy_up(t->rows, items->rows, (uint64_t)items->direct + items->listed,
                                sizeof *t->rows, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->value_of, items->value_of, items->listed, sizeof *t->value_of, m->diag));
    if (items->k_count != NULL)
        SPMM_TRY(spmmi_cuda_copy_up(t->k_count, items->k_count, items->listed, sizeof *t->k_count, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(t->joins, items->joins, items->join_count, sizeof *t->joins, m->diag));
    if (m->has_diagonal)
        SPMM_TRY(
            spmmi_cuda_copy_up(t->k_of, m->from->task.left.col_ind, items->direct, sizeof *t->k_of, m->diag));
cleanup:
    return status;
}

static void cut_scratch(struct stage_making *m, struct spmmi_arena *arena)
{
    const struct spmmi_spgemm_stage *s = m->from;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    const uint64_t right = (uint64_t)s->task.right.row_ptr[s->task.right.rows],
                   c = (uint64_t)s->c.row_ptr[s->task.left.rows];
    d->c_at = spmmi_arena_cut(arena, m->items.count, sizeof *d->c_at);
    d->writes = spmmi_arena_cut(arena, m->items.count, sizeof *d->writes);
    d->hashes = spmmi_arena_cut(arena, m->items.count, sizeof *d->hashes);
    d->right_columns = spmmi_arena_cut(arena, right, sizeof *d->right_columns);
    d->c_columns = spmmi_arena_cut(arena, c, sizeof *d->c_columns);
    d->differs = spmmi_arena_cut(arena, 1, sizeof *d->differs);
}

static spmm_status_t make_scratch(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_spgemm_stage *s = m->from;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    cut_scratch(m, &arena);
    SPMM_TRY(take(m, arena.bytes));
    SPMM_TRY(spmmi_arena_take(&arena, m->memory, &m->scratch, m->diag));
    cut_scratch(m, &arena);
    SPMM_TRY(spmmi_cuda_copy_up(d->c_at, m->items.c_at, m->items.count, sizeof *d->c_at, m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->right_columns, s->task.right.col_ind,
                                (uint64_t)s->task.right.row_ptr[s->task.right.rows], sizeof *d->right_columns,
                                m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->c_columns, s->c.col_ind, (uint64_t)s->c.row_ptr[s->task.left.rows],
                                sizeof *d->c_columns, m->diag));
    d->mask = HASH_MASK;
cleanup:
    return status;
}

static spmm_status_t derive(struct stage_making *m, enum spmmi_spgemm_pass pass)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t g = 0; g < m->items.group_count; g++)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_spgemm_derive_cuda(&m->derivation, &m->items.groups[g].bin, pass, NULL),
            m->diag);
    for (uint32_t b = 0; b < m->items.bins.count; b++)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_spgemm_derive_cuda(&m->derivation, &m->items.bins.bin[b], pass, NULL),
            m->diag);
cleanup:
    return status;
}

/* Positions of all items, where items say that they begin. *differs: an item is not like the one it shares
 * with. */
static spmm_status_t write_positions(struct stage_making *m, const uint8_t *writes, uint64_t bytes,
                                     uint32_t *differs)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_derivation *d = &m->derivation;
    struct spmmi_spgemm_gpu_stage *to = m->to;
    SPMM_TRY(take(m, bytes));
    SPMM_TRY(spmmi_device_take(m->memory, bytes + 1, NULL, &to->positions, m->diag));
    to->bytes += bytes;
    to->tables.positions = d->positions = to->positions.memory;
    d->tables = to->tables;
    SPMM_TRY(spmmi_cuda_copy_up(to->tables.items, m->items.items, m->items.count, sizeof *to->tables.items,
                                m->diag));
    SPMM_TRY(spmmi_cuda_copy_up(d->writes, writes, m->items.count, sizeof *d->writes, m->diag));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_WRITE));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_COMPARE));
    SPMM_TRY_CUDA(cudaMemcpy(differs, d->differs, sizeof *differs, cudaMemcpyDeviceToHost), m->diag);
cleanup:
    return status;
}

/* Items that are alike share positions; where hashes were wrong about that, none does. */
static spmm_status_t make_positions(struct stage_making *m)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t count = m->items.count;
    uint64_t bytes = 0;
    uint32_t differs = 0;
    unsigned long long *hashes = NULL;
    uint8_t *writes = NULL;
    SPMM_TRY_ALLOC(hashes = spmmi_alloc(count, sizeof *hashes), m->diag);
    SPMM_TRY_ALLOC(writes = spmmi_alloc(count, sizeof *writes), m->diag);
    m->derivation.tables = m->to->tables;
    SPMM_TRY(spmmi_cuda_copy_up(m->to->tables.items, m->items.items, count, sizeof *m->items.items, m->diag));
    SPMM_TRY(derive(m, SPMMI_SPGEMM_HASH));
    SPMM_TRY_CUDA(cudaMemcpy(hashes, m->derivation.hashes, count * sizeof *hashes, cudaMemcpyDeviceToHost),
                  m->diag);
    SPMM_TRY(spmmi_spgemm_items_place(&m->items, hashes, writes, &bytes, m->diag));
    SPMM_TRY(write_positions(m, writes, bytes, &differs));
    if (differs != 0) {
        spmmi_device_release(&m->to->positions);
        m->to->bytes -= bytes;
        SPMM_TRY(spmmi_spgemm_items_place(&m->items, NULL, writes, &bytes, m->diag));
        SPMM_TRY(write_positions(m, writes, bytes, &differs));
    }
cleanup:
    spmmi_free(writes);
    spmmi_free(hashes);
    return status;
}

/* By the name of the kernel. With a diagonal there are no groups. */
static spmm_status_t choose_grouping(const struct stage_making *m, enum spmmi_spgemm_grouping *grouping)
{
    spmm_status_t status = SPMM_OK;
    const char *kernel = m->source->kernel;
    const int is_groups = kernel != NULL && strcmp(kernel, KERNEL_GROUPS) == 0;
    SPMM_REQUIRE(kernel == NULL || is_groups || strcmp(kernel, KERNEL_POSITIONS) == 0, SPMM_ERR_ARGUMENT,
                 m->diag, "\"%s\" is no kernel of products on a GPU, expected %s or %s", kernel,
                 KERNEL_POSITIONS, KERNEL_GROUPS);
    if (!m->has_diagonal && (kernel == NULL || is_groups))
        *grouping = is_groups ? SPMMI_SPGEMM_GROUPS : SPMMI_SPGEMM_GROUPS_BY_RULE;
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_gpu_stage_make(const struct spmmi_spgemm_gpu_source *source, int index,
                                          const struct spmmi_device_memory *memory, uint64_t used,
                                          struct spmmi_spgemm_gpu_stage *stage, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct stage_making m = {.source = source,
                             .from = &source->stages[index],
                             .memory = memory,
                             .has_diagonal = source->has_diagonal && index == source->tasks->count - 1,
                             .used = used,
                             .to = stage,
                             .diag = diag};
    enum spmmi_spgemm_grouping grouping = SPMMI_SPGEMM_NO_GROUPS;
    memset(stage, 0, sizeof *stage);
    SPMM_TRY(choose_grouping(&m, &grouping));
    SPMM_TRY(spmmi_spgemm_items_make(m.from, grouping, source->threads, source->host_left, &m.items, diag));
    stage->bins = m.items.bins;
    stage->group_count = m.items.group_count;
    memcpy(stage->groups, m.items.groups, sizeof stage->groups);
    stage->kernel = stage->group_count > 0 ? KERNEL_GROUPS : KERNEL_POSITIONS;
    SPMM_TRY(make_tables(&m));
    if (m.items.count > 0) {
        SPMM_TRY(make_scratch(&m));
        SPMM_TRY(make_positions(&m));
    }
cleanup:
    spmmi_device_release(&m.scratch);
    spmmi_spgemm_items_free(&m.items);
    return status;
}

void spmmi_spgemm_gpu_stage_free(struct spmmi_spgemm_gpu_stage *stage)
{
    spmmi_device_release(&stage->memory);
    spmmi_device_release(&stage->positions);
}
