/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of entries of C, of rows that the plan cuts, whose products are all in one piece: where long entries are left
 * out (spgemm_longs.h) little else is in such a row, as in A A^T of a dense row beside rows of one entry. An item adds
 * them to C at once; other pieces have no item, and nothing is left to join. */
#ifndef SPMMI_SPGEMM_SOLES_H
#define SPMMI_SPGEMM_SOLES_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

struct spmmi_spgemm_sole {
    uint32_t c_at;  /* first entry of C */
    uint32_t first; /* of the left factor, of its piece */
};

struct spmmi_spgemm_soles {
    uint64_t count, bytes;        /* that they take of the host */
    struct spmmi_spgemm_sole *of; /* by ascending entry of C; owned */
};

/* Of rows with long entries, where the host has room to look for them. Errors: MEMORY. Free them also after an error;
 * then there are none. */
spmm_status_t spmmi_spgemm_soles_make(const struct spmmi_spgemm_stage *stage, uint64_t bytes_max,
                                      struct spmmi_spgemm_soles *soles, spmm_diag_t *diag);
void spmmi_spgemm_soles_free(struct spmmi_spgemm_soles *soles);

/* The first entry of the left factor of the piece that has all products of the slice which begins there; -1: of several
 * pieces, or nobody looked. */
int64_t spmmi_spgemm_sole_piece(const struct spmmi_spgemm_soles *soles, int64_t c_at);

/* Entries of a slice of a row, at most: even ones, each an item. */
static inline int64_t spmmi_spgemm_slice_of(int64_t entries)
{
    const int64_t parts = (entries + SPMMI_SPGEMM_ITEM_ENTRIES - 1) / SPMMI_SPGEMM_ITEM_ENTRIES;
    return (entries + parts - 1) / parts;
}

#endif
