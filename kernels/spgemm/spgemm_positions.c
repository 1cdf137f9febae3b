/* SPDX-License-Identifier: Apache-2.0 */
/* Derives positions: for each product of a row of C, in the order in which products are added, the position
 * of its sum in that row; or masks, which carry the same information (spgemm_masks.h).
 *
 * In matrices of stencils and meshes, thousands of rows have equal streams. Each distinct stream is kept
 * once: a table of recent streams finds the equal ones. All threads together derive a turn of rows, whose
 * streams are then kept one after the other, so the result does not depend on the number of threads. */
#include <omp.h>
#include <string.h>

#include "executor/spgemm/spgemm_stage.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/team.h"
#include "spgemm_masks.h"

#define TURN_BYTES (UINT64_C(4) << 20)
#define TURN_ROWS 65536
#define TABLE_SLOTS (1u << 16)
#define STREAM_ALIGN 4u

struct seen {
    uint64_t hash, at, bytes;
};

/* The stream of one row of a turn. */
struct stream {
    /* at: byte offset in the buffer of the turn; bytes: upper bound until the stream is derived */
    uint64_t at, bytes, hash;
    struct spgemm_form form;
    int repeats; /* the stream is the one of the preceding row */
};

struct derivation {
    struct spmmi_spgemm_stage *stage;
    int threads, has_masks;
    struct spgemm_panel *panels; /* panel_count of them for each thread */
    int64_t panel_count;
    int32_t *place; /* threads * columns of C: position of each column in the row that a thread derives */
    uint8_t *turn;  /* buffer for the streams of a turn */
    uint64_t turn_room;
    struct stream *streams;
    struct seen *table;
    uint64_t used, room, bytes_max; /* bytes of stage->positions: written, allocated, allowed */
    spmm_diag_t *diag;
};

static uint32_t width_of(const struct spmmi_spgemm_stage *s, int64_t i)
{
    return spmmi_spgemm_width(s->c.row_ptr[i + 1] - s->c.row_ptr[i]);
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + STREAM_ALIGN - 1) / STREAM_ALIGN * STREAM_ALIGN;
}

/* Returns an upper bound of the bytes of the stream of row i. *form is set to the masks that the row may
 * have. */
static uint64_t stream_room(const struct spmmi_spgemm_stage *s, int64_t i, int has_masks, int threads,
                            struct spgemm_form *form)
{
    const uint64_t products = (uint64_t)spmmi_spgemm_products_of(s, i),
                   positions = aligned(products * width_of(s, i));
    *form = (struct spgemm_form){0};
    if (has_masks)
        *form = spmmi_spgemm_form(s, i, products, threads);
    return aligned(form->room) > positions ? aligned(form->room) : positions;
}

/* Writes the positions of `count` columns, in integers of one width. */
#define PUT(type)                       \
    for (int64_t j = 0; j < count; j++) \
    ((type *)(void *)at)[j] = (type)place[columns[j]]

static void put(const int32_t *columns, int64_t count, const int32_t *place, uint32_t width, uint8_t *at)
{
    if (width == 1)
        PUT(uint8_t);
    else if (width == 2)
        PUT(uint16_t);
    else
        PUT(uint32_t);
}
#undef PUT

/* Writes the positions of row i to out and returns their bytes. */
static uint64_t derive_positions(const struct spmmi_spgemm_stage *s, int64_t i, const int32_t *place,
                                 uint8_t *out)
{
    const uint32_t width = width_of(s, i);
    uint8_t *at = out;
    for (int64_t p = s->task.left.row_ptr[i]; p < s->task.left.row_ptr[i + 1]; p++) {
        const int32_t *columns = s->task.right.col_ind + s->task.right.row_ptr[s->task.left.col_ind[p]];
        const int64_t count = spmmi_spgemm_count_of(s, p);
        put(columns, count, place, width, at);
        at += (uint64_t)count * width;
    }
    return (uint64_t)(at - out);
}

/* Derives the stream of row i into the buffer of the turn: masks if the row may have them and they pay, else
 * positions. */
static void derive_row(const struct derivation *d, int64_t i, int thread, struct stream *stream)
{
    const struct spmmi_spgemm_stage *s = d->stage;
    int32_t *const place = d->place + thread * s->task.right.cols;
    uint8_t *const out = d->turn + stream->at;
    uint64_t bytes = 0;
    for (int64_t q = s->c.row_ptr[i]; q < s->c.row_ptr[i + 1]; q++)
        place[s->c.col_ind[q]] = (int32_t)(q - s->c.row_ptr[i]);
    if (stream->form.masks != 0)
        bytes = spmmi_spgemm_masks_derive(s, i, stream->form.masks, stream->bytes, place,
                                          d->panels + thread * d->panel_count, out);
    if (bytes == 0) {
        stream->form.masks = 0;
        bytes = derive_positions(s, i, place, out);
    }
    stream->bytes = aligned(bytes);
    memset(out + bytes, 0, stream->bytes - bytes);
    stream->hash = spmmi_hash64(out, stream->bytes);
}

