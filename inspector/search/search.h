/* SPDX-License-Identifier: Apache-2.0 */
/* The search: what runs, for each op, target, layout and range of n, and a record of everything that was considered. */
#ifndef SPMMI_SEARCH_H
#define SPMMI_SEARCH_H

#include <stddef.h>

#include "planner.h"

#define SPMMI_RANGE_MAX 8                        /* ranges of n */
#define SPMMI_RANGE_WIDE 2                       /* fewer, where wide n is one range */
#define SPMMI_DECISION_MAX (2 * SPMMI_RANGE_MAX) /* two layouts */
#define SPMMI_RECORD_MAX 21                      /* of a decision: two ops and targets fill a trace */

/* A range of n that shares a decision, and the n that it is predicted for. */
struct spmmi_range {
    int64_t n_min, n_max, n;
};
/* One for each range that is wanted: n[count] are the numbers of columns that the caller named, none: all of them.
 * splits_wide: 193 and more columns are three ranges, not one. Ascending and disjoint; returns how many, at least 1. */
int spmmi_ranges(const int64_t *n, int count, bool splits_wide, struct spmmi_range ranges[SPMMI_RANGE_MAX]);

/* What runs for a range of n and a layout. */
struct spmmi_decision {
    struct spmmi_range range;
    int64_t first_n; /* n that the first of the merged ranges was predicted for */
    uint32_t layouts;
    struct spmmi_candidate winner; /* family 0: nothing may run */
    /* The most that its ranges lose by the winner of each decision of the op and device, as a share of their least
     * time; INFINITY: not known. */
    double loss[SPMMI_DECISION_MAX];
    struct spmmi_trace records[SPMMI_RECORD_MAX];
    int record_count;
};
/* Do the same kernels run, from the same part? */
bool spmmi_candidates_agree(const struct spmmi_candidate *x, const struct spmmi_candidate *y);
/* Merge adjacent ranges with the same decision; the result keeps the records of the largest n up to SPMMI_NARROW.
 * Returns how many are left. */
int spmmi_decisions_merge(struct spmmi_decision *decisions, int count);

/* Data of one op for all its searches, and what planners cache there. */
struct spmmi_cache_entry {
    struct spmmi_cache_entry *next;
    const void *owner;
    void (*close)(void *);
    max_align_t memory[];
};
struct spmmi_op {
    const struct spmmi_request *request;
    const struct spmmi_pattern *pattern;
    struct spmmi_model_matrix model;
    struct spmmi_row_permutations permutations;
    struct spmmi_cache_entry *cache;
    struct spmmi_candidate list[SPMMI_CANDIDATES_MAX];
    struct spmmi_unit_permutation unit_permutations[SPMMI_PERMUTATION_METRICS_MAX];
    int unit_permutation_count;
};
spmm_status_t spmmi_op_open(const struct spmmi_request *r, const struct spmmi_pattern *a, struct spmmi_op *op,
                            spmm_diag_t *diag);
void spmmi_op_close(struct spmmi_op *op);
/* The next searches are for another device: what planners have cached may depend on it. The permutations stay. */
void spmmi_op_forget(struct spmmi_op *op);
/* A search for it. */
struct spmmi_search spmmi_op_search(struct spmmi_op *op, const struct spmmi_request *r, uint32_t layout,
                                    int64_t n);

/* The measurement budget; one for a whole inspection. */
struct spmmi_tuning {
    double deadline;     /* of omp_get_wtime; 0: none */
    double last_seconds; /* that the last measurement took */
    bool is_warned;      /* of a time that is none */
};

/* Emits candidates, refines and measures them, and chooses one. plan holds the matrix, which measurements borrow; NULL:
 * nothing is measured. */
spmm_status_t spmmi_search_decide(struct spmmi_search *s, const spmm_plan_t *plan,
                                  struct spmmi_tuning *tuning, struct spmmi_decision *decision,
                                  spmm_diag_t *diag);
/* The candidate of least time; NULL: none may run. */
const struct spmmi_candidate *spmmi_search_choose(const struct spmmi_search *s);
/* The parts of a candidate: one, or two where rows are split off. */
spmm_status_t spmmi_search_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                 struct spmmi_part parts[2], uint32_t *count, spmm_diag_t *diag);

/* Steps of spmmi_search_decide, in files of their own. */
void spmmi_search_record(const struct spmmi_search *s, const struct spmmi_candidate *winner,
                         struct spmmi_decision *decision);
spmm_status_t spmmi_search_measure(struct spmmi_search *s, const spmm_plan_t *plan,
                                   struct spmmi_tuning *tuning, spmm_diag_t *diag);
/* Is there a prediction on the device for any candidate that these options allow? */
bool spmmi_prices(const struct spmmi_request *r);
/* Time of a candidate for the comparison: measured if anything was measured, else weighed. INFINITY: it may not run. */
double spmmi_search_value(const struct spmmi_search *s, const struct spmmi_candidate *c);

/* Decisions of one op and target for all ranges and layouts that are wanted, merged. Returns them in
 * decisions[SPMMI_DECISION_MAX]. */
spmm_status_t spmmi_decide(struct spmmi_op *op, const struct spmmi_request *r, const spmm_plan_t *plan,
                           struct spmmi_tuning *tuning, struct spmmi_decision *decisions, int *count,
                           spmm_diag_t *diag);

#endif
