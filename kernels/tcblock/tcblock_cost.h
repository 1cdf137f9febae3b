/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the cost model that the tensor-core families share (docs/model.md). */
#ifndef SPMMI_MODEL_TCBLOCK_H
#define SPMMI_MODEL_TCBLOCK_H

#include "tcblock_analysis_plan.h"
#include "inspector/cost/cost_model.h"

#define SPMMI_TCBLOCK_ISSUE 4.0 /* instructions per cycle and multiprocessor */

/* Metrics of a candidate, as the cost model needs them. */
struct spmmi_model_tcblocks {
    const struct spmmi_tcblock_counts *counts;
    double items, partials; /* all items, and items of split units */
    double item_size;       /* maximum number of steps per item */
    int is_reordered;       /* rows of a row group are not neighbours in C */
    int has_long_rows;      /* a long-row split: another kernel computes some rows */
};
static inline const struct spmmi_model_tcblocks *spmmi_tcblock_metrics(const struct spmmi_model_query *q)
{
    return q->candidate->metrics;
}

/* Launch parameters for n columns, and the cost of multiplying values. */
struct spmmi_tcblock_shape {
    int is_window, is_packed;
    int is_wide;        /* rows of B are loaded in words of 16 bytes, else value by value */
    int is_converted;   /* B is column-major and converted to row-major scratch */
    int stores_columns; /* the kernel stores column-major C itself; else C is converted if B is */
    int is_aligned;     /* B is column-major and copied to aligned columns */
    double step_steps;  /* window: latency of a step, in SPMMI_MODEL_STEP_CYCLES */
    double tile, tiles; /* columns of C per warp (bcsr: per thread block), and number of such tiles */
    double windows;     /* row windows per unit (panel: warps per thread block) */
    double staged_row;  /* bytes of a row of B in a tile of full width */
    double row;         /* the same for the columns that n has, rounded up to sectors */
    double a_bytes;     /* bytes of A and its indices */
    double gathered;    /* rows of B loaded from beyond L1, for one tile */
    double resident;    /* items that a multiprocessor processes at a time */
    int has_ring;       /* panel: one step is copied while another is multiplied */
    double shares;      /* thread blocks that share the steps of an item; 1: no sharing */
    double uneven;      /* work of the busiest multiprocessor / mean work */
    double sum_bytes;
    double products;    /* MMAs per product: 3 if values are split (3xtf32) */
    double conversions; /* instructions to round or split a value */
    double rate;        /* flop/s of the MMAs */
};

/* The properties of one family. */
struct spmmi_tcblock_terms {
    int is_window;      /* warps process items independently and share only the L1 cache */
    int takes_columns;  /* as in struct spmmi_tcblock_gpu */
    int stores_columns; /* as in struct spmmi_tcblock_gpu */
    /* Sets the tile and, for 8 x 8 blocks, the items at a time and the latency of a step. is_packed
     * and is_wide are already set. */
    void (*launch)(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s);
    /* Sets the bytes of A, rows of B and items at a time. NULL: as for 8 x 8 blocks. */
    void (*shape)(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s);
    /* Adds all terms except traffic beyond the multiprocessors. NULL: as for 8 x 8 blocks. */
    void (*terms)(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                  struct spmmi_prediction *p);
};
/* Predicts a product of such a family. Returns 0 for a CPU, which has no prediction, else 1. */
int spmmi_tcblock_cost(const struct spmmi_model_query *q, const struct spmmi_tcblock_terms *own,
                       struct spmmi_prediction *p);

/* Whether column-major C can be stored directly, in a family that has kernels for it: no other kernel adds to
 * C, and the rows are in order. */
int spmmi_tcblock_has_whole_columns(const struct spmmi_model_query *q);

/* Returns the number of columns of B per launch. is_converted and stores_columns must be set. */
uint32_t spmmi_tcblock_pass_columns(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s);
/* Returns the bytes of the values in 8 x 8 blocks; for packed blocks with their maps. */
double spmmi_tcblock_value_bytes(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s);

/* Adds the terms for waves of items and for the longest item, if a step takes `step`
 * times SPMMI_MODEL_STEP_CYCLES. */
void spmmi_tcblock_waiting(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                           double step, struct spmmi_prediction *p);

#endif
