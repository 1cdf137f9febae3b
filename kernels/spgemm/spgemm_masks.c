/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of kernel masks, see spgemm_masks.h. */
#include "spgemm_masks.h"

#include <string.h>

/* Minimum mean products of a hit: with fewer, positions are faster. cit-HepPh took 7.2 ms with 3, 7.5 with 4
 * and 8.6 with 6 (AMD EPYC, 2026-11-27). Each panel passes over the row's entries of the left factor and so
 * over the same rows of the right factor. If these do not fit in a near cache, the minimum must be larger:
 * a9a_T took 4.7 ms if HIT_PRODUCTS applied to rows of up to 100,000 products, and 3.9 if it applied only up
 * to 8,000 or 20,000. */
#define HIT_PRODUCTS 3
#define HIT_PRODUCTS_FAR 8
#define NEAR_PRODUCTS 16384
/* A row that the plan cuts stays in pieces if it has more than this share of a thread's products. */
#define SHARES 8

static int64_t entries_of(const struct spmmi_spgemm_stage *s, int64_t i)
{
    return s->c.row_ptr[i + 1] - s->c.row_ptr[i];
}

/* Returns true if whole vectors can be loaded anywhere in the rows of the right factor that row i meets
 * without reading past the end of its values, and if offsets in these rows fit in a hit. */
static int is_inside(const struct spmmi_spgemm_stage *s, int64_t i)
{
    const int64_t *right = s->task.right.row_ptr;
    for (int64_t p = s->task.left.row_ptr[i]; p < s->task.left.row_ptr[i + 1]; p++) {
        const int32_t k = s->task.left.col_ind[p];
        if (right[k + 1] + SPGEMM_WINDOW > right[s->task.right.rows] ||
            right[k + 1] - right[k] > SPGEMM_HIT_START_MAX)
            return 0;
    }
    return 1;
}

static int64_t panels_of(int64_t entries)
{
    return (entries + SPGEMM_PANEL - 1) / SPGEMM_PANEL;
}

struct spgemm_form spmmi_spgemm_form(const struct spmmi_spgemm_stage *s, int64_t i, uint64_t products,
                                     int threads)
{
    const int64_t entries = entries_of(s, i), length = s->task.left.row_ptr[i + 1] - s->task.left.row_ptr[i];
    const uint64_t piece = (uint64_t)spmmi_spgemm_piece(s->piece_products, entries);
    const int is_cut = products > piece;
    struct spgemm_form form = {0};
    if (products == 0 || (s->has_stretches && (is_cut ? (int64_t)piece : length) > SPMMI_SPGEMM_STRETCH) ||
        (is_cut && threads > 1 && products > s->products / ((uint64_t)threads * SHARES)))
        return form;
    form.is_whole = (uint8_t)is_cut;
    if (!is_inside(s, i))
        return form;
    if (entries <= SPGEMM_PANEL && !is_cut) {
        form.masks = (uint8_t)spmmi_spgemm_windows(entries);
        form.room = (uint64_t)length * (uint64_t)spmmi_spgemm_mask_bytes(form.masks);
        return form;
    }
    form.masks = SPGEMM_PANELS;
    form.room =
        products / (products > NEAR_PRODUCTS ? HIT_PRODUCTS_FAR : HIT_PRODUCTS) * sizeof(struct spgemm_hit) +
        (uint64_t)panels_of(entries) * sizeof(struct spgemm_head);
    return form;
}

/* Sets the bits of `count` columns in the masks of a row's windows. */
static void put_masks(const int32_t *columns, int64_t count, const int32_t *place, uint8_t *masks)
{
    for (int64_t j = 0; j < count; j++) {
        const int32_t at = place[columns[j]];
        masks[at / SPGEMM_WINDOW] = (uint8_t)(masks[at / SPGEMM_WINDOW] | 1u << at % SPGEMM_WINDOW);
    }
}

static uint64_t derive_windows(const struct spmmi_spgemm_stage *s, int64_t i, int windows,
                               const int32_t *place, uint8_t *out)
{
    uint8_t *masks = out;
    const int bytes = spmmi_spgemm_mask_bytes(windows);
    for (int64_t p = s->task.left.row_ptr[i]; p < s->task.left.row_ptr[i + 1]; p++, masks += bytes) {
        memset(masks, 0, (size_t)bytes);
        put_masks(s->task.right.col_ind + s->task.right.row_ptr[s->task.left.col_ind[p]],
                  spmmi_spgemm_count_of(s, p), place, masks);
    }
    return (uint64_t)(masks - out);
}

