/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the kernel for few columns. Each row is in one block, no block is too long, and the pieces of
 * long rows are where the kernel looks for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/rows/rows_staged_pack.h"
#include "tests/support/matrices.h"

#define RANKS_MAX 1500u

/* Returns the length of a row: short, some hundreds, or for a few rows much longer than a block. */
static uint32_t length_of(uint64_t turn, uint32_t row)
{
    const uint64_t random = test_hash(turn, row);
    switch (turn % 4) {
    case 0:
        return 1 + (uint32_t)(random % 3);
    case 1:
        return 1 + (uint32_t)(random % 60);
    case 2:
        return 1 + (uint32_t)(random % 700);
    default:
        return random % 20 == 0 ? 256 + (uint32_t)(random / 20 % 9000) : 1 + (uint32_t)(random / 20 % 9);
    }
}

/* Checks the pieces of a row. The kernel finds them by their common length. */
static void check_piece(const struct spmmi_stream_host *a, const struct spmmi_block *blocks, uint32_t i,
                        uint32_t nonzeros)
{
    const uint32_t rank = blocks[i].rank & ~SPMMI_ITEM_INSIDE, start = a->rank_start[rank];
    const uint32_t piece = (blocks[i].start - start) / nonzeros;
    const uint32_t pieces = (a->rank_start[rank + 1] - start + nonzeros - 1) / nonzeros;
    assert_true(pieces > 1);
    assert_int_equal((blocks[i].start - start) % nonzeros, 0);
    assert_true(piece <= i);
    assert_int_equal(blocks[i - piece].start, start);
    assert_int_equal(blocks[i - piece + pieces].start, a->rank_start[rank + 1]);
}

static void check_blocks(const struct spmmi_stream_host *a, const struct spmmi_block *blocks, uint32_t count,
                         uint32_t nonzeros, uint32_t rows_max)
{
    assert_int_equal(blocks[0].start, 0);
    assert_int_equal(blocks[0].rank, 0);
    assert_int_equal(blocks[count].start, a->nnz);
    assert_int_equal(blocks[count].rank, a->ranks);
    for (uint32_t i = 0; i < count; i++) {
        const struct spmmi_block block = blocks[i], next = blocks[i + 1];
        assert_in_range(next.start, block.start + 1, block.start + nonzeros);
        if (((block.rank | next.rank) & SPMMI_ITEM_INSIDE) != 0) {
            check_piece(a, blocks, i, nonzeros);
            continue;
        }
        assert_int_equal(block.start, a->rank_start[block.rank]);
        assert_in_range(next.rank, block.rank + 1, block.rank + rows_max);
    }
}

static void every_row_is_in_a_block(void **state)
{
    (void)state;
    for (uint64_t turn = 0; turn < 2000; turn++) {
        uint32_t start[RANKS_MAX + 1] = {0};
        struct spmmi_stream_host a = {.rank_start = start};
        a.ranks = (uint32_t)(test_hash(turn, 1) % (RANKS_MAX + 1));
        for (uint32_t i = 0; i < a.ranks; i++)
            start[i + 1] = start[i] + length_of(turn, i);
        a.nnz = start[a.ranks];
        const uint32_t rows_max = SPMMI_STAGED_RANKS_MAX(1u << turn / 4 % 3);
        const uint32_t nonzeros = SPMMI_STAGED_NONZEROS_MIN << test_hash(turn, 0) % 4;
        const uint32_t count = spmmi_staged_blocks_build(&a, nonzeros, rows_max, NULL);
        assert_true(count <= spmmi_staged_blocks_max(a.nnz, a.ranks, nonzeros, rows_max));
        struct spmmi_block *blocks = malloc(((size_t)count + 1) * sizeof *blocks);
        assert_non_null(blocks);
        assert_int_equal(spmmi_staged_blocks_build(&a, nonzeros, rows_max, blocks), count);
        check_blocks(&a, blocks, count, nonzeros, rows_max);
        free(blocks);
    }
}

/* The memory for blocks is enough for any rows. The worst cases are rows of one nonzero, of which a block has
 * the most, and rows of just more than half of a block, of which a block has one. */
static void there_is_room_for_blocks_of_any_rows(void **state)
{
    static const uint32_t lengths[] = {1, 129, 257};
    uint32_t start[RANKS_MAX + 1] = {0};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint32_t ranks = 0; ranks <= RANKS_MAX; ranks += 50) {
            for (uint32_t r = 0; r < ranks; r++)
                start[r + 1] = start[r] + lengths[i];
            const struct spmmi_stream_host a = {.nnz = start[ranks], .ranks = ranks, .rank_start = start};
            uint64_t bytes = 0;
            for (int grid = 0; grid < SPMMI_STAGED_GRIDS; grid++) {
                const uint32_t rows_max = SPMMI_STAGED_RANKS_MAX(spmmi_staged_lanes(grid));
                const uint32_t least = spmmi_staged_least(grid);
                const uint64_t most = spmmi_staged_blocks_max(a.nnz, ranks, least, rows_max);
                assert_true(spmmi_staged_blocks_build(&a, least, rows_max, NULL) <= most);
                bytes += (most + 1) * sizeof(struct spmmi_block);
            }
            assert_true(bytes <= spmmi_blocks_host_bytes(a.nnz, ranks));
        }
}

/* Returns the block size for one wave of 4 blocks, if all rows have the same length. */
static uint32_t size_of(uint32_t ranks, uint32_t length)
{
    uint32_t start[RANKS_MAX + 1] = {0};
    for (uint32_t i = 0; i < ranks; i++)
        start[i + 1] = start[i] + length;
    const struct spmmi_stream_host a = {.nnz = ranks * length, .ranks = ranks, .rank_start = start};
    return spmmi_staged_nonzeros(&a, 256, 1024, 256, 4);
}

static void blocks_make_one_wave_if_they_can(void **state)
{
    (void)state;
    assert_int_equal(size_of(64, 16), 256); /* 4 blocks */
    assert_int_equal(size_of(65, 16), 512);
    assert_int_equal(size_of(1000, 16), 512); /* short rows: blocks do not grow further */
    assert_int_equal(size_of(12, 256), 512);  /* 6 blocks */
    assert_int_equal(size_of(13, 256), 1024); /* 7 blocks of 512 */
    assert_int_equal(size_of(1000, 256), 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_in_a_block),
                                       cmocka_unit_test(there_is_room_for_blocks_of_any_rows),
                                       cmocka_unit_test(blocks_make_one_wave_if_they_can)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
