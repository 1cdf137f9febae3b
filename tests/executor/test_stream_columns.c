/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the rows family are as rows_kernel.h describes them, in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_pack.h"
#include "tests/support/matrices.h"

#define ROWS 90
#define NONZEROS_MAX (ROWS * 40 + 3000)
#define ENTRIES_MAX (NONZEROS_MAX + SPMMI_STREAM_PAD)
#define TURNS 60
#define POISON 0xa5

struct rows {
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[NONZEROS_MAX];
    struct spmmi_stream_host stream;
};

/* Makes rows. No row, a quarter or half of the rows are empty. In every fifth turn one row is much longer. */
static void make(struct rows *r, uint64_t turn)
{
    r->row_ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t random = test_hash(turn, (uint64_t)i);
        r->row_ptr[i + 1] = r->row_ptr[i] + (random % 4 < turn % 3 ? 0 : 1 + (int64_t)(random / 4 % 40));
        if (turn % 5 == 0 && i == (int)turn)
            r->row_ptr[i + 1] += 3000;
    }
    for (int64_t q = 0; q < r->row_ptr[ROWS]; q++)
        r->col_ind[q] = (int32_t)(test_hash(turn + 99, (uint64_t)q) % SPMMI_NARROW_COLUMNS);
    assert_int_equal(spmmi_stream_ranks_build(ROWS, r->row_ptr, &r->stream, NULL), SPMM_OK);
}

typedef void (*table_fill)(const void *source, uint64_t first, uint64_t count, void *to);

/* Fills all entries in pieces of turn^2 + 1 entries. Checks that nothing is written after a piece. */
static void fill(table_fill fill_some, const void *source, uint64_t all, size_t size, uint64_t turn, void *to)
{
    static uint8_t piece[(ENTRIES_MAX + 1) * sizeof(struct spmmi_block)];
    const uint64_t most = 1 + turn * turn;
    assert_true(all <= ENTRIES_MAX);
    for (uint64_t first = 0; first < all; first += most) {
        const uint64_t count = all - first < most ? all - first : most;
        memset(piece, POISON, sizeof piece);
        fill_some(source, first, count, piece);
        assert_int_equal(piece[count * size], POISON);
        memcpy((char *)to + first * size, piece, count * size);
    }
}

static void check_ranks(const struct rows *r, uint64_t turn)
{
    const struct spmmi_stream_host *const s = &r->stream;
    static uint32_t starts[ROWS + 1];
    uint32_t rank = 0, empty = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        if (r->row_ptr[i] == r->row_ptr[i + 1]) {
            assert_int_equal(s->empty_rows[empty++], i);
            continue;
        }
        assert_int_equal(spmmi_rank_start(s, rank), r->row_ptr[i]);
        if (s->row_of_rank != NULL)
            assert_int_equal(s->row_of_rank[rank], i);
        rank++;
    }
    assert_int_equal(s->ranks, rank);
    assert_int_equal(spmmi_rank_start(s, rank), r->row_ptr[ROWS]);
    fill(spmmi_rank_starts_fill, s, (uint64_t)rank + 1, sizeof *starts, turn, starts);
    for (uint32_t i = 0; i <= rank; i++)
        assert_int_equal(starts[i], spmmi_rank_start(s, i));
    assert_int_equal(s->empty_count, empty);
    assert_int_equal(s->row_of_rank == NULL, empty == 0);
}

static void columns_and_row_ends(void **state)
{
    static struct rows r;
    static uint32_t columns[ENTRIES_MAX];
    static uint16_t narrow[ENTRIES_MAX];
    static uint8_t ends[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        make(&r, turn);
        check_ranks(&r, turn);
        const struct spmmi_columns_source source = {r.col_ind, &r.stream};
        const uint64_t all = r.stream.nnz + SPMMI_STREAM_PAD;
        fill(spmmi_columns_fill, &source, all, sizeof *columns, turn, columns);
        fill(spmmi_narrow_fill, &source, all, sizeof *narrow, turn, narrow);
        fill(spmmi_row_ends_fill, &r.stream, all / 8 + 1, sizeof *ends, turn, ends);
        for (int i = 0; i < ROWS; i++)
            for (int64_t q = r.row_ptr[i]; q < r.row_ptr[i + 1]; q++) {
                const uint32_t end = q + 1 == r.row_ptr[i + 1] ? SPMMI_ROW_END : 0;
                assert_int_equal(columns[q], (uint32_t)r.col_ind[q] | end);
                assert_int_equal(narrow[q], r.col_ind[q]);
                assert_int_equal(ends[q / 8] >> q % 8 & 1, end != 0);
            }
        for (uint64_t q = r.stream.nnz; q < all; q++) {
            assert_int_equal(columns[q] | narrow[q], 0);
            assert_int_equal(ends[q / 8] >> q % 8 & 1, 0);
        }
        spmmi_stream_host_free(&r.stream);
    }
}

/* Returns the row of a nonzero. */
static uint32_t row_of(const struct rows *r, int64_t nonzero)
{
    uint32_t row = 0;
    while (r->row_ptr[row + 1] <= nonzero)
        row++;
    return row;
}