/* Returns the products per piece of row i; INT64_MAX if it is not cut. */
static int64_t piece_of(const struct spmmi_spgemm_stage *s, int64_t i)
{
    const int64_t piece = spmmi_spgemm_piece(s->piece_products, entries_of(s, i));
    return spmmi_spgemm_products_of(s, i) > piece ? piece : INT64_MAX;
}

static uint32_t ended(int64_t pieces)
{
    return pieces < 2 ? (uint32_t)pieces : 2;
}

static void put_hit(struct spgemm_panel *panel, uint32_t step, uint32_t pieces, uint32_t start,
                    uint32_t masks)
{
    const struct spgemm_hit hit = {start << 8 | step << 2 | pieces, masks};
    panel->hits++;
    if (panel->at == NULL)
        return;
    memcpy(panel->at, &hit, sizeof hit);
    panel->at += sizeof hit;
}

/* Adds a hit: entry `entry` of the left factor's row, in piece `piece`, has products in the panel. If the
 * step is too large for one hit, hits without products bridge it. */
static void hit(struct spgemm_panel *panel, int64_t entry, int64_t piece, uint32_t start, uint32_t masks)
{
    int64_t step = entry - panel->entry;
    for (; step > SPGEMM_HIT_STEP_MAX; step -= SPGEMM_HIT_STEP_MAX)
        put_hit(panel, SPGEMM_HIT_STEP_MAX, 0, 0, 0);
    put_hit(panel, (uint32_t)step, ended(piece - panel->piece), start, masks);
    panel->entry = entry;
    panel->piece = piece;
}

/* Visits all hits of a row in the order of its entries of the left factor; pieces have `most` products.
 * Returns the number of pieces. */
static int64_t walk(const struct spmmi_spgemm_stage *s, int64_t i, int64_t most, const int32_t *place,
                    struct spgemm_panel *panels)
{
    const int64_t first = s->task.left.row_ptr[i], end = s->task.left.row_ptr[i + 1];
    int64_t piece = 0, products = 0;
    for (int64_t p = first; p < end; p++) {
        const int32_t *columns = s->task.right.col_ind + s->task.right.row_ptr[s->task.left.col_ind[p]];
        const int64_t count = spmmi_spgemm_count_of(s, p);
        for (int64_t j = 0, start = 0; j < count; start = j) {
            const int32_t panel = place[columns[j]] / SPGEMM_PANEL;
            uint32_t masks = 0;
            for (; j < count && place[columns[j]] / SPGEMM_PANEL == panel; j++)
                masks |= 1u << place[columns[j]] % SPGEMM_PANEL;
            hit(&panels[panel], p - first, piece, (uint32_t)start, masks);
        }
        products += count;
        if (products >= most && p + 1 < end) {
            piece++;
            products = 0;
        }
    }
    return piece + 1;
}

/* Derives the panels of a row in two walks, which count and write the hits. Returns 0 if they need more than
 * `room` bytes. */
static uint64_t derive_panels(const struct spmmi_spgemm_stage *s, int64_t i, uint64_t room,
                              const int32_t *place, struct spgemm_panel *panels, uint8_t *out)
{
    const int64_t count = panels_of(entries_of(s, i)), most = piece_of(s, i);
    uint64_t bytes = 0;
    memset(panels, 0, (size_t)count * sizeof *panels);
    (void)walk(s, i, most, place, panels);
    for (int64_t n = 0; n < count; n++)
        bytes += sizeof(struct spgemm_head) + panels[n].hits * sizeof(struct spgemm_hit);
    if (bytes > room)
        return 0;
    uint8_t *at = out;
    for (int64_t n = 0; n < count; n++) {
        const uint64_t hits = panels[n].hits;
        panels[n] = (struct spgemm_panel){.at = at + sizeof(struct spgemm_head)};
        at = panels[n].at + hits * sizeof(struct spgemm_hit);
    }
    const int64_t pieces = walk(s, i, most, place, panels);
    at = out;
    for (int64_t n = 0; n < count; n++) {
        const struct spgemm_head head = {(uint32_t)panels[n].hits, ended(pieces - panels[n].piece)};
        memcpy(at, &head, sizeof head);
        at = panels[n].at;
    }
    return bytes;
}

uint64_t spmmi_spgemm_masks_derive(const struct spmmi_spgemm_stage *s, int64_t i, int form, uint64_t room,
                                   const int32_t *place, struct spgemm_panel *panels, uint8_t *out)
{
    return form < SPGEMM_PANELS ? derive_windows(s, i, form, place, out)
                                : derive_panels(s, i, room, place, panels, out);
}
