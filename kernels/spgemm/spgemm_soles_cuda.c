/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_soles.h. */
#include "spgemm_soles.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_longs.h"
#include "spgemm_walk.h"

#include <stdlib.h>

struct making {
    const struct spmmi_spgemm_stage *stage;
    uint32_t *slices; /* for each column, its slice in this row, counted from 1; 0: none */
    int64_t *pieces;  /* for each slice, its piece, NO_PIECE or SEVERAL */
    struct spmmi_spgemm_soles *out;
};

enum { NO_PIECE = -1, SEVERAL = -2 };

/* Numbers the slices of a row in m->slices; with is_on = 0, resets them to 0. Returns the number of
 * slices. */
static uint32_t number_slices(const struct making *m, int64_t row, int is_on)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const int64_t first = s->c.row_ptr[row], end = s->c.row_ptr[row + 1],
                  most = spmmi_spgemm_slice_of(end - first);
    uint32_t count = 0;
    for (int64_t q = first, own; (own = spmmi_spgemm_next_slice(s, &q, end, most)) > 0; q += own) {
        m->pieces[count++] = NO_PIECE;
        for (int64_t e = q; e < q + own; e++)
            m->slices[s->c.col_ind[e]] = is_on ? count : 0;
    }
    return count;
}

/* Records the products of a piece: each slice that has some gets the number of the piece, or SEVERAL if
 * another piece had products of it before. */
static void look_at_piece(const struct making *m, const struct spmmi_spgemm_unit *piece, int64_t number)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    for (int64_t p = piece->first; p < piece->end; p++) {
        const int64_t begin = spmmi_spgemm_walk_start(s, p), end = begin + spmmi_spgemm_count_of(s, p);
        for (int64_t q = begin; q < end; q++) {
            const uint32_t slice = m->slices[s->task.right.col_ind[q]];
            if (slice > 0 && m->pieces[slice - 1] != number)
                m->pieces[slice - 1] = m->pieces[slice - 1] == NO_PIECE ? number : SEVERAL;
        }
    }
}

/* Finds the soles of a row. */
static void look_at_row(const struct making *m, const struct spmmi_spgemm_unit *pieces, int64_t piece_count)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const int64_t row = pieces->row, end = s->c.row_ptr[row + 1],
                  most = spmmi_spgemm_slice_of(end - s->c.row_ptr[row]);
    (void)number_slices(m, row, 1);
    for (int64_t i = 0; i < piece_count; i++)
        look_at_piece(m, &pieces[i], i);
    int64_t slice = 0;
    for (int64_t q = s->c.row_ptr[row], own; (own = spmmi_spgemm_next_slice(s, &q, end, most)) > 0;
         q += own) {
        const int64_t piece = m->pieces[slice++];
        if (piece >= 0)
            m->out->of[m->out->count++] =
                (struct spmmi_spgemm_sole){(uint32_t)q, (uint32_t)pieces[piece].first};
    }
    (void)number_slices(m, row, 0);
}

/* Returns true if the row is searched for soles. A cut row may have a single piece, if its last entry ends
 * it: it is not searched, because nothing is added to its sums, so that -0 stays -0. */
static int is_looked_at(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_cut *cut)
{
    return cut->pieces > 1 && spmmi_spgemm_row_is_long(s, cut->row);
}

/* Counts the slices of the rows that are searched. *most: maximum per row. Returns the total. */
static uint64_t count_slices(const struct spmmi_spgemm_stage *s, uint64_t *most)
{
    uint64_t all = 0;
    *most = 0;
    for (int64_t r = 0; r < s->cut_count; r++) {
        const int64_t row = s->cuts[r].row, entries = s->c.row_ptr[row + 1] - s->c.row_ptr[row];
        if (!is_looked_at(s, &s->cuts[r]))
            continue;
        uint64_t count = 0;
        for (int64_t q = s->c.row_ptr[row], own;
             (own = spmmi_spgemm_next_slice(s, &q, s->c.row_ptr[row + 1], spmmi_spgemm_slice_of(entries))) >
             0;
             q += own)
            count++;
        all += count;
        *most = count > *most ? count : *most;
    }
    return all;
}

spmm_status_t spmmi_spgemm_soles_make(const struct spmmi_spgemm_stage *s, uint64_t bytes_max,
                                      struct spmmi_spgemm_soles *soles, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct making m = {.stage = s, .out = soles};
    const uint64_t columns = (uint64_t)s->task.right.cols;
    uint64_t most;
    const uint64_t all = count_slices(s, &most),
                   bytes = all * sizeof *soles->of + most * sizeof *m.pieces + columns * sizeof *m.slices;
    *soles = (struct spmmi_spgemm_soles){.count = 0};
    if (all == 0 || bytes > bytes_max)
        return SPMM_OK;
    SPMM_TRY_ALLOC(soles->of = spmmi_alloc(all, sizeof *soles->of), diag);
    SPMM_TRY_ALLOC(m.pieces = spmmi_alloc(most, sizeof *m.pieces), diag);
    SPMM_TRY_ALLOC(m.slices = spmmi_alloc_zero(columns, sizeof *m.slices), diag);
    soles->bytes = all * sizeof *soles->of; /* the other arrays are freed below */
    const struct spmmi_spgemm_cut *cut = s->cuts;
    for (int64_t u = 0; u < s->unit_count;) {
        const struct spmmi_spgemm_unit *unit = &s->units[u];
        if (unit->partial >= 0 && is_looked_at(s, cut))
            look_at_row(&m, unit, cut->pieces);
        u += unit->partial >= 0 ? cut++->pieces : 1;
    }
cleanup:
    spmmi_free(m.pieces);
    spmmi_free(m.slices);
    return status;
}

void spmmi_spgemm_soles_free(struct spmmi_spgemm_soles *soles)
{
    spmmi_free(soles->of);
    *soles = (struct spmmi_spgemm_soles){.count = 0};
}

static int compare_begin(const void *c_at, const void *sole)
{
    const int64_t x = *(const int64_t *)c_at, y = ((const struct spmmi_spgemm_sole *)sole)->c_at;
    return (x > y) - (x < y);
}

int64_t spmmi_spgemm_sole_piece(const struct spmmi_spgemm_soles *soles, int64_t c_at)
{
    const struct spmmi_spgemm_sole *const found =
        soles->count > 0 ? bsearch(&c_at, soles->of, soles->count, sizeof *soles->of, compare_begin) : NULL;
    return found != NULL ? (int64_t)found->first : -1;
}
