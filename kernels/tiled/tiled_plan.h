/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of the tiled family for one op, layout and number of columns: the decision chart and whether the
 * model overrules it, the height of the panels, and whether they take the units by pattern. */
#ifndef SPMMI_CHOOSE_TILED_H
#define SPMMI_CHOOSE_TILED_H

#include "tiled_chart_plan.h"
#include "inspector/cost/model_refined.h"
#include "tiled_study_plan.h"

struct spmmi_tiled_choice {
    struct spmmi_balance
        balance; /* reason FORCED where the caller decided, PREDICTED where the model overruled */
    struct spmmi_balance chart; /* what the chart proposed; the same as balance where nothing overruled it */
    double chart_seconds;       /* predicted of that, in the order of A; 0 without a model */
    double
        other_seconds;  /* of whole rows where the chart cuts, of segments where it does not; 0: not asked */
    double utilisation; /* U of whole rows, which the chart asks first */
    uint32_t panel_rows, flags;
    struct spmmi_tiled_study *study;
    spmm_panel_stats_t stats; /* of the order that is kept */
    double seconds;           /* predicted; 0 without a model */
    /* The order by pattern, where it was tried: intensities of Eq. 3, or 6 for segments, with the sectors of C that
     * a warp writes counted. */
    bool is_tried;
    double intensity, intensity_reordered, seconds_reordered;
};

/* layout is one bit. model may be NULL: then nothing is predicted. to_beat: the seconds below which the configuration
 * is taken; INFINITY where the caller wants it anyway. The order by pattern costs a sort, so unless the caller names
 * it, it is tried only where it could beat that. Errors: MEMORY, MATRIX_TOO_LARGE. */
spmm_status_t spmmi_choose_tiled(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                 struct spmmi_tiled_studies *studies, const struct spmmi_model_matrix *model,
                                 uint32_t layout, int64_t n, double to_beat,
                                 struct spmmi_tiled_choice *choice, spmm_diag_t *diag);

/* Records of the choice: the chart's path, what overruled it, the order. rows_us: what won instead, 0 if tiled did.
 * Returns how many. */
#define SPMMI_TILED_TRACE_MAX 5
int spmmi_tiled_trace(const struct spmmi_request *r, const struct spmmi_tiled_choice *choice, double rows_us,
                      struct spmmi_trace list[SPMMI_TILED_TRACE_MAX]);

/* What writing a column-major C in another order than that of its rows adds, for the spread of that order: stores that
 * fall into sectors of their own go at the rate of single numbers, in the last cache or beyond it, as many rows of as
 * many columns of C as are written at a time. */
double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double spread, int64_t n);

/* Family, schedule, items and the rest of a part. Errors: MEMORY. */
spmm_status_t spmmi_tiled_part(const struct spmmi_tiled_study *study, const struct spmmi_decision *d,
                               spmm_op_t op, struct spmmi_part *part, spmm_diag_t *diag);

#endif
