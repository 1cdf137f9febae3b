/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the inspector and a kernel family: its candidates, their predicted times, and the part of the
 * chosen one. Each family of format/family_list.def exports spmmi_NAME_planner from kernels/NAME/NAME_plan.c. */
#ifndef SPMMI_PLANNER_H
#define SPMMI_PLANNER_H

#include <stdbool.h>

#include "format/family.h"
#include "format/plan.h"
#include "inspector/cost/cost_model.h"
#include "inspector/matrix/pattern.h"
#include "inspector/reorder/row_permutation.h"
#include "inspector/request.h"

/* A trace entry about a candidate beside the reason why it won or lost. */
struct spmmi_evidence {
    enum spmmi_reason reason;
    double value, threshold;
    spmm_schedule_t against; /* a schedule that this rules out; 0: it is about the candidate itself */
};
static inline struct spmmi_evidence spmmi_why(enum spmmi_reason reason, double value, double threshold)
{
    return (struct spmmi_evidence){.reason = reason, .value = value, .threshold = threshold};
}
#define SPMMI_EVIDENCE_MAX 3

/* Long rows, which a separate kernel computes (kernels/long_rows/long_rows_plan.h). */
struct spmmi_long_rows_split;

struct spmmi_candidate {
    /* What would run. */
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_compute_t compute;                            /* of tensor cores; 0: that of the plan's value type */
    uint32_t item_size, unit_rows, stage_slots, flags; /* as in struct spmmi_part; unit_rows: block_rows */
    spmm_reorder_t permutation_kind;                   /* AUTO: the rows are as they are */
    const uint32_t
        *permutation; /* owned by the planner; NULL: the order of A, or the family has it elsewhere */
    const struct spmmi_long_rows_split *long_rows; /* rows split off; NULL: none */
    /* What its prediction depends on. */
    const void *metrics;       /* of the family's cost function; needed until the candidate is emitted */
    double more_seconds;       /* seconds added to that prediction */
    double inspect_seconds;    /* inspection time that it adds */
    bool is_against_chart;     /* contrary to the rule of the family */
    bool is_shared;            /* groups of lanes share rows (struct spmmi_prediction) */
    bool is_default;           /* what the family would run where nothing is predicted */
    enum spmmi_reason refused; /* why it may not run, with two values; 0: it may */
    double value, threshold;
    struct spmmi_evidence evidence[SPMMI_EVIDENCE_MAX];
    int evidence_count;
    /* Set by the search. */
    double seconds; /* predicted; 0: nothing is */
    double weighed; /* the prediction times the risks of the profile: compared between candidates */
    double measured_us;
};

/* A search: the choice for one op, target, layout and number of columns. Data of the op are made once. */
struct spmmi_op;
struct spmmi_search {
    const struct spmmi_request *request; /* device: what the plan is for, or the CPU beside it */
    const struct spmmi_pattern *pattern;
    const struct spmmi_model_matrix *model;
    struct spmmi_row_permutations *permutations;
    struct spmmi_op *op;
    uint32_t layout; /* one bit */
    int64_t n;
    bool is_relaxed; /* last resort: candidates without measured data may run */
    struct spmmi_candidate *list;
    int count;
    double best; /* the smallest weighed time of those that may run; INFINITY: none yet */
};
/* For nonzeros_min below: few smaller matrices were measured, and launch time dominates them (docs/decisions/0127). */
#define SPMMI_NONZEROS_MEASURED 20000
#define SPMMI_CANDIDATES_MAX 160 /* of one search; the families together emit 80 at most */

