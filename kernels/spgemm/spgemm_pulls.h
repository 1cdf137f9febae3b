/* SPDX-License-Identifier: Apache-2.0 */
/* Pulls (spgemm_launch.h) of rows of C, on the host: those of a unit one after the other, each counted or written. */
#ifndef SPMMI_SPGEMM_PULLS_H
#define SPMMI_SPGEMM_PULLS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

/* Whole rows with few products that are put together, or what a part of a row has. */
struct spgemm_open_pull {
    int64_t first, out; /* its first entry of the left factor, and of C */
    uint32_t entries, products, runs, bits;
    const uint32_t
        *pieces; /* of a row that is cut: of each entry of the left factor, from first on; else NULL */
    uint32_t piece_count;
    /* of each run: its entry of the left factor, from first on; its offset in the row of the right factor; the first
     * product, of this pull */
    uint32_t left[SPMMI_SPGEMM_PULL_RUNS], offset[SPMMI_SPGEMM_PULL_RUNS], product[SPMMI_SPGEMM_PULL_RUNS];
};

#define SPMMI_SPGEMM_CURSORS 4 /* numbers that a pull needs of each entry of a row of the left factor */

/* What has been made of pulls. */
struct spgemm_pulls {
    struct spmmi_spgemm_pull *pulls; /* NULL: only counts */
    uint32_t *words_at, *words;      /* of each pull, what its stream has before the destinations */
    uint64_t count, word_count, products;
    uint32_t *cursors; /* room: SPMMI_SPGEMM_CURSORS times the longest row of the left factor */
    uint32_t *heads;   /* of each column 0 */
    struct spgemm_open_pull open;
};

/* Can a row be pulled at all? */
int spmmi_spgemm_pulls_can(const struct spmmi_spgemm_stage *stage, int64_t row);
/* Takes a row, which is not cut. */
void spmmi_spgemm_pulls_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *stage, int64_t row);
/* Takes a row that is cut; piece: the unit of its first one, behind which the others are. */
void spmmi_spgemm_pulls_cut_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *stage,
                                const struct spmmi_spgemm_unit *piece);
/* Ends the open pull, as the next row follows no pulled one. */
void spmmi_spgemm_pulls_end(struct spgemm_pulls *to);
/* Those of one entry that take several rounds come first, the longest first of all: other pulls run beside them. */
uint64_t
spmmi_spgemm_pulls_sort_bytes(uint64_t products); /* that it takes at most, of pulls of so many products */
spmm_status_t spmmi_spgemm_pulls_sort(struct spmmi_spgemm_pull *pulls, uint32_t *words_at, uint32_t count,
                                      spmm_diag_t *diag);

#endif
