/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the families of the tensor cores, window, panel and bcsr: dense or packed blocks, height of the units,
 * row permutation, long-row split. */
#ifndef SPMMI_TCBLOCK_PLAN_H
#define SPMMI_TCBLOCK_PLAN_H

#include "tcblock_cost.h"
#include "tcblock_analysis_plan.h"
#include "inspector/search/planner.h"

/* What a family has of its own. */
struct spmmi_tcblock_rules {
    spmm_family_t family;
    enum spmmi_tcblock_unit first, last; /* its units */
    uint32_t free_rows;                  /* taller units have no kernel on a GPU and must be named; 0: none */
    uint32_t (*default_rows)(const struct spmmi_search *s); /* of a unit where nothing is predicted */
    /* Steps of the longest unit up to which none is cut, without a long-row split; NULL: as spmmi_tcblock_item_size
     * says. */
    uint32_t (*uncut_steps)(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f);
};

/* Hooks of their planners (inspector/search/planner.h). */
spmm_status_t spmmi_tcblock_check_options(const struct spmmi_request *r,
                                          const struct spmmi_tcblock_rules *rules, spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_propose(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                    spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_refine(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                   spmm_diag_t *diag);
spmm_status_t spmmi_tcblock_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                  struct spmmi_part *part, spmm_diag_t *diag);

/* The planner of a family; behind its cost: its rules. */
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

/* Metrics of a row permutation (NULL: the order of A), counted at the first call: exact where the caller names a
 * family. */
spmm_status_t spmmi_tcblock_analysis_of(const struct spmmi_search *s, const uint32_t *permutation,
                                        const struct spmmi_tcblock_analysis **analysis, spmm_diag_t *diag);

/* A candidate of one unit and schedule by the metrics of an analysis, with everything but seconds filled in; metrics
 * and the candidate's pointer to it are the caller's. */
void spmmi_tcblock_candidate(const struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                             const struct spmmi_tcblock_analysis *analysis, enum spmmi_tcblock_unit unit,
                             spmm_schedule_t schedule, struct spmmi_model_tcblocks *metrics,
                             struct spmmi_candidate *c);

/* Emit all units and schedules of a permutation of the rows; NULL: that of A. */
spmm_status_t spmmi_tcblock_emit(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                 const struct spmmi_row_permutation *permutation, spmm_diag_t *diag);

/* Chunks of 256 rows in the sample of an analysis; 0: all are counted, where the caller names the family or few rows
 * hold most nonzeros. */
int64_t spmmi_tcblock_sample(const struct spmmi_request *r, const struct spmmi_pattern *a);

/* Nonzeros of 64 positions of a unit's mean block. */
double spmmi_tcblock_analysis_fill(const struct spmmi_tcblock_analysis *analysis,
                                   enum spmmi_tcblock_unit unit);

#endif
