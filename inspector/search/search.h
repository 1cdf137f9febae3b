/* SPDX-License-Identifier: Apache-2.0 */
/* The search: decides what runs for each op, target, layout and range of n, and records everything that it
 * considered. */
#ifndef SPMMI_SEARCH_H
#define SPMMI_SEARCH_H

#include <stddef.h>

#include "planner.h"

#define SPMMI_RANGE_MAX 10                       /* ranges of n */
#define SPMMI_RANGE_WIDE 2                       /* ranges that are saved if wide n is one range */
#define SPMMI_DECISION_MAX (2 * SPMMI_RANGE_MAX) /* ranges x two layouts */
/* The same if wide n is one range. */
#define SPMMI_DECISION_USUAL (2 * (SPMMI_RANGE_MAX - SPMMI_RANGE_WIDE))
#define SPMMI_RECORD_MAX 21 /* per decision; see search_draft.c */

/* A range of n that has one decision, and the n for which its time is predicted. */
struct spmmi_range {
    int64_t n_min, n_max, n;
};
/* The ranges of a CPU; of a GPU, with one for two columns; and of a GPU whose wide n are split. */
enum spmmi_range_set { SPMMI_RANGES_CPU, SPMMI_RANGES_GPU, SPMMI_RANGES_WIDE };
/* Fills in the ranges that are wanted: those that contain one of the `count` numbers n that the caller named,
 * or all ranges if count is 0. The ranges are ascending and disjoint. Returns their number, at least 1. */
int spmmi_ranges(const int64_t *n, int count, enum spmmi_range_set set,
                 struct spmmi_range ranges[SPMMI_RANGE_MAX]);

/* What runs for a range of n and a layout. */
struct spmmi_decision {
    struct spmmi_range range;
    int64_t first_n; /* n of the prediction for the first of the merged ranges */
    uint32_t layouts;
    struct spmmi_candidate winner; /* family 0: nothing may run */
    /* For each decision of the same op and device: the largest loss over the ranges of this decision if the
     * winner of that other decision runs instead. A fraction of the least time of the range; INFINITY: not
     * known. */
    double loss[SPMMI_DECISION_MAX];
    struct spmmi_trace records[SPMMI_RECORD_MAX];
    int record_count;
};
/* Returns true if x and y run the same kernels from the same part. */
bool spmmi_candidates_agree(const struct spmmi_candidate *x, const struct spmmi_candidate *y);
/* Merges adjacent ranges with the same winner. A merged decision keeps the records of its largest n up to
 * SPMMI_NARROW. Returns the number of decisions that remain. */
int spmmi_decisions_merge(struct spmmi_decision *decisions, int count);

/* Data of one op that all its searches share, and the cache of the planners. */
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
/* Empties the cache of the planners: the next searches are for another device, on which cached data may
 * depend. Keeps the row permutations. */
void spmmi_op_forget(struct spmmi_op *op);
/* Returns a new search with an empty list of candidates. It uses the data and the list of `op`. */
struct spmmi_search spmmi_op_search(struct spmmi_op *op, const struct spmmi_request *r, uint32_t layout,
                                    int64_t n);

/* The measurement budget of a whole inspection. */
struct spmmi_tuning {
    double deadline;     /* as a time of omp_get_wtime; 0: none */
    double last_seconds; /* duration of the last measurement */
    bool is_warned;      /* the warning about an invalid measured time has been logged */
};

/* Emits candidates, refines and measures them, and chooses one. Measurements borrow the matrix of `plan`;
 * NULL: nothing is measured. */
spmm_status_t spmmi_search_decide(struct spmmi_search *s, const spmm_plan_t *plan,
                                  struct spmmi_tuning *tuning, struct spmmi_decision *decision,
                                  spmm_diag_t *diag);
/* Returns the candidate with the least time; NULL if none may run. */
const struct spmmi_candidate *spmmi_search_choose(const struct spmmi_search *s);
/* Builds the parts of a candidate: one, or two if rows are split off. The caller owns their items. */
spmm_status_t spmmi_search_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                 struct spmmi_part parts[2], uint32_t *count, spmm_diag_t *diag);

/* Steps of spmmi_search_decide that are in files of their own. */
void spmmi_search_record(const struct spmmi_search *s, const struct spmmi_candidate *winner,
                         struct spmmi_decision *decision);
spmm_status_t spmmi_search_measure(struct spmmi_search *s, const spmm_plan_t *plan,
                                   struct spmmi_tuning *tuning, spmm_diag_t *diag);
/* Returns true if these options allow any family whose time can be predicted on the device. */
bool spmmi_prices(const struct spmmi_request *r);
/* Returns the seconds by which candidates are compared: measured if any candidate was measured, else weighed.
 * INFINITY: the candidate may not run. */
double spmmi_search_value(const struct spmmi_search *s, const struct spmmi_candidate *c);

/* Makes the decisions of one op and target for all wanted ranges and layouts, and merges them. Stores *count
 * of them in decisions[SPMMI_DECISION_MAX]. */
spmm_status_t spmmi_decide(struct spmmi_op *op, const struct spmmi_request *r, const spmm_plan_t *plan,
                           struct spmmi_tuning *tuning, struct spmmi_decision *decisions, int *count,
                           spmm_diag_t *diag);

#endif