struct spmmi_planner {
    spmm_family_t family;
    bool prices_cpu; /* the cost function knows CPUs */
    /* Its kernels on a GPU need a library that may be missing there: plans keep a part of the first family for that
     * case. */
    bool needs_library;
    /* Free choices, of matrices with as many nonzeros at least; 0: all. */
    int64_t nonzeros_min;
    int permutes_output; /* 1: if the caller names the family; 2: also where nobody names one; 0: never */
    /* Options that concern the family, which the caller named. NULL: it takes all of them. */
    spmm_status_t (*check_options)(const struct spmmi_request *r, spmm_diag_t *diag);
    /* Emit candidates whose metrics are cheap .. */
    spmm_status_t (*propose)(struct spmmi_search *s, spmm_diag_t *diag);
    /* .. and then, after all families, those with expensive metrics, unless a bound prunes them. NULL: none. */
    spmm_status_t (*refine)(struct spmmi_search *s, spmm_diag_t *diag);
    spmmi_cost_fn *cost;
    /* The part of a candidate, all fields of which but the items are filled in, and behind it that of its long rows. */
    spmm_status_t (*build)(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag);
    /* Exact metrics of the winner, which the plan holds for one part. NULL: none. */
    spmm_status_t (*metrics)(const struct spmmi_search *s, const struct spmmi_candidate *c,
                             spmm_row_block_metrics_t *stats, spmm_diag_t *diag);
    /* How executors on GPUs hold op(A) for a part, but for lacks_values. NULL: spmm_plan_stream says nothing. */
    spmm_status_t (*stream)(const spmm_plan_t *plan, const struct spmmi_part *part, spmm_dtype_t dtype,
                            int has_one_column, uint64_t budget_bytes, spmm_stream_info_t *info,
                            spmm_diag_t *diag);
};
const struct spmmi_planner *spmmi_planner_of(spmm_family_t family);

/* The predicted time of a candidate of any family (spmmi_model_predict with its cost function). */
struct spmmi_prediction spmmi_predict(const struct spmmi_device_profile *profile,
                                      const struct spmmi_model_matrix *matrix,
                                      const struct spmmi_model_candidate *candidate, int64_t n,
                                      uint32_t layout, spmm_dtype_t dtype);

/* ---- For planners ---- */

/* The caller named a family. */
static inline bool spmmi_is_forced(const struct spmmi_search *s)
{
    return s->request->family != 0;
}
/* Price a candidate and add it. Its seconds and weighed time are filled in. Errors: INTERNAL (too many). */
spmm_status_t spmmi_search_emit(struct spmmi_search *s, struct spmmi_candidate *c, spmm_diag_t *diag);
/* The compute type of this family's candidates for tensor cores; 0: it has none. */
spmm_compute_t spmmi_search_compute(const struct spmmi_search *s, const struct spmmi_family *row);
/* A candidate that may not run: only the reason is known. */
spmm_status_t spmmi_search_refuse(struct spmmi_search *s, spmm_family_t family, spmm_schedule_t schedule,
                                  spmm_reorder_t permutation_kind, const struct spmmi_evidence *why,
                                  spmm_diag_t *diag);
/* Predicted seconds of a candidate, without emitting it; 0: no prediction. */
double spmmi_search_price(const struct spmmi_search *s, struct spmmi_candidate *c);
/* The risk: the factor of its prediction. */
double spmmi_search_risk(const struct spmmi_search *s, const struct spmmi_candidate *c);
/* The best candidate of the family so far, without a permutation (or with any), without a long-row split. NULL: none
 * that is priced. */
const struct spmmi_candidate *spmmi_search_leader(const struct spmmi_search *s, spmm_family_t family,
                                                  spmm_schedule_t schedule, bool in_any_order);
/* Do the expected calls repay so much inspection time, if the best time falls to `bound`? *repays is the answer; adds a
 * refusal if not. */
spmm_status_t spmmi_search_repays(struct spmmi_search *s, spmm_family_t family, spmm_reorder_t kind,
                                  double inspect_seconds, double bound, bool *repays, spmm_diag_t *diag);
/* Seconds that a permutation of the rows costs, about. */
double spmmi_permutation_seconds(const struct spmmi_search *s);

/* A cache entry of an owner for all searches of the op: `size` bytes, zeroed first, the same at each call; NULL: out of
 * memory. close is called at the end. */
void *spmmi_search_cache(const struct spmmi_search *s, const void *owner, size_t size, void (*close)(void *));
/* Record a permutation of units that are not rows, for the permutation metrics of the plan. */
struct spmmi_unit_permutation {
    uint64_t units;
    const int64_t *unit_ptr;
    spmm_reorder_t kind;
    const uint32_t *permutation;
};
spmm_status_t spmmi_search_note_permutation(const struct spmmi_search *s,
                                            const struct spmmi_unit_permutation *permutation,
                                            spmm_diag_t *diag);

#endif
