/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks with lists of columns: each nonzero is at its place once, with the index of its column and the flag
 * of its row's end, for whole rows and for pieces of long rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_gathered_pack.h"
#include "tests/support/matrices.h"

#define ROWS 3000
#define COLS 7000
#define NONZEROS 1024 /* most of a block; a block has at most 512 rows */

struct rows {
    int64_t row_ptr[ROWS + 1];
    int32_t *col_ind;
    struct spmmi_stream_host stream;
    struct spmmi_gathered_host blocks;
};

/* Makes short rows, some empty, and in some turns rows of several blocks. */
static void make(struct rows *r, uint64_t turn)
{
    int64_t q = 0;
    r->row_ptr[0] = 0;
    r->col_ind = malloc((size_t)ROWS * COLS / 16 * sizeof *r->col_ind);
    assert_non_null(r->col_ind);
    for (int i = 0; i < ROWS; i++) {
        const uint64_t random = test_hash(turn, (uint64_t)i);
        const int is_long = turn % 2 == 1 && random % 200 < 2;
        int32_t step = is_long ? 2 : 300 + (int32_t)(random % 4000);
        if (random % 4 < turn % 3)
            step = COLS;
        for (int32_t j = (int32_t)(random / 8 % 97); j < COLS && step < COLS; j += step)
            r->col_ind[q++] = j;
        r->row_ptr[i + 1] = q;
    }
    assert_int_equal(spmmi_stream_ranks_build(ROWS, r->row_ptr, &r->stream, NULL), SPMM_OK);
    assert_int_equal(spmmi_gathered_build(&r->stream, r->col_ind, COLS, NONZEROS, &r->blocks, NULL), SPMM_OK);
    assert_int_equal(spmmi_gathered_fill(&r->blocks, NULL), SPMM_OK);
}

static void free_rows(struct rows *r)
{
    spmmi_gathered_host_free(&r->blocks);
    spmmi_stream_host_free(&r->stream);
    free(r->col_ind);
}

static void check_list(const struct spmmi_gathered_host *host, const struct spmmi_gathered_block *b)
{
    assert_true(b->list + b->columns <= host->columns);
    for (uint32_t i = 1; i < b->columns; i++)
        assert_true(host->list[b->list + i - 1] < host->list[b->list + i]);
}

/* Checks the nonzeros of a block. Returns the number of rows that end in it. */
static uint32_t check_entries(const struct rows *r, uint32_t block)
{
    const struct spmmi_gathered_host *const host = &r->blocks;
    const struct spmmi_gathered_block *const b = &host->blocks[block];
    const uint32_t start = host->starts[block], count = host->starts[block + 1] - start;
    uint32_t row = 0;
    static uint8_t is_met[4 * NONZEROS];
    memset(is_met, 0, sizeof is_met);
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t at = spmmi_gathered_at(b->threads, b->words, p), own = b->words * SPMMI_GATHERED_WORD;
        const uint32_t index = host->local[b->entry + at] & ~SPMMI_GATHERED_ROW_END;
        assert_true(b->entry + at < host->entries && p / own < b->threads && !is_met[at]);
        is_met[at] = 1;
        assert_true(index % 33 < 32 && index < spmmi_gathered_slot(b->columns));
        assert_int_equal(host->list[b->list + index / 33 * 32 + index % 33], r->col_ind[start + p]);
        if (p % own == 0)
            assert_int_equal(host->first_rank[block * SPMMI_GATHERED_THREADS + p / own], row);
        const int ends = p + 1 == count || start + p + 1 == spmmi_rank_start(&r->stream, b->rank + row + 1);
        assert_int_equal((host->local[b->entry + at] & SPMMI_GATHERED_ROW_END) != 0, ends);
        row += ends != 0;
    }
    assert_true(b->columns + b->columns / 32 + row <= host->shared_values_max);
    return row;
}

/* Checks the pieces of a row, of which `block` is one. */
static void check_piece(const struct rows *r, uint32_t block)
{
    const struct spmmi_gathered_host *const host = &r->blocks;
    const struct spmmi_gathered_block *const b = &host->blocks[block];
    const uint32_t last = b->piece + b->ranks - 1;
    assert_true(b->ranks > 1 && b->piece <= block && block <= last);
    assert_int_equal(host->blocks[b->piece].rank, b->rank);
    assert_int_equal(host->starts[b->piece], spmmi_rank_start(&r->stream, b->rank));
    assert_int_equal(host->starts[last + 1], spmmi_rank_start(&r->stream, b->rank + 1));
}

