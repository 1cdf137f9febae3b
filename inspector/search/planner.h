/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the inspector and a kernel family: the family proposes candidates, predicts their
 * times, and builds the part of the chosen candidate. Each family of format/family_list.def exports
 * spmmi_NAME_planner from kernels/NAME/NAME_plan.c. */
#ifndef SPMMI_PLANNER_H
#define SPMMI_PLANNER_H

#include <stdbool.h>

#include "format/family.h"
#include "format/plan.h"
#include "inspector/cost/cost_model.h"
#include "inspector/matrix/pattern.h"
#include "inspector/reorder/row_permutation.h"
#include "inspector/request.h"

/* One fact about a candidate for the trace, in addition to the reason why the candidate won or lost. */
struct spmmi_evidence {
    enum spmmi_reason reason;
    double value, threshold;
    /* A schedule that this fact rules out; 0: the fact is about the candidate itself. */
    spmm_schedule_t against;
};
static inline struct spmmi_evidence spmmi_why(enum spmmi_reason reason, double value, double threshold)
{
    return (struct spmmi_evidence){.reason = reason, .value = value, .threshold = threshold};
}
#define SPMMI_EVIDENCE_MAX 3

/* Long rows that a separate kernel computes (kernels/long_rows/long_rows_plan.h). */
struct spmmi_long_rows_split;

struct spmmi_candidate {
    /* What would run. */
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_compute_t compute; /* for tensor cores; 0: the value type of the plan */
    /* As in struct spmmi_part; unit_rows is its block_rows. */
    uint32_t item_size, unit_rows, stage_slots, flags;
    spmm_reorder_t permutation_kind; /* AUTO: the rows are not permuted */
    /* Owned by the planner. NULL: the order of A, or the family stores the permutation elsewhere. */
    const uint32_t *permutation;
    const struct spmmi_long_rows_split *long_rows; /* rows that are split off; NULL: none */
    /* Inputs of the prediction. */
    const void *metrics; /* for the family's cost function; must stay valid until the candidate is emitted */
    double more_seconds; /* added to the result of the cost function */
    double inspect_seconds;    /* inspection time that this candidate adds */
    bool is_against_chart;     /* contradicts the decision chart of the family */
    bool is_shared;            /* lane groups share rows (struct spmmi_prediction) */
    bool is_default;           /* the family's choice if nothing can be predicted */
    enum spmmi_reason refused; /* why it may not run, with two values; 0: it may run */
    double value, threshold;
    struct spmmi_evidence evidence[SPMMI_EVIDENCE_MAX];
    int evidence_count;
    /* Set by the search. */
    double seconds; /* predicted time; 0: no prediction */
    double weighed; /* predicted time x risks of the profile; candidates are compared by this */
    double measured_us;
};

/* One search: it chooses a candidate for one op, target, layout and number of columns. Searches of an op
 * share its data. */
struct spmmi_op;
struct spmmi_search {
    const struct spmmi_request *request; /* for a device, or for the CPU beside it */
    const struct spmmi_pattern *pattern;
    const struct spmmi_model_matrix *model;
    struct spmmi_row_permutations *permutations;
    struct spmmi_op *op;
    uint32_t layout; /* one bit of SPMM_LAYOUTS_ */
    int64_t n;
    bool is_relaxed; /* last resort: candidates without measured constants may run */
    struct spmmi_candidate *list;
    int count;
    double best; /* smallest weighed time of the candidates that may run; INFINITY: none yet */
};
/* A value for nonzeros_min below: few smaller matrices were measured, and launch time dominates them
 * (docs/decisions/0127). */
#define SPMMI_NONZEROS_MEASURED 20000
/* A smaller value for products of many columns, of which launch time is a small part: for row-major f32 with at
 * least SPMMI_COLUMNS_MEASURED columns all families were measured (docs/decisions/0130). */
#define SPMMI_NONZEROS_WIDE 2000
#define SPMMI_COLUMNS_MEASURED 65536
/* A smaller value for column-major products (small_columns_min): the smallest matrix that was measured has 1,712
 * nonzeros (docs/decisions/0136). */
#define SPMMI_NONZEROS_SMALL 1500
#define SPMMI_CANDIDATES_MAX 160 /* per search; all families together emit at most 80 */

