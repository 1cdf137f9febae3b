/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of the tensor cores share in the model, and the terms of bcsr alone (docs/model.md). */
#ifndef SPMMI_MODEL_FRAGMENT_H
#define SPMMI_MODEL_FRAGMENT_H

#include "fragment_study_plan.h"
#include "inspector/cost/model_refined.h"

#define SPMMI_FRAGMENT_ISSUE 4.0 /* instructions a cycle and multiprocessor */

/* What a launch makes of n, and how the numbers are multiplied. */
struct spmmi_fragment_shape {
    int is_window, is_packed;
    int is_wide;        /* rows of B are loaded by whole words, else number by number */
    double step_steps;  /* window: SPMMI_MODEL_STEP_CYCLES of a step */
    double tile, tiles; /* columns of C of a warp; bcsr: of a block of threads */
    double windows;     /* of a unit: warps of a block of threads (panel) */
    double staged_row;  /* bytes of a row of B in a tile */
    double row;         /* the same, those that n has, as sectors */
    double a_bytes;     /* of A and its index */
    double gathered;    /* rows of B that come past the L1 cache, each for one tile */
    double resident;    /* items that a multiprocessor works on */
    double uneven;      /* work of the busiest multiprocessor over that of a mean one */
    double sum_bytes;
    double products;    /* MMAs for one product: 3 where numbers are split */
    double conversions; /* instructions for a number that is rounded or split */
    double rate;        /* of MMAs */
};

/* tile of bcsr, and what of the shape follows from it: bytes of A, and items at a time. */
double spmmi_bcsr_tile(const struct spmmi_model_query *q);
void spmmi_bcsr_shape(const struct spmmi_model_query *q, struct spmmi_fragment_shape *s);
/* Its terms but those of bytes beyond the multiprocessors. */
void spmmi_bcsr_terms(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s,
                      struct spmmi_prediction *p);

/* Waves of items and the longest one, whose steps take so many SPMMI_MODEL_STEP_CYCLES. */
void spmmi_fragment_waiting(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s,
                            double step, struct spmmi_prediction *p);

#endif
