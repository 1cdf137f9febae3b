/* SPDX-License-Identifier: Apache-2.0 */
/* Soles: slices of entries of C, in rows that the plan cuts, whose products are all in one piece. If long
 * entries are left out (spgemm_longs.h), such a row has little else, as in A A^T with a dense row beside rows
 * of one entry. One item adds a sole to C directly; the other pieces have no item for it, and nothing is left
 * to join. */
#ifndef SPMMI_SPGEMM_SOLES_H
#define SPMMI_SPGEMM_SOLES_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

struct spmmi_spgemm_sole {
    uint32_t c_at;  /* first entry of C */
    uint32_t first; /* first entry of the left factor in its piece */
};

struct spmmi_spgemm_soles {
    uint64_t count, bytes;        /* bytes: on the host */
    struct spmmi_spgemm_sole *of; /* by ascending entry of C; owned */
};

/* Finds the soles of rows with long entries, if bytes_max allows the search. Errors: MEMORY. Free soles also
 * after an error; there are none then. */
spmm_status_t spmmi_spgemm_soles_make(const struct spmmi_spgemm_stage *stage, uint64_t bytes_max,
                                      struct spmmi_spgemm_soles *soles, spmm_diag_t *diag);
void spmmi_spgemm_soles_free(struct spmmi_spgemm_soles *soles);

/* Returns the first entry of the left factor of the piece that has all products of the slice that begins at
 * c_at; -1 if there are several pieces, or if the slice was not searched. */
int64_t spmmi_spgemm_sole_piece(const struct spmmi_spgemm_soles *soles, int64_t c_at);

/* Returns the maximum number of entries of a slice in a row with this many entries. Slices have about equal
 * sizes, and each is an item. */
static inline int64_t spmmi_spgemm_slice_of(int64_t entries)
{
    const int64_t parts = (entries + SPMMI_SPGEMM_ITEM_ENTRIES - 1) / SPMMI_SPGEMM_ITEM_ENTRIES;
    return (entries + parts - 1) / parts;
}

#endif
