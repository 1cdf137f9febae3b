/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_pieces_pack.h. */
#include "rows_pieces_pack.h"

#include <stdatomic.h>
#include <string.h>

#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

#define ROWS_OF_TURN 1024 /* rows per loop iteration of a thread: rows may be very uneven */

static int32_t panel_of(const spmm_plan_t *plan, int64_t nonzero)
{
    return plan->col_ind[nonzero] / SPMMI_ROWS_PANEL_COLUMNS;
}

/* Returns the end of the piece that begins at a nonzero of a row. A piece ends with a panel, but at least
 * SPMMI_ROWS_PIECE_NONZEROS after its begin and before the end of the row; else it ends with the row. */
static int64_t piece_end(const spmm_plan_t *plan, int64_t begin, int64_t row_end)
{
    int64_t end = begin + SPMMI_ROWS_PIECE_NONZEROS;
    while (end < row_end && panel_of(plan, end) == panel_of(plan, end - 1))
        end++;
    return end + SPMMI_ROWS_PIECE_NONZEROS <= row_end ? end : row_end;
}

/* Returns the panel by which a piece is ordered: the panel of its middle nonzero. */
static int32_t piece_panel(const spmm_plan_t *plan, int64_t begin, int64_t end)
{
    return panel_of(plan, begin + (end - begin) / 2);
}

/* The counts that decide whether pieces pay. */
struct census {
    struct spmmi_rows_pieces_size size;
    int64_t in_cut; /* nonzeros of rows that were cut */
};

