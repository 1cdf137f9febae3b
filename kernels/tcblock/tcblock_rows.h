/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a unit of the window, panel and bcsr families in CSR, and the search
 * for their columns by marks. */
#ifndef SPMMI_TCBLOCK_ROWS_H
#define SPMMI_TCBLOCK_ROWS_H

#include <stdint.h>
#include <string.h>

#define SPMMI_UNIT_ROWS_MAX 256u /* maximum number of rows per unit */
#define SPMMI_MARKS_ALIGN 32u    /* bytes of marks that are cleared and read at a time */

struct spmmi_tcblock_rows {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const uint32_t *rows; /* count row numbers */
    uint32_t count;
    uint64_t nonzeros;
    uint32_t low, high;                    /* first and last column of these rows; high < low: no nonzeros */
    uint8_t is_alike[SPMMI_UNIT_ROWS_MAX]; /* the row has the same columns as the row before it */
};

/* Sets *look for `count` rows. Time: linear in the rows; rows that may be alike also take time
 * linear in their nonzeros. */
void spmmi_tcblock_rows_look(const int64_t *row_ptr, const int32_t *col_ind, const uint32_t *rows,
                             uint32_t count, struct spmmi_tcblock_rows *look);

/* Returns the first row, at most `end`, after the rows that are like row r. */
static inline uint32_t spmmi_tcblock_rows_end(const struct spmmi_tcblock_rows *look, uint32_t r, uint32_t end)
{
    do
        r++;
    while (r < end && look->is_alike[r]);
    return r;
}

/* Maximum number of marked columns: an estimate of what stays in the L2 cache of a core. */
#define SPMMI_MARKED_MAX (UINT32_C(1) << 18)
/* Maximum number of marked columns per nonzero, for windows and row blocks. ns per nonzero on an EPYC (Zen 5,
 * 2026-11-26), by marks and by the merge, with 16 random columns per row: windows with 8 columns per nonzero
 * 6.0, 7.9; with 64 13.9, 8.3, but meshes 3.5, 5.5; row blocks with 8 11.9, 11.5; with 64 21.2, 11.2. Row
 * blocks of meshes have 8 or fewer (docs/decisions/0110). */
#define SPMMI_MARKED_WINDOW 64u
#define SPMMI_MARKED_ROW_BLOCK 8u

/* Returns the number of marked columns for units of at most `nonzeros` nonzeros, at
 * most a_nonzero per nonzero. */
static inline uint32_t spmmi_marked_max(uint64_t nonzeros, uint32_t cols, uint32_t a_nonzero)
{
    const uint32_t most = cols < SPMMI_MARKED_MAX ? cols : SPMMI_MARKED_MAX;
    return nonzeros < most / a_nonzero ? (uint32_t)nonzeros * a_nonzero : most;
}

/* Returns true if a unit with marks for marked_max columns marks the columns of these
 * rows. They must have nonzeros. */
static inline int spmmi_rows_are_marked(const struct spmmi_tcblock_rows *look, uint32_t marked_max,
                                        uint32_t a_nonzero)
{
    const uint64_t range = (uint64_t)look->high - look->low + 1;
    return range <= marked_max && range <= look->nonzeros * a_nonzero;
}

/* Returns the bytes of marks for this number of columns. */
static inline uint64_t spmmi_marks_bytes(uint64_t columns)
{
    return (columns + SPMMI_MARKS_ALIGN - 1) / SPMMI_MARKS_ALIGN * SPMMI_MARKS_ALIGN;
}

/* Sets `bits` in the mark of each column of row r. The mark of column j is at j - look->low; with positions,
 * at positions[j - look->low]. */
void spmmi_marks_row(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t r,
                     const uint32_t *positions, uint8_t bits);
/* Sets the marks of rows [begin, end), at most eight, with one bit per row. */
void spmmi_marks_rows(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t begin, uint32_t end,
                      const uint32_t *positions);

/* Transposes 8 x 8 bits: bit j of byte i becomes bit i of byte j. */
static inline uint64_t spmmi_transposed(uint64_t bits)
{
    uint64_t moved = (bits ^ bits >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    bits ^= moved ^ moved << 7;
    moved = (bits ^ bits >> 14) & UINT64_C(0x0000cccc0000cccc);
    bits ^= moved ^ moved << 14;
    moved = (bits ^ bits >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return bits ^ moved ^ moved << 28;
}

/* Returns eight marks, with the mark of the first column in the lowest byte. */
static inline uint64_t spmmi_marks_word(const uint8_t *marks)
{
    uint64_t word;
    memcpy(&word, marks, sizeof word); /* hosts are little-endian */
    return word;
}

/* Lists the positions of the nonzero marks among `count`, ascending, and their values in `found`.
 * Returns how many there are. marks has spmmi_marks_bytes(count) bytes; each list holds at least one
 * entry more than is found. */
uint32_t spmmi_marks_list(const uint8_t *marks, uint32_t count, uint32_t *positions, uint8_t *found);

#endif
