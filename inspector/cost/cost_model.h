/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model: the predicted time of a product, from metrics of the matrix and a device profile (docs/model.md).
 *
 *     T = T_start + further launches + (sum over terms (factor * term)^norm)^(1/norm) + factor * conversions
 *
 * with terms DRAM, L2, L1 or shared memory, arithmetic, issue, waves and longest walk. A pure function: the same
 * metrics give the same prediction. */
#ifndef SPMMI_COST_MODEL_H
#define SPMMI_COST_MODEL_H

#include <spmm/plan.h>

#include "device_profile.h"
#include "format/matrix/row_slices.h"

#define SPMMI_MODEL_NORM 4.0    /* of constants that have none */
#define SPMMI_MODEL_ITEM_SIZE 8 /* nonzeros of an item of the rows family */
#define SPMMI_REUSE_BINS 34
#define SPMMI_STEP_LEVELS 9 /* 1, 2, 4 .. 256 consecutive items */

/* Bin b counts windows of 2^b nonzeros. */
struct spmmi_model_locality {
    double near[SPMMI_REUSE_BINS]; /* share of nonzeros whose column came at most 2^b nonzeros before */
    double working_set[SPMMI_REUSE_BINS]; /* distinct columns of a window, mean */
};

/* Metrics of op(A) that any prediction needs; O(nnz), one counter a column. */
struct spmmi_model_matrix {
    double rows, cols, nnz;
    double rows_used, cols_used; /* that hold nonzeros */
    double longest;              /* nonzeros of the longest row */
    int has_equal_values;        /* all values are known to be the same: rows need not read them */
    /* Locality of the columns: in the order of the rows, and where blocks of nonzeros are walked side by side, as
     * thread blocks of a nonzero split do. */
    struct spmmi_model_locality by_rows, side_by_side;
    /* Row split: items of consecutive rows (SPMMI_MODEL_ITEM_SIZE), walked in steps of 4 nonzeros. */
    double items, item_longest;           /* steps */
    double item_steps[SPMMI_STEP_LEVELS]; /* sum over groups of 2^i items of the steps of the longest */
    struct spmmi_row_slices slices;       /* one column */
};
spmm_status_t spmmi_model_analysis(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   struct spmmi_model_matrix *matrix, spmm_diag_t *diag);

/* The candidate whose time is predicted. */
struct spmmi_model_candidate {
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_compute_t compute; /* of tensor cores */
    const void *metrics;    /* metrics that the cost function of the family reads; its own header has them */
};

struct spmmi_prediction {
    double seconds;
    double launches;               /* after the first */
    double early_s;                /* of the first, what a start before the end of the kernel before hides */
    double term[SPMMI_TERMS];      /* seconds, before their factors */
    enum spmmi_model_term binding; /* the largest after their factors */
    double l1_share, l2_share;     /* of gathers that hit the L1 and the last cache, of all */
    int is_shared;                 /* rows, several columns: groups of lanes share a row */
    int kernel;                    /* where the profile has the constants (spmmi_profile_name) */
    const struct spmmi_model_constants
        *own; /* of another kernel than the profile's constants are for; NULL: those of the profile */
};

/* The value type that the constants of a candidate are for. */
enum spmmi_model_type spmmi_model_type_of(spmm_family_t family, spmm_compute_t compute, spmm_dtype_t dtype);

/* Terms of one family: prediction->term, launches and the shares. Returns 0 where there is no model for such a
 * device. */
struct spmmi_model_query {
    const struct spmmi_device_profile *profile;
    const struct spmmi_model_matrix *matrix;
    const struct spmmi_model_candidate *candidate;
    double n, value_bytes;
    int is_col_major;
};
typedef int spmmi_cost_fn(const struct spmmi_model_query *q, struct spmmi_prediction *p);

/* layout is one SPMM_LAYOUTS_* bit, of B and of C. seconds 0: no prediction. */
struct spmmi_prediction spmmi_model_predict(spmmi_cost_fn *cost, const struct spmmi_device_profile *profile,
                                            const struct spmmi_model_matrix *matrix,
                                            const struct spmmi_model_candidate *candidate, int64_t n,
                                            uint32_t layout, spmm_dtype_t dtype);

/* The same with the constants given, as a fit needs it: seconds from the prediction's terms. */
double spmmi_model_combine(const struct spmmi_model_constants *constants, const double term[SPMMI_TERMS],
                           double launch_s, double launches);

/* The hit rate of a cache of `columns` columns, in one of the orders of the matrix, and the window of nonzeros that
 * holds so many distinct columns: Che's characteristic time, from measured reuse instead of popularity. others: what
 * else comes to the cache for each nonzero, in columns. */
struct spmmi_model_hit {
    double share, window;
};
struct spmmi_model_hit spmmi_model_hits(const struct spmmi_model_matrix *matrix,
                                        const struct spmmi_model_locality *locality, double columns,
                                        double others);
/* The share in a window of so many nonzeros. */
double spmmi_model_reuse_distance(const struct spmmi_model_locality *locality, double window);

#define SPMMI_MODEL_STEP_CYCLES 800.0 /* cycles of a step: about one gather past the L1 cache */

#endif
