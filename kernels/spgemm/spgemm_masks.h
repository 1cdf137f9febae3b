/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel masks: the entries of a row of C are taken in windows of 8, whose sums stay in a register. An entry of the
 * left factor has a mask for each window: the entries of C that it adds to, for which the next entries of its row of
 * the right factor are expanded over the lanes.
 *
 * The form of a row is 0 where its stream is of positions. Forms 1 to 4: so many windows are all of the row, which the
 * plan does not cut, and the stream is their masks for each entry of the left factor. Form SPGEMM_PANELS: the stream
 * has a head for each panel of 4 windows, and behind it a hit for each entry of the left factor with products there.
 * Form SPGEMM_WHOLE is of positions too, of a row that the plan cuts, whose pieces are done one after the other. */
#ifndef SPMMI_SPGEMM_MASKS_H
#define SPMMI_SPGEMM_MASKS_H

#include "executor/spgemm/spgemm_stage.h"

#define SPGEMM_WINDOW 8        /* entries of C, bits of a mask */
#define SPGEMM_PANEL_WINDOWS 4 /* whose sums a panel has in registers */
#define SPGEMM_PANEL (SPGEMM_WINDOW * SPGEMM_PANEL_WINDOWS)
/* Forms beside numbers of windows. */
#define SPGEMM_POSITIONS 0
#define SPGEMM_PANELS (SPGEMM_PANEL_WINDOWS + 1)
#define SPGEMM_WHOLE (SPGEMM_PANEL_WINDOWS + 2)

/* A head and a hit have the number of pieces of the row that end before them, or behind all hits: 0, 1, or 2 for more.
 * A row that is not cut is one piece. */
struct spgemm_head {
    uint32_t hits, ended;
};
struct spgemm_hit {
    uint32_t
        at; /* bits 0 and 1: pieces that ended; 2 to 7: entries of the left factor to go on by; 8 to 31: where in
                       the row of the right factor the products of this panel begin */
    uint32_t masks; /* the first window's is the lowest byte */
};
#define SPGEMM_HIT_STEP_MAX 63
#define SPGEMM_HIT_START_MAX ((1 << 24) - 1)

/* Bytes of the masks of an entry of the left factor, in rows of so many windows: what one load takes. */
static inline int spmmi_spgemm_mask_bytes(int windows)
{
    return windows == 3 ? 4 : windows;
}

static inline int spmmi_spgemm_windows(int64_t entries)
{
    return (int)((entries + SPGEMM_WINDOW - 1) / SPGEMM_WINDOW);
}

/* What a thread needs to derive rows: an element for each panel of the longest row. */
struct spgemm_panel {
    int64_t entry, piece; /* of the last hit */
    uint64_t hits;
    uint8_t *at; /* of its next hit; NULL: hits are counted */
};

/* What a row may have. */
struct spgemm_form {
    uint64_t room;    /* most bytes of its masks */
    uint8_t masks;    /* their form; 0: it has positions in any case */
    uint8_t is_whole; /* with positions: the plan cuts it, and one thread can do all pieces */
};
/* Once it is known whether masks were derived. */
static inline uint8_t spmmi_spgemm_form_taken(const struct spgemm_form *form)
{
    return form->masks != 0 ? form->masks : form->is_whole ? SPGEMM_WHOLE : SPGEMM_POSITIONS;
}

/* Of row i, which has so many products. threads: rows that the plan cuts are not taken whole where threads could not
 * share the work well. */
struct spgemm_form spmmi_spgemm_form(const struct spmmi_spgemm_stage *stage, int64_t i, uint64_t products,
                                     int threads);
/* Writes the masks of row i, of this form, and returns their bytes; 0 where positions are the better stream. place: of
 * each column of the row, where in the row it is. */
uint64_t spmmi_spgemm_masks_derive(const struct spmmi_spgemm_stage *stage, int64_t i, int form, uint64_t room,
                                   const int32_t *place, struct spgemm_panel *panels, uint8_t *out);
#endif