static void census_add(struct census *all, const struct census *more)
{
    all->size.pieces += more->size.pieces;
    all->size.cut += more->size.cut;
    all->size.cut_rows += more->size.cut_rows;
    all->in_cut += more->in_cut;
}
#pragma omp declare reduction(census_add      \
                              : struct census \
                              : census_add(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

/* Counts the pieces of a row. Returns the number of nonzeros that are not in the panel of their piece. */
static int64_t count_row(const spmm_plan_t *plan, int64_t row, struct census *c)
{
    const int64_t row_begin = plan->row_ptr[row], row_end = plan->row_ptr[row + 1];
    uint32_t pieces = 0;
    int64_t outside = 0;
    for (int64_t p = row_begin, end; p < row_end; p = end, pieces++) {
        end = piece_end(plan, p, row_end);
        const int32_t panel = piece_panel(plan, p, end);
        for (int64_t q = p; q < end; q++)
            outside += panel_of(plan, q) != panel;
    }
    c->size.pieces += pieces;
    if (pieces > 1) {
        c->size.cut += pieces;
        c->size.cut_rows++;
        c->in_cut += row_end - row_begin;
    }
    return outside;
}

static int64_t count_turn(const spmm_plan_t *plan, int64_t first, struct census *c)
{
    const int64_t end = plan->rows - first < ROWS_OF_TURN ? plan->rows : first + ROWS_OF_TURN;
    int64_t outside = 0;
    for (int64_t row = first; row < end; row++)
        outside += count_row(plan, row, c);
    return outside;
}

int spmmi_rows_pieces_pay(const spmm_plan_t *plan, uint64_t l2_bytes, struct spmmi_rows_pieces_size *size)
{
    const int threads = spmmi_pack_threads((uint64_t)plan->nnz * sizeof *plan->col_ind);
    const int64_t outside_max = plan->nnz - plan->nnz / 8 * 7;
    _Atomic int64_t outside = 0; /* once it exceeds outside_max, counting stops */
    struct census c = {{0, 0, 0}, 0};
    *size = c.size;
    if (!spmmi_rows_pieces_exceed((uint64_t)(plan->cols - plan->stats.cols_empty), SPMMI_ROWS_TILE_BYTES,
                                  l2_bytes))
        return 0;
#pragma omp parallel for schedule(dynamic) num_threads(spmmi_team(threads)) reduction(census_add : c)
    for (int64_t first = 0; first < plan->rows; first += ROWS_OF_TURN)
        if (atomic_load(&outside) <= outside_max)
            (void)atomic_fetch_add(&outside, count_turn(plan, first, &c));
    *size = c.size;
    return outside <= outside_max && c.in_cut >= plan->nnz / 4;
}

/* Sets next[i] to the number of pieces in panels before panel i. */
static void count_panels(const spmm_plan_t *plan, uint32_t *next, int32_t panels)
{
    memset(next, 0, ((size_t)panels + 1) * sizeof *next);
    for (int64_t row = 0; row < plan->rows; row++) {
        const int64_t row_end = plan->row_ptr[row + 1];
        for (int64_t p = plan->row_ptr[row], end; p < row_end; p = end) {
            end = piece_end(plan, p, row_end);
            next[piece_panel(plan, p, end) + 1]++;
        }
    }
    for (int32_t i = 0; i < panels; i++)
        next[i + 1] += next[i];
}

/* Sets the order of pieces: for piece i, begin[i] is its first nonzero in A, host->row_ptr[i + 1] its length
 * and host->target[i] its target. */
static void place_pieces(const spmm_plan_t *plan, uint32_t *next, uint32_t *begin,
                         struct spmmi_rows_pieces_host *host)
{
    uint32_t cut = 0, cut_rows = 0;
    for (int64_t row = 0; row < plan->rows; row++) {
        const int64_t row_begin = plan->row_ptr[row], row_end = plan->row_ptr[row + 1];
        const uint32_t first = cut;
        for (int64_t p = row_begin, end; p < row_end; p = end) {
            end = piece_end(plan, p, row_end);
            const uint32_t at = next[piece_panel(plan, p, end)]++;
            const int is_cut = end - p < row_end - row_begin;
            begin[at] = (uint32_t)p;
            host->row_ptr[at + 1] = end - p;
            host->target[at] = (uint32_t)(is_cut ? plan->rows + cut++ : row);
        }
        if (cut > first) {
            host->row[cut_rows] = (uint32_t)row;
            host->first[cut_rows++] = first;
        }
    }
    host->first[cut_rows] = cut;
}

static void fill_nonzeros(const spmm_plan_t *plan, const uint32_t *begin, struct spmmi_rows_pieces_host *host)
{
    host->row_ptr[0] = 0;
    for (uint32_t i = 0; i < host->size.pieces; i++) {
        host->row_ptr[i + 1] += host->row_ptr[i];
        for (int64_t q = host->row_ptr[i]; q < host->row_ptr[i + 1]; q++) {
            host->map[q] = begin[i] + (uint32_t)(q - host->row_ptr[i]);
            host->col_ind[q] = plan->col_ind[host->map[q]];
        }
    }
    host->target[host->size.pieces] = 0; /* kernels read it ahead and do not use it */
}

spmm_status_t spmmi_rows_pieces_build(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size,
                                      struct spmmi_rows_pieces_host *host, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int32_t panels = (int32_t)((plan->cols - 1) / SPMMI_ROWS_PANEL_COLUMNS) + 1;
    uint32_t *next = NULL, *begin = NULL;
    memset(host, 0, sizeof *host);
    host->size = *size;
    SPMM_TRY_ALLOC(next = spmmi_alloc((uint64_t)panels + 1, sizeof *next), diag);
    SPMM_TRY_ALLOC(begin = spmmi_alloc(size->pieces, sizeof *begin), diag);
    SPMM_TRY_ALLOC(host->row_ptr = spmmi_alloc((uint64_t)size->pieces + 1, sizeof *host->row_ptr), diag);
    SPMM_TRY_ALLOC(host->col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *host->col_ind), diag);
    SPMM_TRY_ALLOC(host->map = spmmi_alloc((uint64_t)plan->nnz, sizeof *host->map), diag);
    SPMM_TRY_ALLOC(host->target = spmmi_alloc((uint64_t)size->pieces + 1, sizeof *host->target), diag);
    SPMM_TRY_ALLOC(host->first = spmmi_alloc((uint64_t)size->cut_rows + 1, sizeof *host->first), diag);
    SPMM_TRY_ALLOC(host->row = spmmi_alloc((uint64_t)size->cut_rows, sizeof *host->row), diag);
    count_panels(plan, next, panels);
    place_pieces(plan, next, begin, host);
    fill_nonzeros(plan, begin, host);
cleanup:
    spmmi_free(next);
    spmmi_free(begin);
    if (status != SPMM_OK)
        spmmi_rows_pieces_host_free(host);
    return status;
}

void spmmi_rows_pieces_host_free(struct spmmi_rows_pieces_host *host)
{
    spmmi_free(host->row_ptr);
    spmmi_free(host->col_ind);
    spmmi_free(host->map);
    spmmi_free(host->target);
    spmmi_free(host->first);
    spmmi_free(host->row);
    memset(host, 0, sizeof *host);
}

/* Counts the bytes of all arrays of the object and of the temporary arrays of spmmi_rows_pieces_build. */
uint64_t spmmi_rows_pieces_host_bytes(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size)
{
    const struct spmmi_rows_pieces_host *const h = NULL;
    const uint64_t panels = (uint64_t)(plan->cols - 1) / SPMMI_ROWS_PANEL_COLUMNS + 1, begin = size->pieces;
    return (uint64_t)plan->nnz * (sizeof *h->col_ind + sizeof *h->map) +
           ((uint64_t)size->pieces + 1) * (sizeof *h->row_ptr + sizeof *h->target) +
           ((uint64_t)size->cut_rows + 1) * (sizeof *h->first + sizeof *h->row) +
           (panels + 1 + begin) * sizeof(uint32_t);
}