/* Makes room for `more` bytes in stage->positions. *fits is set to 0 if that would exceed bytes_max. */
static spmm_status_t make_room(struct derivation *d, uint64_t more, int *fits)
{
    spmm_status_t status = SPMM_OK;
    *fits = more <= d->bytes_max && d->used <= d->bytes_max - more;
    if (!*fits || d->used + more <= d->room)
        return SPMM_OK;
    const uint64_t twice = 2 * d->room, wanted = twice > d->used + more ? twice : d->used + more;
    const uint64_t room = wanted < d->bytes_max ? wanted : d->bytes_max;
    uint8_t *larger = spmmi_alloc(room, 1);
    SPMM_TRY_ALLOC(larger, d->diag);
    memcpy(larger, d->stage->positions, d->used);
    spmmi_free(d->stage->positions);
    d->stage->positions = larger;
    d->room = room;
cleanup:
    return status;
}

/* Finds where a stream is kept: it shares an equal stream of the table, or is appended. */
static spmm_status_t keep(struct derivation *d, const struct stream *stream, uint64_t *at, int *fits)
{
    spmm_status_t status = SPMM_OK;
    struct seen *seen = &d->table[stream->hash % TABLE_SLOTS];
    const uint8_t *bytes = d->turn + stream->at;
    *at = seen->at;
    if (seen->hash == stream->hash && seen->bytes == stream->bytes &&
        memcmp(d->stage->positions + seen->at, bytes, stream->bytes) == 0)
        return SPMM_OK;
    SPMM_TRY(make_room(d, stream->bytes, fits));
    if (!*fits)
        return SPMM_OK;
    memcpy(d->stage->positions + d->used, bytes, stream->bytes);
    *at = d->used;
    *seen = (struct seen){stream->hash, d->used, stream->bytes};
    d->used += stream->bytes;
cleanup:
    return status;
}

/* Returns true if row i has the stream of row i - 1, because the left factor has the same columns in both. */
static int repeats(const struct spmmi_spgemm_stage *s, int64_t i)
{
    return !s->task.is_lower && spmmi_csr_row_repeats(&s->task.left, i);
}

/* Chooses the rows [first, *end) of a turn: as many as the buffer can hold, but at least one. */
static spmm_status_t plan_turn(struct derivation *d, int64_t first, int64_t *end)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = d->stage->task.left.rows;
    uint64_t bytes = 0;
    int64_t i = first;
    for (; i < rows && i - first < TURN_ROWS; i++) {
        struct stream *const stream = &d->streams[i - first];
        *stream = (struct stream){.at = bytes, .repeats = i > first && repeats(d->stage, i)};
        if (stream->repeats)
            continue;
        const uint64_t more = stream_room(d->stage, i, d->has_masks, d->threads, &stream->form);
        if (i > first && bytes + more > TURN_BYTES)
            break;
        stream->bytes = more;
        bytes += more;
    }
    *end = i;
    if (bytes > d->turn_room || d->turn == NULL) {
        spmmi_free(d->turn);
        d->turn_room = bytes > TURN_BYTES ? bytes : TURN_BYTES;
        SPMM_TRY_ALLOC(d->turn = spmmi_alloc(d->turn_room, 1), d->diag);
    }
cleanup:
    return status;
}

static void derive_turn(struct derivation *d, int64_t first, int64_t end)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads(spmmi_team(d->threads))
    for (int64_t i = first; i < end; i++)
        if (!d->streams[i - first].repeats)
            derive_row(d, i, omp_get_thread_num(), &d->streams[i - first]);
}

static spmm_status_t keep_row(struct derivation *d, int64_t i, const struct stream *stream, int *fits)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_stage *s = d->stage;
    if (stream->repeats)
        s->position_at[i] = s->position_at[i - 1];
    else
        SPMM_TRY(keep(d, stream, &s->position_at[i], fits));
    if (d->has_masks)
        s->forms[i] = stream->repeats ? s->forms[i - 1] : spmmi_spgemm_form_taken(&stream->form);
cleanup:
    return status;
}

static spmm_status_t derive(struct derivation *d, int *fits)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = d->stage->task.left.rows;
    for (int64_t first = 0, end = 0; first < rows && *fits; first = end) {
        SPMM_TRY(plan_turn(d, first, &end));
        derive_turn(d, first, end);
        for (int64_t i = first; i < end && *fits; i++)
            SPMM_TRY(keep_row(d, i, &d->streams[i - first], fits));
    }
cleanup:
    return status;
}

/* Sets where the positions of each piece begin inside the stream of its row, and the elements that the sums
 * of a row need at most. A row of form SPGEMM_WHOLE also needs totals, which follow its sums. */
