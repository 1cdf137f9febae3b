/* SPDX-License-Identifier: Apache-2.0 */
/* See edges.h. */
#include "edges.h"

#include <assert.h>

TEST_PATTERN(none, false)
TEST_PATTERN(all, true)
TEST_PATTERN(diagonal, i == j)
TEST_PATTERN(antidiagonal, i + j == rows - 1)
TEST_PATTERN(three_diagonals, i - j <= 1 && j - i <= 1)
TEST_PATTERN(band, i - j <= 12 && j - i <= 12)
TEST_PATTERN(lower, j <= i)
TEST_PATTERN(upper, j >= i)
TEST_PATTERN(first_entry, i == 0 && j == 0)
TEST_PATTERN(last_entry, i == rows - 1 && j == cols - 1)
TEST_PATTERN(first_row_empty, i > 0 && test_chance(i, j, 4))
TEST_PATTERN(last_row_empty, i < rows - 1 && test_chance(i, j, 4))
TEST_PATTERN(ends_empty, i > 32 && i < rows - 33 && test_chance(i, j, 4))
TEST_PATTERN(hub_row, i == 32)
TEST_PATTERN(hub_row_among_empty, i == rows / 2 || (i % 3 == 1 && test_chance(i, j, 90)))
TEST_PATTERN(hub_column, j == 32)
TEST_PATTERN(hubs, i == 31 || i == 32 || j == 0 || j == cols - 1)
TEST_PATTERN(arrow, i == 0 || j == 0 || i == j)
TEST_PATTERN(sparse, test_chance(i, j, 9))
TEST_PATTERN(half, test_chance(i, j, 2))
TEST_PATTERN(very_sparse, test_chance(i, j, 60))
TEST_PATTERN(chessboard, (i + j) % 2 == 0)
TEST_PATTERN(every_eighth, j % 8 == 7 && i % 8 == 7)
TEST_PATTERN(blocks, i / 16 == j / 16)
TEST_PATTERN(lengths, j < i)
TEST_PATTERN(one_a_row, j == i * 29 % cols)
TEST_PATTERN(some_full_rows, i % 20 == 7 || j == i * 29 % cols)
TEST_PATTERN(rows_of_34_and_1, i % 13 == 7 ? j < 34 : j == i * 29 % cols)

static const struct test_pattern edges[TEST_EDGES] = {
    {"0 x 7", 0, 7, none},
    {"7 x 0", 7, 0, none},
    {"9 x 7 without nonzeros", 9, 7, none},
    {"1 x 1", 1, 1, all},
    {"1 x 33 dense", 1, 33, all},
    {"33 x 1 dense", 33, 1, all},
    {"1 x 1025 dense", 1, 1025, all},
    {"513 x 1 dense", 513, 1, all},
    {"2 x 700 dense", 2, 700, all},
    {"700 x 2 dense", 700, 2, all},
    {"31 x 31 dense", 31, 31, all},
    {"32 x 32 dense", 32, 32, all},
    {"33 x 33 dense", 33, 33, all},
    {"64 x 129 dense", 64, 129, all},
    {"63 x 63 diagonal", 63, 63, diagonal},
    {"64 x 64 antidiagonal", 64, 64, antidiagonal},
    {"255 x 255 three diagonals", 255, 255, three_diagonals},
    {"256 x 256 three diagonals", 256, 256, three_diagonals},
    {"257 x 257 three diagonals", 257, 257, three_diagonals},
    {"128 x 128 band", 128, 128, band},
    {"65 x 65 lower triangle", 65, 65, lower},
    {"65 x 65 upper triangle", 65, 65, upper},
    {"only the first entry", 129, 130, first_entry},
    {"only the last entry", 129, 130, last_entry},
    {"first row empty", 64, 65, first_row_empty},
    {"last row empty", 65, 64, last_row_empty},
    {"first and last rows empty", 129, 50, ends_empty},
    {"one dense row", 65, 1030, hub_row},
    {"dense row among empty ones", 90, 2100, hub_row_among_empty},
    {"one dense column", 257, 40, hub_column},
    {"two dense rows and columns", 70, 130, hubs},
    {"arrow", 127, 127, arrow},
    {"127 x 128 sparse", 127, 128, sparse},
    {"129 x 127 half full", 129, 127, half},
    {"33 x 1100 very sparse", 33, 1100, very_sparse},
    {"chessboard", 47, 49, chessboard},
    {"every eighth", 72, 72, every_eighth},
    {"blocks of 16", 100, 100, blocks},
    {"rows of 0 to 129", 130, 129, lengths},
    {"one a row", 200, 57, one_a_row},
    {"some full rows between short ones", 260, 83, some_full_rows},
    {"more rows for warps than warps", 600, 83, rows_of_34_and_1},
};

struct test_matrix *test_edge_make(int index, enum test_values values)
{
    assert(index >= 0 && index < TEST_EDGES);
    return test_matrix_of(&edges[index], values);
}
