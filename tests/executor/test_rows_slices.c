/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows: each nonzero is at its place, and padding follows the ends of rows. Columns may be written
 * in pieces of any size. */
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

/* Makes rows of ascending columns, or of runs of `run` consecutive columns, with gaps of at most `step`. No
 * row, a quarter or half of the rows are empty. */
static void make(struct rows *r, uint64_t turn, uint64_t step, int run)
{
    r->row_ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t random = test_hash(turn, (uint64_t)i);
        int32_t column = (int32_t)(test_hash(turn + 5, (uint64_t)i) % 300);
        r->row_ptr[i + 1] = r->row_ptr[i] + (random % 4 < turn % 3 ? 0 : 1 + (int64_t)(random / 4 % 40));
        for (int64_t q = r->row_ptr[i]; q < r->row_ptr[i + 1]; q++)
            r->col_ind[q] = column +=
                1 +
                ((q - r->row_ptr[i]) % run == 0 ? (int32_t)(test_hash(turn + 99, (uint64_t)q) % step) : 0);
    }
    r->size = spmmi_row_slices_of(ROWS, r->row_ptr, r->col_ind);
    assert_int_equal(spmmi_stream_ranks_build(ROWS, r->row_ptr, &r->stream, NULL), SPMM_OK);
    struct spmmi_row_slices of_threads;
#pragma omp critical /* a critical section of a caller */
    of_threads = spmmi_slices_size(&r->stream, r->col_ind);
    assert_memory_equal(&of_threads, &r->size, sizeof of_threads);
    assert_int_equal(spmmi_slices_build(&r->stream, r->col_ind, &r->size, spmmi_slices_index(&r->size, 4),
                                        &r->slices, NULL),
                     SPMM_OK);
}

static void free_rows(struct rows *r)
{
    spmmi_slices_host_free(&r->slices);
    spmmi_stream_host_free(&r->stream);
}

/* Returns the column of entry e of a rank, -1 for padding. */
static int64_t column_of(const struct rows *r, uint32_t rank, uint32_t e)
{
    if (rank >= r->stream.ranks)
        return -1;
    const uint32_t start = spmmi_rank_start(&r->stream, rank);
    return e < spmmi_rank_start(&r->stream, rank + 1) - start ? r->col_ind[start + e] : -1;
}

/* Checks that `found` is the column of entry e in the lane's row, or 0 after its end. Returns 1 if the entry
 * exists. */
static int check_column(const struct rows *r, uint32_t slice, uint32_t lane, uint32_t e, uint32_t width,
                        uint32_t found)
{
    const uint32_t rank = slice * SPMMI_SLICE_ROWS + lane;
    const int64_t column = column_of(r, rank, e);
    assert_int_equal(found, column < 0 ? 0 : column - r->slices.slices[slice].column);
    if (rank < r->stream.ranks)
        assert_int_equal(e < width - r->slices.padding[rank], column >= 0);
    return column >= 0;
}

/* The storage of columns, for each kind of index: whole batches are stored as words of 8 or 16 bytes. */
static const struct {
    uint32_t run, batch, chunk; /* entries per column index; entries per batch; column indices per word */
} kinds[] = {{1, 8, 8}, {1, 8, 8}, {1, 8, 4}, {3, 12, 4}, {3, 12, 4}};

/* Checks the columns of each slice: words for whole batches, then single columns. */
static void check_columns(const struct rows *r, const uint32_t *columns)
{
    const struct spmmi_slice *const slices = r->slices.slices;
    const uint32_t run = kinds[r->slices.index].run, batch = kinds[r->slices.index].batch;
    int64_t met = 0, runs = 0;
    for (uint32_t slice = 0; slice < spmmi_slices_count(r->stream.ranks); slice++) {
        const uint32_t width = (slices[slice + 1].start - slices[slice].start) / SPMMI_SLICE_ROWS;
        const uint32_t whole = width / batch * batch / run, all = (width + run - 1) / run;
        const uint32_t place = spmmi_slice_place(slices[slice].start, slice, run);
        uint32_t at = 0;
        for (uint32_t first = 0, chunk; first < all; first += chunk) {
            chunk = first < whole ? kinds[r->slices.index].chunk : 1;
            for (uint32_t lane = 0; lane < SPMMI_SLICE_ROWS; lane++)
                for (uint32_t e = first; e < first + chunk; e++, at++) {
                    assert_int_equal(spmmi_slice_at(whole, e, lane, kinds[r->slices.index].chunk), at);
                    met += check_column(r, slice, lane, e * run, width, columns[place + at]);
                }
        }
        while (place + at < spmmi_slice_place(slices[slice + 1].start, slice + 1, run))
            assert_int_equal(columns[place + at++], 0);
    }
    for (int i = 0; i < ROWS; i++)
        runs += (r->row_ptr[i + 1] - r->row_ptr[i] + run - 1) / run;
    assert_int_equal(met, runs);
}

