/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a schedule for one op: which ranges of n there are, what runs in each, and why. */
#ifndef SPMMI_CHOOSE_H
#define SPMMI_CHOOSE_H

#include "format/plan.h"

#define SPMMI_DECISION_MAX 8 /* ranges of n that can be told apart */
#define SPMMI_CANDIDATE_COUNT 2

struct spmmi_choice_input {
    int64_t nnz, longest; /* of op(A) */
    const int64_t *n;     /* what the caller will use; n_count = 0: any */
    int n_count;
    spmm_schedule_t forced; /* 0: choose */
};

/* One candidate's record; the variant is filled in by whoever knows its index. */
struct spmmi_decision {
    int64_t n_min, n_max;
    spmm_schedule_t schedule;
    struct spmmi_trace candidates[SPMMI_CANDIDATE_COUNT];
};

/* Decisions for ascending, disjoint ranges of n; neighbours that agree are one. Returns how many, at least 1. */
int spmmi_choose(const struct spmmi_choice_input *input, struct spmmi_decision decisions[SPMMI_DECISION_MAX]);

/* Nonzeros of a granule of this schedule. */
uint32_t spmmi_choose_granule(spmm_schedule_t schedule);

#endif
