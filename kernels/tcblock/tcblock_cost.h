/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of the tensor cores share in the cost model (docs/model.md). */
#ifndef SPMMI_MODEL_TCBLOCK_H
#define SPMMI_MODEL_TCBLOCK_H

#include "tcblock_analysis_plan.h"
#include "inspector/cost/cost_model.h"

#define SPMMI_TCBLOCK_ISSUE 4.0 /* instructions a cycle and multiprocessor */

/* A part in the cost model: the metrics of a candidate. */
struct spmmi_model_tcblocks {
    const struct spmmi_tcblock_counts *counts;
    double items, partials; /* items, and those whose sums are added to others */
    double item_size;       /* steps of an item, at most */
    int is_reordered;       /* the rows of a row group are no neighbours in C */
    int has_long_rows;      /* which another kernel computes */
};
static inline const struct spmmi_model_tcblocks *spmmi_tcblock_metrics(const struct spmmi_model_query *q)
{
    return q->candidate->metrics;
}

/* Launch parameters for n, and how the values are multiplied. */
struct spmmi_tcblock_shape {
    int is_window, is_packed;
    int is_wide;        /* rows of B are loaded by whole words, else value by value */
    int is_converted;   /* B is column-major, and a row-major copy is multiplied */
    int stores_columns; /* C is column-major, and stored as it is; else it is converted where B is */
    int is_aligned;     /* B is column-major, and a copy with aligned columns is multiplied */
    double step_steps;  /* window: SPMMI_MODEL_STEP_CYCLES of a step */
    double tile, tiles; /* columns of C of a warp; bcsr: of a thread block */
    double windows;     /* of a unit: warps of a thread block (panel) */
    double staged_row;  /* bytes of a row of B in a tile */
    double row;         /* the same, those that n has, as sectors */
    double a_bytes;     /* of A and its index */
    double gathered;    /* rows of B that come past the L1 cache, each for one tile */
    double resident;    /* items that a multiprocessor works on */
    int has_ring;       /* panel: a step is copied while another one is multiplied */
    double shares;      /* of the steps of an item, each of a thread block; 1: it has all */
    double uneven;      /* work of the busiest multiprocessor over that of a mean one */
    double sum_bytes;
    double products;    /* MMAs for one product: 3 where values are split (3xtf32) */
    double conversions; /* instructions for a value that is rounded or split */
    double rate;        /* of MMAs */
};

/* What a family has of its own. */
struct spmmi_tcblock_terms {
    int is_window;      /* warps process items independently, and share nothing but the L1 cache */
    int takes_columns;  /* as in struct spmmi_tcblock_gpu */
    int stores_columns; /* the same */
    /* The tile and, of blocks of 8 x 8, items at a time and what a step takes; is_packed and is_wide are known. */
    void (*launch)(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s);
    /* Bytes of A, rows of B, and items at a time; NULL: those of blocks of 8 x 8. */
    void (*shape)(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s);
    /* All terms but those of bytes beyond the multiprocessors; NULL: the same. */
    void (*terms)(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                  struct spmmi_prediction *p);
};
/* A cost function for such a family; returns 0 on a CPU. */
int spmmi_tcblock_cost(const struct spmmi_model_query *q, const struct spmmi_tcblock_terms *own,
                       struct spmmi_prediction *p);

/* Does the kernel take column-major operands as they are, where the family has code for it? No other kernel adds to C,
 * and its rows are in order. */
int spmmi_tcblock_has_whole_columns(const struct spmmi_model_query *q);

/* Columns of B that a launch takes; is_converted and stores_columns are known. */
uint32_t spmmi_tcblock_pass_columns(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s);
/* Of blocks of 8 x 8: bytes of their values, packed with their maps. */
double spmmi_tcblock_value_bytes(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s);

/* Waves of items and the longest one, whose steps take so many SPMMI_MODEL_STEP_CYCLES. */
void spmmi_tcblock_waiting(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                           double step, struct spmmi_prediction *p);

#endif
