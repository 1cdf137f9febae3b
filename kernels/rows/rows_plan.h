/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a schedule of the rows family for one op, and how choices for ranges of n are kept. */
#ifndef SPMMI_CHOOSE_H
#define SPMMI_CHOOSE_H

#include "format/plan.h"

#define SPMMI_DECISION_MAX 8 /* ranges of n that can be told apart */
/* Two schedules of rows, four of tiled (the chart's path) and their order, five of tensor cores, five orders,
 * two entries on long rows. */
#define SPMMI_CANDIDATE_MAX 19
#define SPMMI_CANDIDATE_ROWS 2

struct spmmi_choice_input {
    int64_t nnz, longest; /* of op(A) */
    const int64_t *n;     /* what the caller will use; n_count = 0: any */
    int n_count;
    spmm_schedule_t forced; /* a schedule of rows; 0: choose */
};

struct spmmi_peel;

/* What runs for a range of n, and a record of each candidate; whoever knows the variant's index fills that in. */
struct spmmi_decision {
    int64_t n_min, n_max;
    int64_t n;        /* what the range is judged by */
    uint32_t layouts; /* mask of those it is for */
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t granule;
    uint32_t panel_rows, stage_slots, flags; /* as in struct spmmi_part */
    spmm_compute_t compute;                  /* of tensor cores; 0: that of the plan's numbers */
    const uint32_t *order;                   /* of the rows, borrowed: window and panel; NULL: that of A */
    const struct spmmi_peel *peel;           /* rows that are multiplied apart, borrowed; NULL: none */
    struct spmmi_trace candidates[SPMMI_CANDIDATE_MAX];
    int candidate_count;
};

/* One decision for each range of n that is wanted, ascending and disjoint. Returns how many, at least 1. */
int spmmi_choose(const struct spmmi_choice_input *input, struct spmmi_decision decisions[SPMMI_DECISION_MAX]);

/* Do the same kernels run, from the same part? */
int spmmi_decisions_agree(const struct spmmi_decision *a, const struct spmmi_decision *b);

/* Make neighbours that agree and leave no gap one. Of the figures that differ, the trace keeps the closest call of
 * the rows family, and the other candidates and predictions for the largest n up to 64. Returns how many are left. */
int spmmi_decisions_merge(struct spmmi_decision *decisions, int count);

/* Nonzeros of a granule of this schedule. */
uint32_t spmmi_choose_granule(spmm_schedule_t schedule);

#endif
