/* SPDX-License-Identifier: Apache-2.0 */
/* The flagged columns of the rows family are the same, in whatever pieces they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_pack.h"
#include "tests/support/matrices.h"

#define ROWS 90
#define NONZEROS_MAX (ROWS * 40)

static void pieces_make_the_whole(void **state)
{
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[NONZEROS_MAX];
    uint32_t piece[NONZEROS_MAX + SPMMI_STREAM_PAD];
    (void)state;
    for (uint64_t turn = 0; turn < 60; turn++) {
        struct spmmi_stream_host stream;
        row_ptr[0] = 0;
        for (int i = 0; i < ROWS; i++) { /* no row, some, or half of the rows are empty */
            const uint64_t random = test_hash(turn, (uint64_t)i);
            row_ptr[i + 1] = row_ptr[i] + (random % 4 < turn % 3 ? 0 : 1 + (int64_t)(random / 4 % 40));
        }
        for (int64_t q = 0; q < row_ptr[ROWS]; q++)
            col_ind[q] = (int32_t)(test_hash(turn + 99, (uint64_t)q) % 1000);
        assert_int_equal(spmmi_stream_build(ROWS, row_ptr, col_ind, &stream, NULL), SPMM_OK);
        for (int i = 0; i < ROWS; i++)
            for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
                assert_int_equal(stream.columns[q],
                                 (uint32_t)col_ind[q] | (q + 1 == row_ptr[i + 1] ? SPMMI_ROW_END : 0));
        const struct spmmi_columns_source source = {col_ind, &stream};
        const uint64_t all = stream.nnz + SPMMI_STREAM_PAD, most = 1 + turn * turn;
        for (uint64_t first = 0; first < all; first += most) {
            const uint64_t count = all - first < most ? all - first : most;
            memset(piece, 0xa5, sizeof piece);
            spmmi_columns_fill(&source, first, count, piece);
            assert_memory_equal(piece, stream.columns + first, count * sizeof *piece);
            if (count < NONZEROS_MAX)
                assert_int_equal(piece[count], 0xa5a5a5a5u);
        }
        spmmi_stream_host_free(&stream);
    }
}

/* Columns of 16 bits and the bits that end rows say the same. */
static void narrow_columns_and_row_ends_are_the_same(void **state)
{
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[NONZEROS_MAX];
    uint16_t narrow[NONZEROS_MAX + SPMMI_STREAM_PAD];
    uint8_t ends[(NONZEROS_MAX + SPMMI_STREAM_PAD) / 8 + 1];
    (void)state;
    for (uint64_t turn = 0; turn < 60; turn++) {
        struct spmmi_stream_host stream;
        row_ptr[0] = 0;
        for (int i = 0; i < ROWS; i++)
            row_ptr[i + 1] = row_ptr[i] + (int64_t)(test_hash(turn, (uint64_t)i) % (turn % 7 * 6 + 1));
        for (int64_t q = 0; q < row_ptr[ROWS]; q++)
            col_ind[q] = (int32_t)(test_hash(turn + 99, (uint64_t)q) % SPMMI_NARROW_COLUMNS);
        assert_int_equal(spmmi_stream_build(ROWS, row_ptr, col_ind, &stream, NULL), SPMM_OK);
        const struct spmmi_columns_source source = {col_ind, &stream};
        const uint64_t all = stream.nnz + SPMMI_STREAM_PAD, bytes = all / 8 + 1, most = 1 + turn * turn;
        memset(narrow, 0xa5, sizeof narrow);
        memset(ends, 0xa5, sizeof ends);
        for (uint64_t first = 0; first < all; first += most)
            spmmi_narrow_fill(&source, first, all - first < most ? all - first : most, narrow + first);
        for (uint64_t first = 0; first < bytes; first += most)
            spmmi_row_ends_fill(&stream, first, bytes - first < most ? bytes - first : most, ends + first);
        for (uint64_t q = 0; q < all; q++) {
            const uint32_t end = ends[q / 8] >> q % 8 & 1 ? SPMMI_ROW_END : 0;
            assert_int_equal(narrow[q] | end, stream.columns[q]);
        }
        spmmi_stream_host_free(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_make_the_whole),
                                       cmocka_unit_test(narrow_columns_and_row_ends_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
