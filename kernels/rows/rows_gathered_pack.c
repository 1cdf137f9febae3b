/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_gathered_pack.h. */
#include "rows_gathered_pack.h"

#include <string.h>

#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "rows_staged_pack.h"

/* The set of columns of a block, as one bit per column, and for each word the number of columns of the block
 * in former words. Each thread has one. */
struct column_set {
    uint64_t *words;
    uint32_t *before;
};

static uint64_t words_of(int64_t cols)
{
    return (uint64_t)cols / 64 + 1;
}

static int threads_of(const struct spmmi_stream_host *stream)
{
    return spmmi_pack_threads((uint64_t)stream->nnz * sizeof(int32_t));
}

/* Allocates the empty sets of all threads. Returns NULL if memory is short. Free sets->words. */
static void *sets_alloc(const struct spmmi_gathered_host *host, struct column_set *sets)
{
    const uint64_t words = words_of(host->cols) * (uint64_t)threads_of(host->stream);
    sets->words = spmmi_alloc_zero(words, sizeof *sets->words + sizeof *sets->before);
    sets->before = sets->words != NULL ? (uint32_t *)(sets->words + words) : NULL;
    return sets->words;
}

static struct column_set set_of_thread(const struct spmmi_gathered_host *host, const struct column_set *sets)
{
    const uint64_t first = words_of(host->cols) * (uint64_t)omp_get_thread_num();
    return (struct column_set){sets->words + first, sets->before + first};
}

static uint64_t bit_of(uint32_t column)
{
    return UINT64_C(1) << column % 64;
}

/* Adds the columns of a block to an empty set. Returns their number. */
static uint32_t set_add(const struct spmmi_gathered_host *host, uint32_t block, const struct column_set *set)
{
    uint32_t columns = 0;
    for (uint32_t p = host->starts[block]; p < host->starts[block + 1]; p++) {
        const uint32_t column = (uint32_t)host->col_ind[p];
        columns += (set->words[column / 64] & bit_of(column)) == 0;
        set->words[column / 64] |= bit_of(column);
    }
    return columns;
}

/* Returns the nonzeros of a block, without its first, whose column is in another group of 8 than that of the
 * nonzero before. */
static uint64_t changes_of(const struct spmmi_gathered_host *host, uint32_t block)
{
    uint64_t changes = 0;
    for (uint32_t p = host->starts[block] + 1; p < host->starts[block + 1]; p++)
        changes += host->col_ind[p] / 8 != host->col_ind[p - 1] / 8;
    return changes;
}

static void set_clear(const struct spmmi_gathered_host *host, uint32_t block, const struct column_set *set)
{
    for (uint32_t p = host->starts[block]; p < host->starts[block + 1]; p++)
        set->words[(uint32_t)host->col_ind[p] / 64] = 0;
}

/* Cuts the rows into blocks, of which starts, rows and pieces are set. */
static spmm_status_t cut(struct spmmi_gathered_host *host, uint32_t nonzeros, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t rows = spmmi_gathered_rows(nonzeros);
    struct spmmi_block *cuts = NULL;
    const uint32_t count = host->count = spmmi_staged_blocks_build(host->stream, nonzeros, rows, NULL);
    SPMM_TRY_ALLOC(cuts = spmmi_alloc((uint64_t)count + 1, sizeof *cuts), diag);
    SPMM_TRY_ALLOC(host->blocks = spmmi_alloc_zero(count, sizeof *host->blocks), diag);
    SPMM_TRY_ALLOC(host->starts = spmmi_alloc((uint64_t)count + 1, sizeof *host->starts), diag);
    (void)spmmi_staged_blocks_build(host->stream, nonzeros, rows, cuts);
    uint32_t first = 0; /* block with the start of the row */
    for (uint32_t i = 0; i < count; i++) {
        struct spmmi_gathered_block *const b = &host->blocks[i];
        const uint32_t is_inside = cuts[i].rank & SPMMI_ITEM_INSIDE;
        const int is_piece = is_inside != 0 || (cuts[i + 1].rank & SPMMI_ITEM_INSIDE) != 0;
        first = is_inside != 0 ? first : i;
        host->starts[i] = cuts[i].start;
        b->rank = cuts[i].rank & ~SPMMI_ITEM_INSIDE;
        b->ranks = is_piece ? 0 : cuts[i + 1].rank - b->rank;
        b->piece = is_piece ? first : SPMMI_NONE;
        for (uint32_t k = first; is_piece && (cuts[i + 1].rank & SPMMI_ITEM_INSIDE) == 0 && k <= i; k++)
            host->blocks[k].ranks = i + 1 - first;
    }
    host->starts[count] = host->stream->nnz;
cleanup:
    spmmi_free(cuts);
    return status;
}

/* Sets where the entries and the list of each block begin, from the lengths of the lists. */
static void place(struct spmmi_gathered_host *host)
{
    const uint32_t step = SPMMI_GATHERED_THREADS * SPMMI_GATHERED_WORD;
    for (uint32_t i = 0; i < host->count; i++) {
        struct spmmi_gathered_block *const b = &host->blocks[i];
        const uint32_t nonzeros = host->starts[i + 1] - host->starts[i];
        const uint32_t shared_values =
            spmmi_gathered_slot(b->columns) + (b->piece == SPMMI_NONE ? b->ranks : 1);
        b->words = (nonzeros + step - 1) / step;
        b->threads = (nonzeros - 1) / (b->words * SPMMI_GATHERED_WORD) + 1;
        b->entry = (uint32_t)host->entries;
        b->list = host->columns;
        host->entries += (uint64_t)b->threads * b->words * SPMMI_GATHERED_WORD;
        host->columns += b->columns;
        host->shared_values_max =
            shared_values > host->shared_values_max ? shared_values : host->shared_values_max;
    }
}

