/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows: each nonzero where it belongs, padding behind the ends of rows, in whatever pieces columns are
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_slices_pack.h"
#include "tests/support/matrices.h"

#define ROWS 150 /* the last slice has fewer rows */
#define NONZEROS_MAX (ROWS * 40)
#define ENTRIES_MAX ((ROWS / SPMMI_SLICE_ROWS + 1) * SPMMI_SLICE_ROWS * 40 + SPMMI_STREAM_PAD)

struct rows {
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[NONZEROS_MAX];
    struct spmmi_stream_host stream;
    struct spmmi_row_slices size;
    struct spmmi_slices_host slices;
};

/* Ascending columns that lie `step` apart at most; no row, some, or half of the rows are empty. */
static void make(struct rows *r, uint64_t turn, uint64_t step)
{
    r->row_ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t random = test_hash(turn, (uint64_t)i);
        int32_t column = (int32_t)(test_hash(turn + 5, (uint64_t)i) % 300);
        r->row_ptr[i + 1] = r->row_ptr[i] + (random % 4 < turn % 3 ? 0 : 1 + (int64_t)(random / 4 % 40));
        for (int64_t q = r->row_ptr[i]; q < r->row_ptr[i + 1]; q++)
            r->col_ind[q] = column += 1 + (int32_t)(test_hash(turn + 99, (uint64_t)q) % step);
    }
    r->size = spmmi_row_slices_of(ROWS, r->row_ptr, r->col_ind);
    assert_int_equal(spmmi_stream_ranks_build(ROWS, r->row_ptr, &r->stream, NULL), SPMM_OK);
    struct spmmi_row_slices of_threads;
#pragma omp critical /* of a caller's own */
    of_threads = spmmi_slices_size(&r->stream, r->col_ind);
    assert_memory_equal(&of_threads, &r->size, sizeof of_threads);
    assert_int_equal(spmmi_slices_build(&r->stream, r->col_ind, &r->size, &r->slices, NULL), SPMM_OK);
}

static void free_rows(struct rows *r)
{
    spmmi_slices_host_free(&r->slices);
    spmmi_stream_host_free(&r->stream);
}

/* The column of entry e of a rank; -1: it is padding. */
static int64_t column_of(const struct rows *r, uint32_t rank, uint32_t e)
{
    if (rank >= r->stream.ranks)
        return -1;
    const uint32_t start = spmmi_rank_start(&r->stream, rank);
    return e < spmmi_rank_start(&r->stream, rank + 1) - start ? r->col_ind[start + e] : -1;
}

static void check_columns(const struct rows *r, const uint32_t *columns)
{
    const struct spmmi_slice *const slices = r->slices.slices;
    int64_t met = 0;
    for (uint32_t slice = 0; slice < spmmi_slices_count(r->stream.ranks); slice++) {
        const uint32_t width = (slices[slice + 1].start - slices[slice].start) / SPMMI_SLICE_ROWS;
        for (uint32_t i = 0; i < SPMMI_SLICE_ROWS; i++)
            for (uint32_t e = 0; e < width; e++) {
                const uint32_t rank = slice * SPMMI_SLICE_ROWS + i;
                const int64_t column = column_of(r, rank, e);
                const uint32_t at = columns[slices[slice].start + e * SPMMI_SLICE_ROWS + i];
                assert_int_equal(at, column < 0 ? 0 : column - slices[slice].column);
                met += column >= 0;
                if (rank < r->stream.ranks)
                    assert_int_equal(e < width - r->slices.lacks[rank], column >= 0);
            }
    }
    assert_int_equal(met, r->row_ptr[ROWS]);
}

/* Those of each entry, in words that are written in pieces. */
static void check_high_bits(const struct rows *r, const uint32_t *columns, uint64_t piece)
{
    static uint32_t words[ENTRIES_MAX];
    const uint32_t slices = spmmi_slices_count(r->stream.ranks);
    const uint64_t all = spmmi_slices_high_words(&r->size);
    for (uint64_t first = 0; first < all; first += piece)
        spmmi_slices_high_fill(&r->slices, first, all - first < piece ? all - first : piece, words + first);
    for (uint32_t slice = 0; slice < slices; slice++) {
        const uint32_t start = r->slices.slices[slice].start, end = r->slices.slices[slice + 1].start;
        for (uint32_t at = start; at < end; at++) {
            const uint32_t e = (at - start) / SPMMI_SLICE_ROWS;
            const uint64_t word = spmmi_slice_high(start, slice) + e / SPMMI_SLICE_BATCH * SPMMI_SLICE_ROWS +
                                  at % SPMMI_SLICE_ROWS;
            assert_true(word < all);
            assert_int_equal(words[word] >> e % SPMMI_SLICE_BATCH * SPMMI_HIGH_BITS & 15, columns[at] >> 16);
        }
    }
}

