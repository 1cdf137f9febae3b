/* SPDX-License-Identifier: Apache-2.0 */
/* See triangle.h. Expansion processes rows in ascending order: the entries of row i left of the diagonal are
 * the entries of earlier rows in column i, in the order of these rows. */
#include "triangle.h"

#include <stdatomic.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/each.h"

#define EXPANDED_MAX 16    /* maximum pieces that are expanded in parallel: each visits earlier rows too */
#define STRETCH_LOG2_MIN 5 /* log2 of the minimum rows that a thread checks at a time */

void spmmi_triangle_free(struct spmmi_triangle *t)
{
    spmmi_free(t->row_ptr);
    spmmi_free(t->col_ind);
    spmmi_free(t->values);
    *t = (struct spmmi_triangle){.rows = 0};
}

spmm_status_t spmmi_triangle_check_rows(const struct spmmi_triangle *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < t->rows; i++)
        SPMM_RULE(t->row_ptr[i + 1] - t->row_ptr[i] <= t->rows - i, ROW_PTR, (uint64_t)i,
                  "row %lld of the triangle has %lld entries, at most %lld fit", (long long)i,
                  (long long)(t->row_ptr[i + 1] - t->row_ptr[i]), (long long)(t->rows - i));
    SPMM_RULE(t->row_ptr[t->rows] == t->nnz, ROW_PTR, (uint64_t)t->rows,
              "the rows of the triangle have %lld entries, expected %lld", (long long)t->row_ptr[t->rows],
              (long long)t->nnz);
cleanup:
    return status;
}

static bool is_row_right(const struct spmmi_triangle *t, int64_t i)
{
    int64_t least = i;
    bool is_right = true;
    for (int64_t p = t->row_ptr[i]; p < t->row_ptr[i + 1] && is_right; p++) {
        is_right = t->col_ind[p] >= least && t->col_ind[p] < t->rows;
        least = (int64_t)t->col_ind[p] + 1;
    }
    return is_right;
}

/* The input and the results of the check of rows. */
struct check {
    const struct spmmi_triangle *triangle;
    int32_t *reach;
    _Atomic int64_t *diagonal; /* number of entries on the diagonal in checked rows */
};

static int are_rows_wrong(const void *check, uint64_t index, int thread)
{
    const struct check *const c = check;
    const struct spmmi_triangle *const t = c->triangle;
    const int64_t length = INT64_C(1) << t->stretch_log2, end = spmmi_piece_end(t->rows, length, index);
    int64_t diagonal = 0;
    int32_t reach = -1;
    bool is_right = true;
    (void)thread;
    for (int64_t i = (int64_t)index * length; i < end && is_right; i++) {
        const int64_t first = t->row_ptr[i], last = t->row_ptr[i + 1] - 1;
        is_right = is_row_right(t, i);
        if (last < first)
            continue;
        diagonal += t->col_ind[first] == i;
        reach = t->col_ind[last] > reach ? t->col_ind[last] : reach;
    }
    c->reach[index] = reach;
    (void)atomic_fetch_add(c->diagonal, diagonal);
    return !is_right;
}

spmm_status_t spmmi_triangle_check(int threads, struct spmmi_triangle *t, int64_t nnz, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    _Atomic int64_t diagonal_count = 0;
    const struct check check = {t, t->reach, &diagonal_count};
    t->stretch_log2 = STRETCH_LOG2_MIN;
    while (t->rows > (int64_t)SPMMI_TRIANGLE_STRETCHES << t->stretch_log2)
        t->stretch_log2++;
    const int64_t length = INT64_C(1) << t->stretch_log2;
    const uint64_t wrong = spmmi_first_wrong(spmmi_pieces(t->rows, length), threads, are_rows_wrong, &check);
    for (int64_t i = (int64_t)wrong * length; i < t->rows; i++)
        SPMM_RULE(is_row_right(t, i), COL_IND, (uint64_t)i,
                  "the columns of row %lld of the triangle are not ascending in %lld to %lld", (long long)i,
                  (long long)i, (long long)t->rows - 1);
    const int64_t diagonal = diagonal_count;
    SPMM_RULE(2 * t->nnz - diagonal == nnz, COL_IND, 0,
              "a triangle of %lld entries, %lld of them on the diagonal, does not make %lld nonzeros",
              (long long)t->nnz, (long long)diagonal, (long long)nnz);
cleanup:
    return status;
}

/* ---- From a file ---- */

/* Each thread builds the rows of one piece. It visits the rows of the piece and all earlier rows with entries
 * in the columns of the piece. */
struct expansion {
    const struct spmmi_triangle *triangle;
    spmm_plan_t *plan;
    int64_t length; /* rows of a piece */
    uint32_t bytes; /* bytes of a value; 0: values are not mirrored */
    uint8_t sign;   /* the bit of the highest byte that is flipped in mirrored values */
};

