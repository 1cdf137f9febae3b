/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the families of the tensor cores, window, panel and bcsr: dense or packed blocks, height of the units,
 * order of the rows, rows split off. */
#ifndef SPMMI_FRAGMENT_PLAN_H
#define SPMMI_FRAGMENT_PLAN_H

#include "fragment_cost.h"
#include "fragment_study_plan.h"
#include "inspector/search/planner.h"

/* What a family has of its own. */
struct spmmi_fragment_rules {
    spmm_family_t family;
    enum spmmi_fragment_unit first, last;                   /* its units */
    uint32_t free_rows;                                     /* taller units must be named; 0: none */
    uint32_t (*default_rows)(const struct spmmi_search *s); /* of a unit where nothing is predicted */
};

/* Hooks of their planners (inspector/search/planner.h). */
spmm_status_t spmmi_fragment_check_options(const struct spmmi_request *r, spmm_diag_t *diag);
spmm_status_t spmmi_fragment_propose(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                     spmm_diag_t *diag);
spmm_status_t spmmi_fragment_refine(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                    spmm_diag_t *diag);
spmm_status_t spmmi_fragment_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                   struct spmmi_part *part, spmm_diag_t *diag);

/* The planner of a family; behind its cost: its rules. */
#define SPMMI_FRAGMENT_PLANNER(its_name, its_family, its_cost, ...)                                    \
    static const struct spmmi_fragment_rules its_name##_rules = {.family = (its_family), __VA_ARGS__}; \
    static spmm_status_t its_name##_propose(struct spmmi_search *s, spmm_diag_t *diag)                 \
    {                                                                                                  \
        return spmmi_fragment_propose(s, &its_name##_rules, diag);                                     \
    }                                                                                                  \
    static spmm_status_t its_name##_refine(struct spmmi_search *s, spmm_diag_t *diag)                  \
    {                                                                                                  \
        return spmmi_fragment_refine(s, &its_name##_rules, diag);                                      \
    }                                                                                                  \
    const struct spmmi_planner its_name = {.family = (its_family),                                     \
                                           .nonzeros_least = SPMMI_NONZEROS_MEASURED,                  \
                                           .permutes_output = 1,                                       \
                                           .check_options = spmmi_fragment_check_options,              \
                                           .propose = its_name##_propose,                              \
                                           .refine = its_name##_refine,                                \
                                           .cost = (its_cost),                                         \
                                           .build = spmmi_fragment_build}

/* Figures of an order (NULL: that of A), counted when it is first asked for: exact where the caller names a family. */
spmm_status_t spmmi_fragment_study_of(const struct spmmi_search *s, const uint32_t *order,
                                      const struct spmmi_fragment_study **study, spmm_diag_t *diag);

/* A candidate of one unit and schedule by the figures of a study, with everything but seconds filled in; metrics and
 * the candidate's pointer to it are the caller's. */
void spmmi_fragment_candidate(const struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                              const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit,
                              spmm_schedule_t schedule, struct spmmi_model_fragments *metrics,
                              struct spmmi_candidate *c);

/* Emit all units and schedules of an order of the rows; NULL: that of A. */
spmm_status_t spmmi_fragment_emit(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                  const struct spmmi_row_order *order, spmm_diag_t *diag);

/* How many strips of a study stand for all; 0: all are counted, where the caller names the family or few rows hold
 * much. */
int64_t spmmi_fragment_sample(const struct spmmi_request *r, const struct spmmi_pattern *a);

/* Nonzeros of 64 places of a unit's mean block. */
double spmmi_fragment_study_fill(const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit);

#endif