/* Rows of 2 and 20 neighbouring columns from 6 on: the group of 8 changes within a row where 8, 16 and 24 are passed,
 * and from the first row to the second not. */
static void changes_of_groups_are_counted(void **state)
{
    (void)state;
    static const int64_t row_ptr[] = {0, 2, 22};
    static const int32_t col_ind[] = {6,  7,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                      15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    struct spmmi_stream_host stream;
    struct spmmi_gathered_host host;
    assert_int_equal(spmmi_stream_ranks_build(2, row_ptr, &stream, NULL), SPMM_OK);
    assert_int_equal(spmmi_gathered_build(&stream, col_ind, 26, NONZEROS, &host, NULL), SPMM_OK);
    assert_int_equal(host.changes, 3);
    assert_int_equal(host.columns, 20);
    spmmi_gathered_host_free(&host);
    spmmi_stream_host_free(&stream);
}

static void each_nonzero_is_at_its_place(void **state)
{
    (void)state;
    int pieces = 0;
    for (uint64_t turn = 0; turn < 6; turn++) {
        static struct rows r;
        uint32_t rank = 0;
        make(&r, turn);
        const struct spmmi_gathered_host *const host = &r.blocks;
        for (uint32_t i = 0; i < host->count; i++) {
            const struct spmmi_gathered_block *const b = &host->blocks[i];
            const uint32_t rows = check_entries(&r, i);
            assert_true(host->starts[i + 1] - host->starts[i] <= NONZEROS);
            assert_int_equal(b->rank, rank);
            check_list(host, b);
            if (b->piece == SPMMI_NONE) {
                assert_int_equal(rows, b->ranks);
                assert_true(rows <= spmmi_gathered_rows(NONZEROS));
                rank += rows;
            } else {
                check_piece(&r, i);
                pieces++;
                rank += i == b->piece + b->ranks - 1;
            }
        }
        assert_int_equal(rank, r.stream.ranks);
        assert_int_equal(host->starts[host->count], r.stream.nnz);
        free_rows(&r);
    }
    assert_true(pieces > 4);
}

/* Positions fit the slots that are asked for, and one more would not. */
static void slots_leave_gaps(void **state)
{
    (void)state;
    assert_true(spmmi_gathered_slot(31) == 31 && spmmi_gathered_slot(32) == 33);
    for (uint32_t slots = 1; slots < 2000; slots++) {
        const uint32_t positions = spmmi_gathered_positions(slots);
        assert_true(spmmi_gathered_slot(positions) <= slots && spmmi_gathered_slot(positions + 1) > slots);
    }
}

/* Whatever the rows, a block's slots and rows fit its shared memory. */
static void numbers_fit_shared_memory(void **state)
{
    (void)state;
    const uint32_t sizes[] = {4, 8}, nnz[] = {1 << 10, 1 << 20};
    for (int i = 0; i < 4; i++) {
        const uint32_t nonzeros = spmmi_gathered_nonzeros(nnz[i / 2], sizes[i % 2]);
        const uint32_t slots = spmmi_gathered_slot(nonzeros);
        assert_true((slots + spmmi_gathered_rows(nonzeros)) * sizes[i % 2] <= SPMMI_GATHERED_SHARED_MAX);
        assert_true(nonzeros <= SPMMI_GATHERED_NONZEROS_MAX && slots < SPMMI_GATHERED_ROW_END);
    }
    assert_int_equal(spmmi_gathered_nonzeros(1 << 20, 4), SPMMI_GATHERED_NONZEROS_MAX);
    assert_true(spmmi_gathered_tries(1 << 19, 4) && !spmmi_gathered_tries((1 << 19) - 1, 4));
    assert_true(spmmi_gathered_tries(1 << 20, 8) && !spmmi_gathered_tries((1 << 20) - 1, 8));
    assert_true(spmmi_gathered_pays(80, 25, 100) && !spmmi_gathered_pays(81, 25, 100));
    assert_false(spmmi_gathered_pays(80, 24, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_nonzero_is_at_its_place),
        cmocka_unit_test(changes_of_groups_are_counted),
        cmocka_unit_test(slots_leave_gaps),
        cmocka_unit_test(numbers_fit_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
