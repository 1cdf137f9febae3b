/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the tensor-core families window, panel and bcsr: dense or packed blocks, height of the units,
 * row permutation, long-row split. */
#ifndef SPMMI_TCBLOCK_PLAN_H
#define SPMMI_TCBLOCK_PLAN_H

#include "tcblock_cost.h"
#include "tcblock_analysis_plan.h"
#include "inspector/search/planner.h"

/* The properties of one family. */
struct spmmi_tcblock_rules {
    spmm_family_t family;
    enum spmmi_tcblock_unit first, last; /* its kinds of units */
    uint32_t free_rows;                  /* taller units have no GPU kernel and must be named; 0: no limit */
    uint32_t (*default_rows)(const struct spmmi_search *s); /* rows per unit if there is no prediction */
    /* Without a long-row split, no unit is split if the longest one has at most this number of steps. NULL:
     * as spmmi_tcblock_item_size says. */
    uint32_t (*uncut_steps)(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f);
};

/* Functions for the planners of these families (inspector/search/planner.h). */
spmm_status_t spmmi_tcblock_check_options(const struct spmmi_request *r,
                                          const struct spmmi_tcblock_rules *rules, spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_propose(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                    spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_refine(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                   spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                  struct spmmi_part *part, spmm_diag_t *diag);

/* Defines the planner of a family. The arguments after its_cost initialise its rules. */
#define SPMMI_TCBLOCK_PLANNER(its_name, its_family, its_cost, ...)                                    \
    static const struct spmmi_tcblock_rules its_name##_rules = {.family = (its_family), __VA_ARGS__}; \
    static spmm_status_t its_name##_check_options(const struct spmmi_request *r, spmm_diag_t *diag)   \
    {                                                                                                 \
        return spmmi_tcblock_check_options(r, &its_name##_rules, diag);                               \
    }                                                                                                 \
    static spmm_status_t its_name##_propose(struct spmmi_search *s, spmm_diag_t *diag)                \
    {                                                                                                 \
        return spmmi_tcblock_propose(s, &its_name##_rules, diag);                                     \
    }                                                                                                 \
    static spmm_status_t its_name##_refine(struct spmmi_search *s, spmm_diag_t *diag)                 \
    {                                                                                                 \
        return spmmi_tcblock_refine(s, &its_name##_rules, diag);                                      \
    }                                                                                                 \
    const struct spmmi_planner its_name = {.family = (its_family),                                    \
                                           .nonzeros_min = SPMMI_NONZEROS_MEASURED,                   \
                                           .permutes_output = 1,                                      \
                                           .check_options = its_name##_check_options,                 \
                                           .propose = its_name##_propose,                             \
                                           .refine = its_name##_refine,                               \
                                           .cost = (its_cost),                                        \
                                           .build = spmmi_tcblock_build}

/* Returns the metrics of a row permutation (NULL: the order of A), which the first call counts. They are
 * exact if the caller names a family. The search owns them. */
spmm_status_t spmmi_tcblock_analysis_of(const struct spmmi_search *s, const uint32_t *permutation,
                                        const struct spmmi_tcblock_analysis **analysis, spmm_diag_t *diag);

/* Fills in a candidate of one kind of unit and one schedule from an analysis, except for its times. The
 * caller owns *metrics, to which the candidate points. */
void spmmi_tcblock_candidate(const struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                             const struct spmmi_tcblock_analysis *analysis, enum spmmi_tcblock_unit unit,
                             spmm_schedule_t schedule, struct spmmi_model_tcblocks *metrics,
                             struct spmmi_candidate *c);

/* Emits the candidates of all kinds of units and schedules in a row permutation; NULL: the order of A. */
spmm_status_t spmmi_tcblock_emit(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                 const struct spmmi_row_permutation *permutation, spmm_diag_t *diag);

/* Returns the number of chunks of 256 rows in the sample. 0: all are counted, because the caller names the
 * family or few rows hold most nonzeros. */
int64_t spmmi_tcblock_sample(const struct spmmi_request *r, const struct spmmi_pattern *a);

/* Returns the mean nonzeros per 64 positions of a block. */
double spmmi_tcblock_analysis_fill(const struct spmmi_tcblock_analysis *analysis,
                                   enum spmmi_tcblock_unit unit);

#endif