static void each_nonzero_is_at_its_place(void **state)
{
    static const uint64_t steps[] = {20, 20000, 200000}; /* 16, 20 and 32 bits */
    static struct rows r;
    static uint32_t columns[ENTRIES_MAX], whole[ENTRIES_MAX];
    static uint16_t narrow[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < 60; turn++) {
        make(&r, turn, steps[turn % 3]);
        assert_int_equal(r.size.rows, r.stream.ranks);
        assert_int_equal(r.slices.index, turn % 3);
        const uint64_t all = (uint64_t)r.size.entries + SPMMI_STREAM_PAD, most = 1 + turn * turn;
        memset(columns, 0xa5, sizeof columns);
        spmmi_slices_columns_fill(&r.slices, 0, all, whole);
        for (uint64_t first = 0; first < all; first += most) {
            const uint64_t count = all - first < most ? all - first : most;
            spmmi_slices_columns_fill(&r.slices, first, count, columns + first);
            spmmi_slices_narrow_fill(&r.slices, first, count, narrow + first);
            if (first + count < ENTRIES_MAX)
                assert_int_equal(columns[first + count], 0xa5a5a5a5u);
        }
        assert_memory_equal(columns, whole, all * sizeof *columns);
        for (uint64_t q = 0; q < all; q++)
            assert_int_equal(narrow[q], columns[q] & 0xffffu);
        for (uint64_t q = (uint64_t)r.size.entries; q < all; q++)
            assert_int_equal(columns[q], 0);
        check_columns(&r, columns);
        if (r.slices.index == SPMMI_INDEX_20)
            check_high_bits(&r, columns, most);
        free_rows(&r);
    }
}

/* Of the columns of a slice, counted from its first. */
static void the_span_of_slices_decides_on_bits(void **state)
{
    static const int64_t row_ptr[] = {0, 2, 2, 3};
    static const int32_t col_ind[] = {100, 65635, 200};
    struct spmmi_row_slices size = spmmi_row_slices_of(3, row_ptr, col_ind);
    (void)state;
    assert_int_equal(size.rows, 2);
    assert_int_equal(size.entries, 2 * SPMMI_SLICE_ROWS);
    assert_int_equal(size.lacks, 1);
    assert_int_equal(size.span, 65536);
    assert_int_equal(size.batches, 1);
    assert_int_equal(spmmi_slices_index(&size), SPMMI_INDEX_16);
    size.span = 65537;
    assert_int_equal(spmmi_slices_index(&size), SPMMI_INDEX_32); /* rows of 2: as many words as are saved */
    size.entries = 3 * SPMMI_SLICE_ROWS;
    assert_int_equal(spmmi_slices_index(&size), SPMMI_INDEX_20);
    size.span = 1 << 20;
    assert_int_equal(spmmi_slices_index(&size), SPMMI_INDEX_20);
    size.span = (1 << 20) + 1;
    assert_int_equal(spmmi_slices_index(&size), SPMMI_INDEX_32);
}

static void uneven_rows_do_not_fit(void **state)
{
    (void)state;
    assert_true(spmmi_slices_fit(100, 125, 255, 0));
    assert_false(spmmi_slices_fit(100, 126, 255, 0));
    assert_false(spmmi_slices_fit(100, 125, 256, 0));
    assert_true(spmmi_slices_fit(100, 200, 7, 0));
    assert_false(spmmi_slices_fit(100, 201, 7, 0));
    assert_false(spmmi_slices_fit(100, 126, 8, 0));
    assert_true(spmmi_slices_fit(100, 400, 255, 1));
    assert_false(spmmi_slices_fit(100, 401, 255, 1));
    assert_false(spmmi_slices_fit(0, 0, 0, 0));
    assert_true(spmmi_slices_fit(INT32_MAX - 64, INT32_MAX - 64, 0, 0));
    assert_false(spmmi_slices_fit(INT32_MAX - 64, INT32_MAX - 63, 0, 0));
}

/* More of them for fewer slices, if rows are long enough. */
static void slices_have_the_warps_that_fill_the_device(void **state)
{
    static const uint32_t cases[][3] = {/* slices, entries a row, warps */
                                        {2904, 100, 1}, {2903, 100, 2}, {1451, 100, 4},
                                        {700, 100, 8},  {10, 100, 8},   {10, 20, 4},
                                        {10, 12, 2},    {10, 11, 2},    {10, 10, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t ranks = cases[i][0] * SPMMI_SLICE_ROWS;
        assert_int_equal(spmmi_slices_warps(cases[i][1] * ranks, ranks, 132), cases[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_nonzero_is_at_its_place),
        cmocka_unit_test(the_span_of_slices_decides_on_bits),
        cmocka_unit_test(uneven_rows_do_not_fit),
        cmocka_unit_test(slices_have_the_warps_that_fill_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
