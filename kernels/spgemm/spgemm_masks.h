/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel masks: the entries of a row of C are processed in windows of 8, whose sums stay in a vector
 * register. An entry of the left factor has a mask for each window, which says to which entries of C it adds.
 * The next elements of its row of the right factor are expanded to the lanes of these bits.
 *
 * Each row has a form. Form 0: its stream is positions. Forms 1 to 4: the row has this many windows and is
 * not cut by the plan; its stream has the masks of all windows for each entry of the left factor. Form
 * SPGEMM_PANELS: the stream has a head for each panel of 4 windows, followed by a hit for each entry of the
 * left factor with products in the panel. Form SPGEMM_WHOLE: positions of a row that the plan cuts; one
 * thread computes its pieces one after the other. */
#ifndef SPMMI_SPGEMM_MASKS_H
#define SPMMI_SPGEMM_MASKS_H

#include "executor/spgemm/spgemm_stage.h"

#define SPGEMM_WINDOW 8        /* entries of C; also bits of a mask */
#define SPGEMM_PANEL_WINDOWS 4 /* a panel has the sums of this many windows in registers */
#define SPGEMM_PANEL (SPGEMM_WINDOW * SPGEMM_PANEL_WINDOWS)
/* Forms other than a number of windows. */
#define SPGEMM_POSITIONS 0
#define SPGEMM_PANELS (SPGEMM_PANEL_WINDOWS + 1)
#define SPGEMM_WHOLE (SPGEMM_PANEL_WINDOWS + 2)

/* The panel of a row that is cut must know where pieces end. A hit has the number of pieces that ended since
 * the hit before it, a head the number that end after the last hit: 0, 1, or 2 for two or more. A row that is
 * not cut is one piece. */
struct spgemm_head {
    uint32_t hits, ended;
};
struct spgemm_hit {
    uint32_t
        at; /* bits 0 and 1: pieces that ended; 2 to 7: step to its entry of the left factor; 8 to 31: where
             * its products in this panel begin in the row of the right factor */
    uint32_t masks; /* the mask of the first window is the lowest byte */
};
#define SPGEMM_HIT_STEP_MAX 63
#define SPGEMM_HIT_START_MAX ((1 << 24) - 1)

/* Returns the bytes of the masks of one entry of the left factor in rows with this many windows: a size that
 * one load can read. */
static inline int spmmi_spgemm_mask_bytes(int windows)
{
    return windows == 3 ? 4 : windows;
}

static inline int spmmi_spgemm_windows(int64_t entries)
{
    return (int)((entries + SPGEMM_WINDOW - 1) / SPGEMM_WINDOW);
}

/* State of the derivation of a row, one per panel. */
struct spgemm_panel {
    int64_t entry, piece; /* of the last hit */
    uint64_t hits;
    uint8_t *at; /* where its next hit is written; NULL: hits are only counted */
};

/* Which form a row may have. */
struct spgemm_form {
    uint64_t room;    /* upper bound of the bytes of its masks */
    uint8_t masks;    /* form of its masks; 0: the row gets positions */
    uint8_t is_whole; /* if it gets positions: the plan cuts the row, and one thread may compute all pieces */
};
/* Returns the final form, once form->masks is 0 for a row whose masks were not derived. */
static inline uint8_t spmmi_spgemm_form_taken(const struct spgemm_form *form)
{
    return form->masks != 0 ? form->masks : form->is_whole ? SPGEMM_WHOLE : SPGEMM_POSITIONS;
}

/* Returns the form that row i may have. products: its number of products. threads: a row that the plan cuts
 * is computed whole only if that does not unbalance the work of this many threads. */
struct spgemm_form spmmi_spgemm_form(const struct spmmi_spgemm_stage *stage, int64_t i, uint64_t products,
                                     int threads);
/* Writes the masks of row i in this form to out, which can hold `room` bytes. Returns their bytes, or 0 if
 * positions are the better stream. place: for each column of the row, its position in the row. */
uint64_t spmmi_spgemm_masks_derive(const struct spmmi_spgemm_stage *stage, int64_t i, int form, uint64_t room,
                                   const int32_t *place, struct spgemm_panel *panels, uint8_t *out);
#endif
