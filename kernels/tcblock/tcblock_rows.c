/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_rows.h. */
#include "tcblock_rows.h"

/* Returns true if two rows have the same columns. Only lists with equal first and last columns are compared:
 * these are frequent in matrices of blocks and rare in others. */
static int is_alike(const int32_t *a, const int32_t *b, int64_t length)
{
    return length > 0 && a[0] == b[0] && a[length - 1] == b[length - 1] &&
           memcmp(a, b, (size_t)length * sizeof *a) == 0;
}

void spmmi_tcblock_rows_look(const int64_t *row_ptr, const int32_t *col_ind, const uint32_t *rows,
                             uint32_t count, struct spmmi_tcblock_rows *look)
{
    int64_t before = 0, length_before = 0;
    look->row_ptr = row_ptr;
    look->col_ind = col_ind;
    look->rows = rows;
    look->count = count;
    look->nonzeros = 0;
    look->low = UINT32_MAX;
    look->high = 0;
    for (uint32_t r = 0; r < count; r++) {
        const int64_t begin = row_ptr[rows[r]], length = row_ptr[rows[r] + 1] - begin;
        look->is_alike[r] =
            length == length_before && (uint8_t)is_alike(col_ind + begin, col_ind + before, length);
        if (length > 0 && !look->is_alike[r]) {
            const uint32_t first = (uint32_t)col_ind[begin], last = (uint32_t)col_ind[begin + length - 1];
            look->low = first < look->low ? first : look->low;
            look->high = last > look->high ? last : look->high;
        }
        look->nonzeros += (uint64_t)length;
        before = begin;
        length_before = length;
    }
}

/* Uses local copies, because a write to marks (uint8_t) may alias everything that is not local. */
void spmmi_marks_row(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t r,
                     const uint32_t *positions, uint8_t bits)
{
    const int64_t begin = look->row_ptr[look->rows[r]], length = look->row_ptr[look->rows[r] + 1] - begin;
    const int32_t *const columns = look->col_ind + begin;
    const uint32_t low = look->low;
    if (positions == NULL)
        for (int64_t q = 0; q < length; q++)
            marks[(uint32_t)columns[q] - low] |= bits;
    else
        for (int64_t q = 0; q < length; q++)
            marks[positions[(uint32_t)columns[q] - low]] |= bits;
}

void spmmi_marks_rows(uint8_t *marks, const struct spmmi_tcblock_rows *look, uint32_t begin, uint32_t end,
                      const uint32_t *positions)
{
    for (uint32_t r = begin, next; r < end; r = next) { /* equal rows are marked together */
        next = spmmi_tcblock_rows_end(look, r, end);
        spmmi_marks_row(marks, look, r, positions, (uint8_t)((1u << (next - begin)) - (1u << (r - begin))));
    }
}

/* Appends the nonzero marks of a word to the lists. Returns the new length. */
static uint32_t word_list(uint64_t word, uint32_t first, uint32_t listed, uint32_t *positions, uint8_t *found)
{
    while (word != 0) {
        const uint32_t i = (uint32_t)__builtin_ctzll(word) / 8;
        positions[listed] = first + i;
        found[listed++] = (uint8_t)(word >> 8 * i);
        word &= ~(UINT64_C(0xff) << 8 * i);
    }
    return listed;
}

uint32_t spmmi_marks_list(const uint8_t *marks, uint32_t count, uint32_t *positions, uint8_t *found)
{
    uint32_t listed = 0;
    for (uint32_t first = 0; first < count; first += SPMMI_MARKS_ALIGN) {
        const uint64_t a = spmmi_marks_word(marks + first), b = spmmi_marks_word(marks + first + 8),
                       c = spmmi_marks_word(marks + first + 16), d = spmmi_marks_word(marks + first + 24);
        if ((a | b | c | d) == 0)
            continue;
        listed = word_list(a, first, listed, positions, found);
        listed = word_list(b, first + 8, listed, positions, found);
        listed = word_list(c, first + 16, listed, positions, found);
        listed = word_list(d, first + 24, listed, positions, found);
    }
    return listed;
}
