/* SPDX-License-Identifier: Apache-2.0 */
/* See row_lengths.h. */
#include "row_lengths.h"

#include "format/base/bytes.h"
#include "format/base/each.h"

#define PIECES 64
#define ROWS_PARALLEL 65536 /* with fewer rows, a parallel region costs more than it saves */

/* Rows [begin, end), processed in pieces. The lengths of later rows are still needed. */
struct rows {
    int64_t *row_ptr;
    const uint8_t *lengths; /* of all rows */
    int64_t begin, end;
    int64_t sums[PIECES]; /* sum of the lengths of each piece, then the pointer of its first row */
};

static int64_t length_of(const struct rows *r, int64_t i)
{
    return spmmi_get_u32(r->lengths + (uint64_t)i * sizeof(uint32_t));
}

static int64_t piece_begin(const struct rows *r, uint64_t piece)
{
    return r->begin + (r->end - r->begin) * (int64_t)piece / PIECES;
}

static void lengths_sum(void *rows, uint64_t piece, int thread)
{
    struct rows *const r = rows;
    int64_t sum = 0;
    (void)thread;
    for (int64_t i = piece_begin(r, piece); i < piece_begin(r, piece + 1); i++)
        sum += length_of(r, i);
    r->sums[piece] = sum;
}

/* Writes the row pointers of rows [i, end). sum is the row pointer of row i.
 * Returns the end of the last row. */
static int64_t rows_write(const struct rows *r, int64_t i, int64_t end, int64_t sum)
{
    for (; i < end; i++) {
        const int64_t length = length_of(r, i);
        r->row_ptr[i] = sum;
        sum += length;
    }
    return sum;
}

static void piece_write(void *rows, uint64_t piece, int thread)
{
    const struct rows *const r = rows;
    (void)thread;
    (void)rows_write(r, piece_begin(r, piece), piece_begin(r, piece + 1), r->sums[piece]);
}

/* Several threads process the lower half of the remaining rows, again and again: the pointers of this half do
 * not overwrite the lengths of any remaining row. One thread processes the rest in ascending order, which is
 * safe because pointer i + 1 ends at or in front of length i + 1. */
void spmmi_row_lengths_add(int threads, int64_t *row_ptr, int64_t rows)
{
    struct rows r = {.row_ptr = row_ptr, .lengths = spmmi_row_lengths(row_ptr, rows)};
    int64_t sum = 0;
    for (; threads > 1 && rows - r.begin >= ROWS_PARALLEL; r.begin = r.end) {
        r.end = r.begin + (rows - r.begin) / 2;
        spmmi_each(PIECES, threads, lengths_sum, &r);
        for (int k = 0; k < PIECES; k++) {
            const int64_t of_piece = r.sums[k];
            r.sums[k] = sum;
            sum += of_piece;
        }
        spmmi_each(PIECES, threads, piece_write, &r);
    }
    row_ptr[rows] = rows_write(&r, r.begin, rows, sum);
}