/* Returns the index of the first entry of row i whose column is at least `column`, or the end of the row. */
static int64_t first_from(const struct spmmi_triangle *t, int64_t i, int64_t column)
{
    int64_t low = t->row_ptr[i], high = t->row_ptr[i + 1];
    if (low < high && t->col_ind[high - 1] < column)
        return high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (t->col_ind[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the first row from i on that may have entries in columns from `begin` on, or `begin` if no earlier
 * row has. Skips stretches that do not reach this column. */
static int64_t next_row(const struct spmmi_triangle *t, int64_t i, int64_t begin)
{
    if (i >= begin)
        return i;
    while (i < begin && t->reach[i >> t->stretch_log2] < begin)
        i = ((i >> t->stretch_log2) + 1) << t->stretch_log2;
    return i < begin ? i : begin;
}

/* Counts the entries of the rows of a piece. Stores the length of row i in row_ptr[i + 1]. */
static void count_piece(void *context, uint64_t index, int thread)
{
    const struct expansion *const e = context;
    const struct spmmi_triangle *const t = e->triangle;
    const int64_t begin = (int64_t)index * e->length, end = spmmi_piece_end(t->rows, e->length, index);
    int64_t *const lengths = e->plan->row_ptr + 1;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        lengths[i] = t->row_ptr[i + 1] - t->row_ptr[i];
    for (int64_t i = next_row(t, 0, begin); i < end; i = next_row(t, i + 1, begin))
        for (int64_t p = first_from(t, i, i < begin ? begin : i + 1);
             p < t->row_ptr[i + 1] && t->col_ind[p] < end; p++)
            lengths[t->col_ind[p]]++;
}

/* Replaces the length of row i in row_ptr[i + 1] by the begin of row i.
 * place_piece advances it to the end of the row. */
static void sum_lengths(int64_t rows, int64_t *row_ptr)
{
    int64_t begin = 0;
    row_ptr[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = row_ptr[i + 1];
        row_ptr[i + 1] = begin;
        begin += length;
    }
}

/* Copies the entries of rows [begin, piece_end) and their mirror images to the plan. Inlined with a constant
 * `bytes`, so that each copy is a load and a store. */
static inline void place_entries(const struct expansion *e, int64_t begin, int64_t piece_end, uint32_t bytes)
{
    const struct spmmi_triangle *const t = e->triangle;
    int64_t *const end = e->plan->row_ptr + 1;
    uint8_t *const values = e->plan->values;
    const uint8_t *const from = t->values;
    for (int64_t i = next_row(t, 0, begin); i < piece_end; i = next_row(t, i + 1, begin)) {
        const bool is_own = i >= begin;
        for (int64_t p = is_own ? t->row_ptr[i] : first_from(t, i, begin); p < t->row_ptr[i + 1]; p++) {
            const int32_t j = t->col_ind[p];
            if (is_own) {
                const int64_t own = end[i]++;
                e->plan->col_ind[own] = j;
                if (bytes > 0)
                    memcpy(values + (uint64_t)own * bytes, from + (uint64_t)p * bytes, bytes);
            } else if (j >= piece_end) {
                break;
            }
            if (j == i || j >= piece_end)
                continue;
            const int64_t mirrored = end[j]++;
            e->plan->col_ind[mirrored] = (int32_t)i;
            if (bytes == 0)
                continue;
            uint8_t *const to = values + (uint64_t)mirrored * bytes;
            memcpy(to, from + (uint64_t)p * bytes, bytes);
            to[bytes - 1] ^= e->sign;
        }
    }
}

static void place_piece(void *context, uint64_t index, int thread)
{
    const struct expansion *const e = context;
    const int64_t begin = (int64_t)index * e->length,
                  end = spmmi_piece_end(e->triangle->rows, e->length, index);
    (void)thread;
    switch (e->bytes) {
    case 0:
        place_entries(e, begin, end, 0);
        break;
    case 2:
        place_entries(e, begin, end, 2);
        break;
    case 4:
        place_entries(e, begin, end, 4);
        break;
    default:
        place_entries(e, begin, end, 8);
        break;
    }
}

spmm_status_t spmmi_triangle_expand(int threads, const struct spmmi_triangle *t, spmm_plan_t *plan,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct expansion e = {.triangle = t,
                          .plan = plan,
                          .length = t->rows / (threads < EXPANDED_MAX ? threads : EXPANDED_MAX) + 1,
                          .bytes = t->values != NULL ? t->value_bytes : 0,
                          .sign = t->is_skew ? 0x80 : 0};
    plan->row_ptr = spmmi_alloc((uint64_t)plan->rows + 1, sizeof *plan->row_ptr);
    SPMM_TRY_ALLOC(plan->row_ptr, diag);
    plan->col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *plan->col_ind);
    SPMM_TRY_ALLOC(plan->col_ind, diag);
    if (e.bytes > 0) {
        plan->values = spmmi_alloc((uint64_t)plan->nnz, e.bytes);
        SPMM_TRY_ALLOC(plan->values, diag);
    }
    spmmi_each(spmmi_pieces(t->rows, e.length), threads, count_piece, &e);
    sum_lengths(t->rows, plan->row_ptr);
    spmmi_each(spmmi_pieces(t->rows, e.length), threads, place_piece, &e);
cleanup:
    return status;
}
