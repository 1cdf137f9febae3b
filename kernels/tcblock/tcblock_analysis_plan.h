/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of op(A) as tensor-core blocks in one row permutation: row windows of 8 rows (window), row blocks of 64, 128
 * and 256 rows (panel), block-row groups of 64 and 128 rows (bcsr). tcblock_kernel.h has the layout, docs/statistics.md
 * the metrics. */
#ifndef SPMMI_TCBLOCK_ANALYSIS_H
#define SPMMI_TCBLOCK_ANALYSIS_H

#include <stdbool.h>

#include "format/plan.h"
#include "inspector/matrix/pattern.h"

#define SPMMI_TCBLOCK_CHUNK 256u /* rows that are counted together: the tallest unit */

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
/* The kind of unit of a family and a height that it has. */
enum spmmi_tcblock_unit spmmi_tcblock_unit_of(spmm_family_t family, uint32_t rows);

/* Of all units of one kind; estimates where a sample was counted. */
struct spmmi_tcblock_counts {
    spmm_family_t family;
    uint32_t unit_rows;
    uint32_t step_columns; /* 8: window, 128: panel, 32 or 64: bcsr */
    uint32_t positions;    /* of a block: 64, bcsr: 16 rows of a block column */
    double units;
    double nnz;
    double working_set; /* columns, each once in every unit that holds it; bcsr: all of each block column */
    double steps;
    double blocks;  /* that hold nonzeros */
    double longest; /* steps of the unit that has most */
    double shared;  /* working set of row blocks of 64 rows: what 8 windows of a thread block need together */
};

/* A sample of the rows, in chunks of 256, and what was counted there. */
struct spmmi_tcblock_analysis {
    struct spmmi_tcblock_counts counts[SPMMI_TCBLOCK_UNITS];
    int64_t chunks;
    double *weight;                       /* of each chunk; owned */
    uint32_t *steps[SPMMI_TCBLOCK_UNITS]; /* of each unit of each chunk; owned, one allocation */
};

/* order[rows]: the row permutation; NULL: the order of A. dtype: blocks of bcsr are 16 columns wide where values have
 * 16 bits, else 8. chunks_max: chunks in the sample; 0: count them all. Needs 4 bytes a column for each thread, and
 * takes fewer threads where that is much. The same at any number of threads. Errors: MEMORY. Free with
 * spmmi_tcblock_analysis_close, also after an error. */
spmm_status_t spmmi_tcblock_analysis_open(const struct spmmi_pattern *a, const uint32_t *permutation,
                                          spmm_dtype_t dtype, int64_t chunks_max, int threads,
                                          struct spmmi_tcblock_analysis *analysis);
void spmmi_tcblock_analysis_close(struct spmmi_tcblock_analysis *analysis);

/* Items, and those of units that are cut, when no item has more than item size steps. */
struct spmmi_tcblock_items {
    double items, partials;
};
struct spmmi_tcblock_items spmmi_tcblock_items(const struct spmmi_tcblock_analysis *analysis,
                                               enum spmmi_tcblock_unit unit, uint32_t item_size);

/* Can 32 bits index the values and columns of this layout? With a margin of a tenth, as counts are estimates. */
bool spmmi_tcblock_fits(const struct spmmi_tcblock_counts *counts, spmm_schedule_t schedule);

/* Maximum steps of an item, so that all multiprocessors have items; only units much longer than others are split. */
uint32_t spmmi_tcblock_item_size(const struct spmmi_tcblock_counts *counts, int multiprocessors);

#endif
