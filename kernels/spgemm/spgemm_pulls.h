/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the pulls (spgemm_launch.h) of rows of C on the host: the pulls of a unit one after the other, in one
 * pass that counts and one that writes. */
#ifndef SPMMI_SPGEMM_PULLS_H
#define SPMMI_SPGEMM_PULLS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

/* A pull under construction: whole rows with few products, or a part of a row. */
struct spgemm_open_pull {
    int64_t first, out; /* first entry of the left factor, and of C */
    uint32_t entries, products, runs, bits;
    const uint32_t
        *pieces; /* of a row that is cut: piece of each entry of the left factor, from first on; else NULL */
    uint32_t piece_count;
    /* For each run: its entry of the left factor, counted from first; its offset in the row of the right
     * factor; its first product, counted in this pull. */
    uint32_t left[SPMMI_SPGEMM_PULL_RUNS], offset[SPMMI_SPGEMM_PULL_RUNS], product[SPMMI_SPGEMM_PULL_RUNS];
};

#define SPMMI_SPGEMM_CURSORS 4 /* numbers per entry of a row of the left factor */

/* The pulls made so far. */
struct spgemm_pulls {
    struct spmmi_spgemm_pull *pulls; /* NULL: pulls are only counted */
    uint32_t *words_at, *words;      /* of each pull, its stream in front of the bytes of products */
    uint64_t count, word_count, products;
    /* Room for SPMMI_SPGEMM_CURSORS numbers per entry of the longest row of the left factor. */
    uint32_t *cursors;
    uint32_t *heads; /* one per column; 0 between rows */
    struct spgemm_open_pull open;
};

/* Returns true if a row can be pulled at all. */
int spmmi_spgemm_pulls_can(const struct spmmi_spgemm_stage *stage, int64_t row);
/* Adds a row that is not cut. */
void spmmi_spgemm_pulls_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *stage, int64_t row);
/* Adds a row that is cut. piece: the unit of its first piece; the units of the other pieces follow it. */
void spmmi_spgemm_pulls_cut_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *stage,
                                const struct spmmi_spgemm_unit *piece);
/* Ends the pull under construction, because the next row is not pulled. */
void spmmi_spgemm_pulls_end(struct spgemm_pulls *to);
/* spmmi_spgemm_pulls_sort moves pulls of one entry that need several rounds to the front, the longest first,
 * so that other pulls run beside them. spmmi_spgemm_pulls_sort_bytes returns an upper bound of the bytes that
 * it allocates for pulls with this many products. */
uint64_t spmmi_spgemm_pulls_sort_bytes(uint64_t products);
spmm_status_t spmmi_spgemm_pulls_sort(struct spmmi_spgemm_pull *pulls, uint32_t *words_at, uint32_t count,
                                      spmm_diag_t *diag);

#endif