spmm_status_t spmmi_gathered_build(const struct spmmi_stream_host *stream, const int32_t *col_ind,
                                   int64_t cols, uint32_t nonzeros, struct spmmi_gathered_host *host,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct column_set sets = {NULL, NULL};
    uint64_t changes = 0;
    *host = (struct spmmi_gathered_host){.stream = stream, .col_ind = col_ind, .cols = cols};
    SPMM_TRY(cut(host, nonzeros, diag));
    SPMM_TRY_ALLOC(sets_alloc(host, &sets), diag);
#pragma omp parallel for schedule(dynamic) num_threads(spmmi_team(threads_of(stream))) reduction(+ : changes)
    for (uint32_t i = 0; i < host->count; i++) {
        const struct column_set set = set_of_thread(host, &sets);
        host->blocks[i].columns = set_add(host, i, &set);
        changes += changes_of(host, i);
        set_clear(host, i, &set);
    }
    host->changes = changes;
    place(host);
    SPMM_REQUIRE(host->entries <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "blocks with lists of columns have %llu entries, too many",
                 (unsigned long long)host->entries);
cleanup:
    spmmi_free(sets.words);
    return status;
}

/* Writes the list of a block from its set of columns. */
static void list_fill(struct spmmi_gathered_host *host, uint32_t block, const struct column_set *set)
{
    uint32_t *const list = host->list + host->blocks[block].list;
    uint32_t count = 0;
    for (uint64_t w = 0; count < host->blocks[block].columns; w++) {
        set->before[w] = count;
        for (uint64_t left = set->words[w]; left != 0; left &= left - 1)
            list[count++] = (uint32_t)(w * 64 + (uint64_t)__builtin_ctzll(left));
    }
}

/* Writes the local indices of a block, and the first row of each of its threads. */
static void entries_fill(struct spmmi_gathered_host *host, uint32_t block, const struct column_set *set)
{
    const struct spmmi_gathered_block *const b = &host->blocks[block];
    const uint32_t start = host->starts[block], end = host->starts[block + 1];
    const uint32_t own = b->words * SPMMI_GATHERED_WORD;
    uint32_t row = 0, row_end = spmmi_rank_start(host->stream, b->rank + 1), thread = 0, e = 0;
    row_end = row_end < end ? row_end : end;
    for (uint32_t p = start; p < end; p++) {
        const uint32_t column = (uint32_t)host->col_ind[p], w = column / 64;
        const uint64_t former = set->words[w] & (bit_of(column) - 1);
        uint32_t index = spmmi_gathered_slot(set->before[w] + (uint32_t)__builtin_popcountll(former));
        if (e == 0)
            host->first_rank[(uint64_t)block * SPMMI_GATHERED_THREADS + thread] = (uint16_t)row;
        if (p + 1 == row_end) {
            index |= SPMMI_GATHERED_ROW_END;
            row++;
            row_end = p + 1 < end ? spmmi_rank_start(host->stream, b->rank + row + 1) : end;
        }
        host->local[b->entry + spmmi_gathered_place(b->threads, thread, e)] = (uint16_t)index;
        e = e + 1 < own ? e + 1 : 0;
        thread += e == 0;
    }
}

spmm_status_t spmmi_gathered_fill(struct spmmi_gathered_host *host, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct column_set sets = {NULL, NULL};
    const uint64_t threads = (uint64_t)host->count * SPMMI_GATHERED_THREADS;
    SPMM_TRY_ALLOC(sets_alloc(host, &sets), diag);
    SPMM_TRY_ALLOC(host->local = spmmi_alloc_zero(host->entries, sizeof *host->local), diag);
    SPMM_TRY_ALLOC(host->list = spmmi_alloc(host->columns, sizeof *host->list), diag);
    SPMM_TRY_ALLOC(host->first_rank = spmmi_alloc_zero(threads, sizeof *host->first_rank), diag);
#pragma omp parallel for schedule(dynamic) num_threads(spmmi_team(threads_of(host->stream)))
    for (uint32_t i = 0; i < host->count; i++) {
        const struct column_set set = set_of_thread(host, &sets);
        (void)set_add(host, i, &set);
        list_fill(host, i, &set);
        entries_fill(host, i, &set);
        set_clear(host, i, &set);
    }
cleanup:
    spmmi_free(sets.words);
    return status;
}

void spmmi_gathered_host_free(struct spmmi_gathered_host *host)
{
    spmmi_free(host->blocks);
    spmmi_free(host->starts);
    spmmi_free(host->local);
    spmmi_free(host->list);
    spmmi_free(host->first_rank);
    memset(host, 0, sizeof *host);
}

uint64_t spmmi_gathered_host_bytes(const struct spmmi_gathered_host *host)
{
    const struct column_set set = {NULL, NULL};
    const uint64_t blocks = (uint64_t)host->count + 1;
    return blocks * (sizeof *host->blocks + sizeof *host->starts + sizeof(struct spmmi_block)) +
           words_of(host->cols) * (uint64_t)threads_of(host->stream) *
               (sizeof *set.words + sizeof *set.before) +
           host->entries * sizeof *host->local + (uint64_t)host->columns * sizeof *host->list +
           blocks * SPMMI_GATHERED_THREADS * sizeof *host->first_rank;
}