/* Checks the high bits of each column. The words are filled in pieces. */
static void check_high_bits(const struct rows *r, const uint32_t *columns, uint64_t piece)
{
    static uint32_t words[ENTRIES_MAX];
    const uint32_t slices = spmmi_slices_count(r->stream.ranks);
    const uint32_t run = kinds[r->slices.index].run, batch = kinds[r->slices.index].batch;
    const uint64_t all = spmmi_slices_high_words(&r->size, r->slices.index);
    for (uint64_t first = 0; first < all; first += piece)
        spmmi_slices_high_fill(&r->slices, first, all - first < piece ? all - first : piece, words + first);
    for (uint32_t slice = 0; slice < slices; slice++) {
        const uint32_t start = r->slices.slices[slice].start;
        const uint32_t width = (r->slices.slices[slice + 1].start - start) / SPMMI_SLICE_ROWS;
        const uint32_t *const own = columns + spmmi_slice_place(start, slice, run);
        for (uint32_t at = 0; at < (width + run - 1) / run * SPMMI_SLICE_ROWS; at++) {
            const uint32_t e = at / SPMMI_SLICE_ROWS, lane = at % SPMMI_SLICE_ROWS;
            const uint64_t word =
                spmmi_slice_place(start, slice, batch) + e * run / batch * SPMMI_SLICE_ROWS + lane;
            const uint32_t column =
                own[spmmi_slice_at(width / batch * batch / run, e, lane, kinds[r->slices.index].chunk)];
            assert_true(word < all);
            assert_int_equal(words[word] >> e % (batch / run) * SPMMI_HIGH_BITS & 15, column >> 16);
        }
    }
}

static void each_nonzero_is_at_its_place(void **state)
{
    static const uint64_t steps[] = {20, 20000, 200000, 20, 60000}; /* for each kind */
    static struct rows r;
    static uint32_t columns[ENTRIES_MAX], whole[ENTRIES_MAX];
    static uint16_t narrow[ENTRIES_MAX];
    (void)state;
    for (uint64_t turn = 0; turn < 75; turn++) {
        const int kind = (int)(turn % 5);
        make(&r, turn, steps[kind], (int)kinds[kind].run);
        assert_int_equal(r.size.rows, r.stream.ranks);
        assert_int_equal(r.slices.index, kind);
        const uint64_t all = spmmi_slices_columns(&r.size, r.slices.index) + SPMMI_STREAM_PAD;
        const uint64_t most = 1 + turn * turn;
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
        for (uint64_t q = all - SPMMI_STREAM_PAD; q < all; q++)
            assert_int_equal(columns[q], 0);
        check_columns(&r, columns);
        if (spmmi_slice_has_high(r.slices.index))
            check_high_bits(&r, columns, most);
        free_rows(&r);
    }
}

/* The number of bits depends on the span of the columns of a slice, counted from its first column. */
static void the_span_of_slices_decides_on_bits(void **state)
{
    static const int64_t row_ptr[] = {0, 2, 2, 3};
    static const int32_t col_ind[] = {100, 65635, 200};
    struct spmmi_row_slices size = spmmi_row_slices_of(3, row_ptr, col_ind);
    (void)state;
    assert_int_equal(size.rows, 2);
    assert_int_equal(size.entries, 2 * SPMMI_SLICE_ROWS);
    assert_int_equal(size.padding_max, 1);
    assert_int_equal(size.span, 65536);
    assert_int_equal(size.batches, 1);
    assert_int_equal(size.breaks, 1);
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_16);
    size.span = 65537;
    assert_int_equal(spmmi_slices_index(&size, 4),
                     SPMMI_INDEX_32); /* rows of 2 need as many words as they save */
    size.entries = 3 * SPMMI_SLICE_ROWS;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_20);
    size.span = 1 << 20;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_20);
    size.span = (1 << 20) + 1;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_32);
}

/* Rows must be long enough, and values have at most 4 bytes. */
static void runs_of_columns_have_one_index(void **state)
{
    static const int64_t row_ptr[] = {0, 8, 12};
    int32_t col_ind[] = {3, 4, 5, 10, 11, 12, 70, 71, 0, 1, 2, 3};
    struct spmmi_row_slices size = spmmi_row_slices_of(2, row_ptr, col_ind);
    (void)state;
    assert_int_equal(size.breaks, 0);
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_RUNS_16);
    assert_int_equal(spmmi_slices_index(&size, 2), SPMMI_INDEX_RUNS_16);
    assert_int_equal(spmmi_slices_index(&size, 8), SPMMI_INDEX_16);
    size.span = 70000;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_RUNS_20);
    size.span = 2 << 20;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_32);
    size.span = 72;
    size.entries = size.rows * 6 - 1;
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_16);
    col_ind[7] = 72; /* breaks the last run, which has two columns */
    size = spmmi_row_slices_of(2, row_ptr, col_ind);
    assert_int_equal(size.breaks, 1);
    assert_int_equal(spmmi_slices_index(&size, 4), SPMMI_INDEX_16);
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

/* With fewer slices, a slice gets more warps if its rows are long enough. */
static void slices_have_the_warps_that_fill_the_device(void **state)
{
    static const uint32_t cases[][3] = {/* slices, entries per row, warps */
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
        cmocka_unit_test(runs_of_columns_have_one_index),
        cmocka_unit_test(uneven_rows_do_not_fit),
        cmocka_unit_test(slices_have_the_warps_that_fill_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