static void place_pieces(struct spmmi_spgemm_stage *s)
{
    for (int64_t u = 0; u < s->unit_count; u++) {
        struct spmmi_spgemm_unit *unit = &s->units[u];
        if (unit->partial < 0)
            continue;
        const int is_next = u > 0 && s->units[u - 1].partial >= 0 && s->units[u - 1].row == unit->row;
        unit->position = s->position_at[unit->row];
        if (!is_next)
            continue;
        const struct spmmi_spgemm_unit *before = &s->units[u - 1];
        unit->position = before->position;
        for (int64_t p = before->first; p < unit->first; p++)
            unit->position += (uint64_t)spmmi_spgemm_count_of(s, p) * width_of(s, unit->row);
    }
    s->sums = 0;
    for (int64_t i = 0; i < s->task.left.rows; i++) {
        const int64_t totals = s->forms != NULL && s->forms[i] == SPGEMM_WHOLE,
                      sums = (s->c.row_ptr[i + 1] - s->c.row_ptr[i]) * (1 + totals);
        s->sums = sums > s->sums ? sums : s->sums;
    }
    s->long_sums = s->long_sums > 0 ? SPMMI_SPGEMM_LONG_ARRAYS * s->sums : 0;
}

static void drop(struct spmmi_spgemm_stage *s)
{
    spmmi_free(s->positions);
    spmmi_free(s->position_at);
    spmmi_free(s->forms);
    s->forms = NULL;
    s->positions = NULL;
    s->position_at = NULL;
}

/* Frees unused memory by copying the positions to a smaller block. If that cannot be allocated, the larger
 * block stays. */
static void shrink(struct derivation *d)
{
    uint8_t *smaller = d->room > d->used + d->used / 8 ? spmmi_alloc(d->used, 1) : NULL;
    if (smaller == NULL)
        return;
    memcpy(smaller, d->stage->positions, d->used);
    spmmi_free(d->stage->positions);
    d->stage->positions = smaller;
    d->room = d->used;
}

/* Returns the number of panels that each thread needs. */
static int64_t panel_count(const struct spmmi_spgemm_stage *s)
{
    return spmmi_spgemm_longest_row(s->c.rows, s->c.row_ptr) / SPGEMM_PANEL + 1;
}

uint64_t spmmi_spgemm_positions_scratch(const struct spmmi_spgemm_stage *s, int has_masks, int threads)
{
    uint64_t turn = TURN_BYTES;
    for (int64_t i = 0; i < s->task.left.rows; i++) {
        struct spgemm_form form;
        const uint64_t bytes = stream_room(s, i, has_masks, threads, &form);
        turn = bytes > turn ? bytes : turn;
    }
    const uint64_t panels = has_masks ? (uint64_t)threads * (uint64_t)panel_count(s) : 0;
    return spmmi_alloc_bytes(turn, 1) + spmmi_alloc_bytes(panels, sizeof(struct spgemm_panel)) +
           spmmi_alloc_bytes((uint64_t)threads * (uint64_t)s->task.right.cols, sizeof(int32_t)) +
           spmmi_alloc_bytes(TURN_ROWS, sizeof(struct stream)) +
           spmmi_alloc_bytes(TABLE_SLOTS, sizeof(struct seen));
}

spmm_status_t spmmi_spgemm_positions(struct spmmi_spgemm_stage *s, int has_masks, int threads,
                                     uint64_t bytes_max, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)s->task.left.rows, cols = (uint64_t)s->task.right.cols;
    const uint64_t fixed =
        rows * (sizeof *s->position_at + (has_masks ? sizeof *s->forms + sizeof *s->alike : 0));
    struct derivation d = {
        .stage = s, .has_masks = has_masks, .threads = threads, .bytes_max = bytes_max - fixed, .diag = diag};
    int fits = 1;
    *bytes = 0;
    if (bytes_max <= fixed)
        return SPMM_OK;
    SPMM_TRY_ALLOC(s->positions = spmmi_alloc(0, 1), diag);
    SPMM_TRY_ALLOC(s->position_at = spmmi_alloc(rows, sizeof *s->position_at), diag);
    SPMM_TRY_ALLOC(d.place = spmmi_alloc((uint64_t)threads * cols, sizeof *d.place), diag);
    if (has_masks) {
        d.panel_count = panel_count(s);
        SPMM_TRY_ALLOC(s->forms = spmmi_alloc(rows, sizeof *s->forms), diag);
        SPMM_TRY_ALLOC(d.panels = spmmi_alloc((uint64_t)threads * (uint64_t)d.panel_count, sizeof *d.panels),
                       diag);
    }
    SPMM_TRY_ALLOC(d.streams = spmmi_alloc(TURN_ROWS, sizeof *d.streams), diag);
    SPMM_TRY_ALLOC(d.table = spmmi_alloc_zero(TABLE_SLOTS, sizeof *d.table), diag);
    SPMM_TRY(derive(&d, &fits));
    if (fits && has_masks) {
        SPMM_TRY(spmmi_spgemm_alike(s, diag));
        spmmi_spgemm_units_again(s);
    }
    if (fits) {
        shrink(&d);
        place_pieces(s);
        *bytes = d.room + fixed;
    }
cleanup:
    if (status != SPMM_OK || !fits)
        drop(s);
    spmmi_free(d.table);
    spmmi_free(d.streams);
    spmmi_free(d.turn);
    spmmi_free(d.panels);
    spmmi_free(d.place);
    return status;
}