struct spmmi_planner {
    spmm_family_t family;
    bool prices_cpu; /* the cost function predicts times on CPUs */
    /* The family's GPU kernels need a library that may be missing at run time. Plans keep a part of the first
     * family for that case. */
    bool needs_library;
    /* The default choice considers the family only for matrices with at least this many nonzeros, or
     * SPMMI_NONZEROS_WIDE if B is wide. 0: for all. */
    int64_t nonzeros_min;
    /* SPMMI_NONZEROS_SMALL applies to column-major f32 and f64 with at least this number of columns, for which
     * the family was measured with small matrices (docs/decisions/0136). 0: it was not. */
    int64_t small_columns_min;
    int permutes_output; /* 0: never; 1: only if the caller names the family; 2: also in the default choice */
    /* Checks the options that concern the family; called if the caller names it. NULL: any options are
     * valid. */
    spmm_status_t (*check_options)(const struct spmmi_request *r, spmm_diag_t *diag);
    /* Emits the candidates whose metrics are cheap to compute. */
    spmm_status_t (*propose)(struct spmmi_search *s, spmm_diag_t *diag);
    /* Called after propose of all families. Emits the candidates whose metrics are expensive, unless a bound
     * prunes them. NULL: there are none. */
    spmm_status_t (*refine)(struct spmmi_search *s, spmm_diag_t *diag);
    spmmi_cost_fn *cost;
    /* Builds the items of *part, whose other fields the caller has filled in. Builds the part of the long
     * rows in part[1] if c splits rows off. */
    spmm_status_t (*build)(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag);
    /* Computes the exact metrics of the winner. A plan stores them for one part. NULL: the family has
     * none. */
    spmm_status_t (*metrics)(const struct spmmi_search *s, const struct spmmi_candidate *c,
                             spmm_row_block_metrics_t *stats, spmm_diag_t *diag);
    /* Reports how executors on GPUs store op(A) for a part; sets all fields but has_uniform_values. NULL:
     * spmm_plan_stream reports nothing. */
    spmm_status_t (*stream)(const spmm_plan_t *plan, const struct spmmi_part *part, spmm_dtype_t dtype,
                            int has_one_column, uint64_t budget_bytes, spmm_stream_info_t *info,
                            spmm_diag_t *diag);
};
const struct spmmi_planner *spmmi_planner_of(spmm_family_t family);

/* Predicts the time of a candidate of any family: calls spmmi_model_predict with the family's cost
 * function. */
struct spmmi_prediction spmmi_predict(const struct spmmi_device_profile *profile,
                                      const struct spmmi_model_matrix *matrix,
                                      const struct spmmi_model_candidate *candidate, int64_t n,
                                      uint32_t layout, spmm_dtype_t dtype);

/* ---- For planners ---- */

/* Returns true if the caller named a family. */
static inline bool spmmi_is_forced(const struct spmmi_search *s)
{
    return s->request->family != 0;
}
/* Predicts the time of a candidate, sets its seconds and weighed, and appends it to the list. Errors:
 * INTERNAL (too many candidates). */
spmm_status_t spmmi_search_emit(struct spmmi_search *s, struct spmmi_candidate *c, spmm_diag_t *diag);
/* Returns the compute type of the family's candidates for tensor cores; 0 if it has none. */
spmm_compute_t spmmi_search_compute(const struct spmmi_search *s, const struct spmmi_family *row);
/* Appends a candidate that may not run, to record the reason. */
spmm_status_t spmmi_search_refuse(struct spmmi_search *s, spmm_family_t family, spmm_schedule_t schedule,
                                  spmm_reorder_t permutation_kind, const struct spmmi_evidence *why,
                                  spmm_diag_t *diag);
/* Returns the predicted seconds of a candidate without emitting it; 0: no prediction. Sets c->is_shared. */
double spmmi_search_price(const struct spmmi_search *s, struct spmmi_candidate *c);
/* Returns the risk of a candidate: the factor by which its predicted time is multiplied. */
double spmmi_search_risk(const struct spmmi_search *s, const struct spmmi_candidate *c);
/* Returns the best candidate of the family so far that has a prediction and no long-row split; NULL if there
 * is none. schedule 0 means any. Candidates with a permutation count only if in_any_order is set. */
const struct spmmi_candidate *spmmi_search_leader(const struct spmmi_search *s, spmm_family_t family,
                                                  spmm_schedule_t schedule, bool in_any_order);
/* Sets *repays to whether the expected calls repay inspect_seconds if they lower the best time to `bound`
 * seconds. Adds a refusal if they do not. */
spmm_status_t spmmi_search_repays(struct spmmi_search *s, spmm_family_t family, spmm_reorder_t kind,
                                  double inspect_seconds, double bound, bool *repays, spmm_diag_t *diag);
/* Estimates the seconds that a permutation of the rows takes. */
double spmmi_permutation_seconds(const struct spmmi_search *s);

/* Returns memory that is cached under the key `owner` for all searches of the op; NULL: out of memory. The
 * first call allocates `size` bytes and zeroes them; later calls return the same memory. close is called
 * before the memory is freed. */
void *spmmi_search_cache(const struct spmmi_search *s, const void *owner, size_t size, void (*close)(void *));
/* Records a permutation of units that are not rows, for the permutation metrics of the plan. The arrays are
 * borrowed. */
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
