/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a unit of the window, panel and bcsr families as CSR has them, and their columns by marks. */
#ifndef SPMMI_TCBLOCK_ROWS_H
#define SPMMI_TCBLOCK_ROWS_H

#include <stdint.h>
#include <string.h>

#define SPMMI_UNIT_ROWS_MAX 256u /* rows of a unit */
#define SPMMI_MARKS_ALIGN 32u    /* marks are cleared and read by so many bytes */

struct spmmi_tcblock_rows {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const uint32_t *rows; /* count */
    uint32_t count;
    uint64_t nonzeros;
    uint32_t low, high;                    /* their first and last column; high below low: no nonzeros */
    uint8_t is_alike[SPMMI_UNIT_ROWS_MAX]; /* a row has the columns of the row before it */
};

/* Time: linear in the rows; where rows may be alike, in their nonzeros. */
void spmmi_tcblock_rows_look(const int64_t *row_ptr, const int32_t *col_ind, const uint32_t *rows,
                             uint32_t count, struct spmmi_tcblock_rows *look);

/* Behind the last of the rows that are alike from row r on, below end. */
static inline uint32_t spmmi_tcblock_rows_end(const struct spmmi_tcblock_rows *look, uint32_t r, uint32_t end)
{
    do
        r++;
    while (r < end && look->is_alike[r]);
    return r;
}

/* Marks are for ranges of so many columns at most: a guess of what stays in the second cache of a core. */
#define SPMMI_MARKED_MAX (UINT32_C(1) << 18)
/* And of so many a nonzero, of windows and row blocks. ns a nonzero on an EPYC (Zen 5, 2026-11-26), by marks and by the
 * merge, 16 random columns a row: windows with a range of 8 columns a nonzero 6.0, 7.9, with 64 13.9, 8.3, but meshes
 * 3.5, 5.5; row blocks with 8 11.9, 11.5, with 64 21.2, 11.2, and those of meshes have 8 or fewer (0110). */
#define SPMMI_MARKED_WINDOW 64u
#define SPMMI_MARKED_ROW_BLOCK 8u

/* Columns for which units of so many nonzeros at most have marks, at most a_nonzero for each. */
static inline uint32_t spmmi_marked_max(uint64_t nonzeros, uint32_t cols, uint32_t a_nonzero)
{
    const uint32_t most = cols < SPMMI_MARKED_MAX ? cols : SPMMI_MARKED_MAX;
    return nonzeros < most / a_nonzero ? (uint32_t)nonzeros * a_nonzero : most;
}

/* Are the columns of these rows, which have some, marked by a unit with marks for marked_max? */
static inline int spmmi_rows_are_marked(const struct spmmi_tcblock_rows *look, uint32_t marked_max,
                                        uint32_t a_nonzero)
{
    const uint64_t range = (uint64_t)look->high - look->low + 1;
    return range <= marked_max && range <= look->nonzeros * a_nonzero;
}

/* Bytes of marks for so many columns. */
static inline uint64_t spmmi_marks_bytes(uint64_t columns)
{
    return (columns + SPMMI_MARKS_ALIGN - 1) / SPMMI_MARKS_ALIGN * SPMMI_MARKS_ALIGN;
}

/* Bits into the mark of each column of a row, from the first column of all rows on; or of its place, where there are
 * positions. */
void spmmi_marks_row(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t r,
                     const uint32_t *positions, uint8_t bits);
/* The same of rows [begin, end), at most eight, a bit for each. */
void spmmi_marks_rows(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t begin, uint32_t end,
                      const uint32_t *positions);

/* Bit j of byte i becomes bit i of byte j. */
static inline uint64_t spmmi_transposed(uint64_t bits)
{
    uint64_t moved = (bits ^ bits >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    bits ^= moved ^ moved << 7;
    moved = (bits ^ bits >> 14) & UINT64_C(0x0000cccc0000cccc);
    bits ^= moved ^ moved << 14;
    moved = (bits ^ bits >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return bits ^ moved ^ moved << 28;
}

/* Eight marks: that of the first column in the lowest byte. */
static inline uint64_t spmmi_marks_word(const uint8_t *marks)
{
    uint64_t word;
    memcpy(&word, marks, sizeof word); /* hosts are little-endian */
    return word;
}

/* Which of `count` marks are not 0, ascending, and those marks; how many there are. Their memory is of
 * spmmi_marks_bytes(count), the lists have room for one entry more. */
uint32_t spmmi_marks_list(const uint8_t *marks, uint32_t count, uint32_t *positions, uint8_t *found);

#endif