static uint32_t ranks_before(const struct rows *r, uint32_t row)
{
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < row; i++)
        ranks += r->row_ptr[i] < r->row_ptr[i + 1];
    return ranks;
}

static void items_of_a_nonzero_split(void **state)
{
    static struct rows r;
    static uint32_t ranks[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        make(&r, turn);
        const uint32_t size = 1u << turn % 6, count = (r.stream.nnz + size - 1) / size;
        const struct spmmi_items_source source = {&r.stream, count, size, NULL};
        fill(spmmi_item_ranks_fill, &source, (uint64_t)count + 1, sizeof *ranks, turn, ranks);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t row = row_of(&r, (int64_t)i * size);
            const uint32_t inside = r.row_ptr[row] < (int64_t)i * size ? SPMMI_ITEM_INSIDE : 0;
            assert_int_equal(ranks[i], ranks_before(&r, row) | inside);
        }
        assert_int_equal(ranks[count], r.stream.ranks);
        spmmi_stream_host_free(&r.stream);
    }
}

/* Items are any ascending rows from row 0 on, including empty rows. */
static void items_of_a_row_split(void **state)
{
    static struct rows r;
    static uint32_t ranks[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        uint32_t rows[ROWS], count = 0;
        make(&r, turn);
        for (uint32_t row = 0; row < ROWS; row += 1 + (uint32_t)(test_hash(turn, row) % (1 + turn % 7)))
            rows[count++] = row;
        const struct spmmi_items_source source = {&r.stream, count, 16, rows};
        fill(spmmi_item_ranks_fill, &source, (uint64_t)count + 1, sizeof *ranks, turn, ranks);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(ranks[i], ranks_before(&r, rows[i]));
            assert_int_equal(spmmi_rank_start(&r.stream, ranks[i]), r.row_ptr[rows[i]]);
        }
        assert_int_equal(ranks[count], r.stream.ranks);
        spmmi_stream_host_free(&r.stream);
    }
}

/* A boundary inside a row moves to the start of the row if that is near enough. */
static void blocks_of_a_nonzero_split(void **state)
{
    static struct rows r;
    static struct spmmi_block blocks[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        make(&r, turn);
        const uint32_t nonzeros = 8 + (uint32_t)(turn % 9) * 40,
                       move_max = nonzeros / (uint32_t)(1 + turn % 4);
        const uint32_t count = (r.stream.nnz + nonzeros - 1) / nonzeros;
        const struct spmmi_blocks_source source = {&r.stream, nonzeros, move_max};
        fill(spmmi_blocks_fill, &source, (uint64_t)count + 1, sizeof *blocks, turn, blocks);
        uint32_t most = 0, before = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t row = row_of(&r, (int64_t)i * nonzeros), begin = (uint32_t)r.row_ptr[row];
            most = i > 0 && row - before > most ? row - before : most;
            before = i > 0 ? row : 0;
            const int is_moved = i * nonzeros - begin <= move_max,
                      is_inside = !is_moved && begin < i * nonzeros;
            assert_int_equal(blocks[i].start, is_moved ? begin : i * nonzeros);
            assert_int_equal(blocks[i].rank, ranks_before(&r, row) | (is_inside ? SPMMI_ITEM_INSIDE : 0));
        }
        most = ROWS - before > most ? ROWS - before : most;
        assert_int_equal(spmmi_blocks_most_rows(&source, count), most);
        assert_int_equal(blocks[count].start, r.stream.nnz);
        assert_int_equal(blocks[count].rank, r.stream.ranks);
        spmmi_stream_host_free(&r.stream);
    }
}

/* So many rows that several threads process them. Empty rows are everywhere, nowhere, or at one end. */
static void ranks_of_many_rows(void **state)
{
    enum { MANY = 300001 };
    static int64_t row_ptr[MANY + 1];
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct spmmi_stream_host s;
        uint32_t rank = 0, empty = 0;
        for (int64_t i = 0; i < MANY; i++) {
            const int is_empty[] = {test_hash((uint64_t)i, 3) % 3 == 0, 0, i < MANY / 2, i >= MANY / 3};
            row_ptr[i + 1] = row_ptr[i] + (is_empty[turn] ? 0 : 1 + i % 3);
        }
        assert_int_equal(spmmi_stream_ranks_build(MANY, row_ptr, &s, NULL), SPMM_OK);
        for (uint32_t i = 0; i < MANY; i++)
            if (row_ptr[i] == row_ptr[i + 1])
                assert_int_equal(s.empty_rows[empty++], i);
            else
                assert_true(spmmi_rank_start(&s, rank) == row_ptr[i] &&
                            (s.row_of_rank == NULL ? rank == i : s.row_of_rank[rank] == i) && ++rank > 0);
        assert_int_equal(s.ranks, rank);
        assert_int_equal(s.empty_count, empty);
        assert_int_equal(spmmi_rank_start(&s, rank), row_ptr[MANY]);
        spmmi_stream_host_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_row_ends), cmocka_unit_test(items_of_a_nonzero_split),
        cmocka_unit_test(items_of_a_row_split), cmocka_unit_test(blocks_of_a_nonzero_split),
        cmocka_unit_test(ranks_of_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
