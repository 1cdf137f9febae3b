/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of op(A) as tensor-core blocks in one row permutation. They cover row windows of 8 rows (window),
 * row blocks of 64, 128 and 256 rows (panel), and block-row groups of 64 and 128 rows (bcsr).
 * tcblock_kernel.h has the layout, docs/statistics.md the metrics. */
#ifndef SPMMI_TCBLOCK_ANALYSIS_H
#define SPMMI_TCBLOCK_ANALYSIS_H

#include <stdbool.h>

#include "format/plan.h"
#include "inspector/matrix/pattern.h"

#define SPMMI_TCBLOCK_CHUNK 256u /* rows counted together: height of the tallest unit */

/* Kinds of units: row windows, three heights of row blocks, two heights of block-row groups. */
enum spmmi_tcblock_unit {
    SPMMI_TCBLOCK_8,
    SPMMI_TCBLOCK_64,
    SPMMI_TCBLOCK_128,
    SPMMI_TCBLOCK_256,
    SPMMI_TCBLOCK_BCSR_64,
    SPMMI_TCBLOCK_BCSR_128,
    SPMMI_TCBLOCK_UNITS
};
spmm_family_t spmmi_tcblock_family(enum spmmi_tcblock_unit unit);
uint32_t spmmi_tcblock_rows(enum spmmi_tcblock_unit unit);
/* Returns the kind of unit for a family and one of the family's heights. */
enum spmmi_tcblock_unit spmmi_tcblock_unit_of(spmm_family_t family, uint32_t rows);

/* Counts over all units of one kind. They are estimates if only a sample was counted. */
struct spmmi_tcblock_counts {
    spmm_family_t family;
    uint32_t unit_rows;
    uint32_t step_columns; /* 8: window, 128: panel, 32 or 64: bcsr */
    uint32_t positions;    /* values per block: 64; bcsr: 16 rows times the width of a block column */
    double units;
    double nnz;
    double working_set; /* sum over units of their distinct columns; bcsr: all columns of each block column */
    double steps;
    double blocks;  /* blocks with at least one nonzero */
    double longest; /* steps of the unit with the most steps */
    /* Working set of row blocks of 64 rows: what the 8 windows of a thread block need together. */
    double shared;
};

/* A sample of the rows in chunks of 256 rows, with its counts. */
struct spmmi_tcblock_analysis {
    struct spmmi_tcblock_counts counts[SPMMI_TCBLOCK_UNITS];
    int64_t chunks;
    double *weight;                       /* per chunk, for extrapolation; owned */
    uint32_t *steps[SPMMI_TCBLOCK_UNITS]; /* per unit of each chunk; owned, one allocation */
};

/* Counts the blocks of all kinds of units. permutation[rows]: the row permutation, NULL for the order of A.
 * dtype: bcsr blocks are 16 columns wide for 16-bit values, else 8. chunks_max: maximum number of chunks in
 * the sample; 0 counts all chunks. Each thread needs 4 bytes per column, and fewer threads run if that is too
 * much memory. The result does not depend on the number of threads. Errors: MEMORY. Free with
 * spmmi_tcblock_analysis_close, also after an error. */
spmm_status_t spmmi_tcblock_analysis_open(const struct spmmi_pattern *a, const uint32_t *permutation,
                                          spmm_dtype_t dtype, int64_t chunks_max, int threads,
                                          struct spmmi_tcblock_analysis *analysis);
void spmmi_tcblock_analysis_close(struct spmmi_tcblock_analysis *analysis);

/* Number of all items, and of items of split units (partials), if no item has more than item_size steps. */
struct spmmi_tcblock_items {
    double items, partials;
};
struct spmmi_tcblock_items spmmi_tcblock_items(const struct spmmi_tcblock_analysis *analysis,
                                               enum spmmi_tcblock_unit unit, uint32_t item_size);

/* Returns true if 32 bits can index the values and columns of this layout, with a margin of a tenth
 * because counts are estimates. */
bool spmmi_tcblock_fits(const struct spmmi_tcblock_counts *counts, spmm_schedule_t schedule);

/* Returns the maximum number of steps per item. It gives work to all multiprocessors and splits only units
 * that are much longer than others. */
uint32_t spmmi_tcblock_item_size(const struct spmmi_tcblock_counts *counts, int multiprocessors);

#endif
