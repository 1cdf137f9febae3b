/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of the families of the tensor cores, window, panel and bcsr, for one op, layout and number of
 * columns: family, dense or packed blocks, height of the panels, order of the rows. */
#ifndef SPMMI_CHOOSE_FRAGMENT_H
#define SPMMI_CHOOSE_FRAGMENT_H

#include "fragment_study_plan.h"
#include "inspector/cost/model_refined.h"
#include "inspector/reorder/row_order.h"

/* Orders of the rows of op(A), and the figures of those that were looked at. */
struct spmmi_fragment_studies {
    struct spmmi_row_orders orders;
    struct {
        const uint32_t *order; /* NULL: that of A */
        struct spmmi_fragment_study study;
    } list[SPMMI_ORDER_KINDS];
    int count;
    double likeness; /* of rows that are apart; 0: not looked at */
};
void spmmi_fragment_studies_free(struct spmmi_fragment_studies *studies);

struct spmmi_fragment_option {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t panel_rows, granule;
    const uint32_t *order; /* as above */
    double seconds;        /* predicted; 0 without a model */
    double blocks;
    double density; /* nonzeros of a mean block of 8 x 8 of windows, in that order */
    double fill;    /* bcsr: nonzeros of 64 places of its own blocks; else the same as density */
};
#define SPMMI_FRAGMENT_OPTIONS 5 /* dense and packed, of window and of panel, and dense of bcsr */

struct spmmi_fragment_choice {
    struct spmmi_fragment_option best;                         /* of what may be taken; family 0: nothing */
    struct spmmi_fragment_option list[SPMMI_FRAGMENT_OPTIONS]; /* the best of each family and schedule */
    int count;
    double margin; /* spmmi_fragment_margin */
    bool is_taken; /* set by the caller, who compares it with other families */
    /* The best in each order but that of A, and blocks without it. */
    struct {
        struct spmmi_fragment_option option;
        spmm_reorder_t kind;
        double blocks;
    } orders[SPMMI_ORDER_KINDS];
    int order_count;
};

/* Nonzeros of a block of 8 x 8 below which tensor cores are not taken freely: none of the 4,400 products of windows and
 * panels of such blocks that were measured was faster than rows. */
#define SPMMI_FRAGMENT_DENSITY 12.0
/* The same of 64 places of the blocks of bcsr, a third of them: it holds zeros where these are empty. With fewer,
 * panels or windows were measured to be faster, but where strips are too few to be taken. */
#define SPMMI_FRAGMENT_BCSR_FILL 21.0
static inline double spmmi_fragment_fill_least(spmm_family_t family)
{
    return family == SPMM_FAMILY_BCSR ? SPMMI_FRAGMENT_BCSR_FILL : SPMMI_FRAGMENT_DENSITY;
}
/* Of the time of another family, what tensor cores must be predicted to take at most (decision 0018). For few columns
 * rows are predicted too fast rather than too slow. */
static inline double spmmi_fragment_margin(uint32_t layout, int64_t n)
{
    return layout == SPMM_LAYOUT_ROW_MAJOR && n <= 64 ? 0.95 : 0.85;
}

/* layout is one bit. model may be NULL, where the caller wants the family: then nothing is predicted, and dense or
 * packed, and heights, follow rules. to_beat: the seconds below which the choice is taken; INFINITY where the caller
 * wants it anyway. Schedule, panel_rows and order are as the caller named them; unnamed orders are tried only where
 * they could pay. Errors: MEMORY; ARGUMENT as spmmi_row_order_of. */
spmm_status_t spmmi_choose_fragment(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    struct spmmi_fragment_studies *studies,
                                    const struct spmmi_model_matrix *model, uint32_t layout, int64_t n,
                                    double to_beat, struct spmmi_fragment_choice *choice, spmm_diag_t *diag);

/* Records of the choice. others_us: what the best of the other families is predicted to take. Returns how many. */
#define SPMMI_FRAGMENT_TRACE_MAX (SPMMI_FRAGMENT_OPTIONS + SPMMI_ORDER_KINDS)
int spmmi_fragment_trace(const struct spmmi_request *r, const struct spmmi_fragment_choice *choice,
                         double others_us, struct spmmi_trace list[SPMMI_FRAGMENT_TRACE_MAX]);

/* How many strips of a study stand for all; 0: all are counted, where the caller wants the family or few rows hold
 * much. */
int64_t spmmi_fragment_sample(const struct spmmi_request *r, const struct spmmi_pattern *a);

/* Nonzeros of 64 places of a unit's mean block. */
double spmmi_fragment_study_fill(const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit);

/* Does the profile have constants for a family as the caller lets it multiply? */
bool spmmi_fragment_is_fitted(const struct spmmi_request *r, spmm_family_t family);

/* Family, schedule, items and the rest of a part. Errors: MEMORY. */
spmm_status_t spmmi_fragment_part(const struct spmmi_pattern *a, const struct spmmi_decision *d,
                                  struct spmmi_part *part, spmm_diag_t *diag);

#endif
