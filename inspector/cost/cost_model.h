/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model predicts the time of a product from metrics of the matrix and a device profile
 * (docs/model.md).
 *
 *     T = T_start + further launches + (sum over terms (factor * term)^norm)^(1/norm) + factor * conversions
 *
 * The terms are DRAM, L2, L1 or shared memory, arithmetic, issue, waves and longest walk. The model is a pure
 * function: the same metrics always give the same prediction. */
#ifndef SPMMI_COST_MODEL_H
#define SPMMI_COST_MODEL_H

#include <spmm/plan.h>

#include "device_profile.h"
#include "format/matrix/row_slices.h"

#define SPMMI_MODEL_NORM 4.0    /* norm of constants without one */
#define SPMMI_MODEL_ITEM_SIZE 8 /* item size of the row splits that the analysis assumes, in nonzeros */
#define SPMMI_REUSE_BINS 34
#define SPMMI_STEP_LEVELS 9 /* 1, 2, 4 .. 256 consecutive items */

/* Locality of the columns in one order of the nonzeros. Bin b is for windows of 2^b consecutive nonzeros. */
struct spmmi_model_locality {
    double near[SPMMI_REUSE_BINS]; /* share of nonzeros whose column was used at most 2^b nonzeros earlier */
    double working_set[SPMMI_REUSE_BINS]; /* mean number of distinct columns in a window */
};

/* Metrics of op(A) that every prediction needs. */
struct spmmi_model_matrix {
    double rows, cols, nnz;
    double rows_used, cols_used; /* number of rows and columns with nonzeros */
    double longest;              /* nonzeros of the longest row */
    int has_equal_values;        /* all values are known to be equal, so the rows family need not read them */
    /* Locality in the order of the rows, and if blocks of nonzeros are processed side by side, as by the
     * thread blocks of a nonzero split. */
    struct spmmi_model_locality by_rows, side_by_side;
    /* A row split into items of at least SPMMI_MODEL_ITEM_SIZE nonzeros, processed in steps of 4 nonzeros. */
    double items, item_longest;           /* number of items; steps of the longest item */
    double item_steps[SPMMI_STEP_LEVELS]; /* groups of 2^i items: sum of the steps of their longest items */
    struct spmmi_row_slices slices;       /* for products with one column */
};
/* Computes the metrics, except has_equal_values, in O(nnz)
 * time with one counter per column. Errors: MEMORY. */
spmm_status_t spmmi_model_analysis(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   struct spmmi_model_matrix *matrix, spmm_diag_t *diag);

/* The candidate whose time is predicted. */
struct spmmi_model_candidate {
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_compute_t compute; /* compute type, for families that use tensor cores */
    const void *metrics;    /* metrics for the cost function of the family, which its header declares */
};

struct spmmi_prediction {
    double seconds;
    double launches;               /* number of launches after the first */
    double early_s;                /* seconds saved by a start before the end of the previous kernel */
    double term[SPMMI_TERMS];      /* seconds, without the factors */
    enum spmmi_model_term binding; /* the largest term, with the factors */
    double l1_share, l2_share;     /* share of all gathers that hit the L1 cache and the last cache */
    int is_shared;                 /* family rows, several columns: several lane groups share a row */
    int kernel;                    /* index of the constants in the profile (spmmi_profile_name) */
    const struct spmmi_model_constants
        *own; /* constants for a kernel that the profile has no constants for; NULL: those of the profile */
};

/* Returns the type of the constants for a candidate. */
enum spmmi_model_type spmmi_model_type_of(spmm_family_t family, spmm_compute_t compute, spmm_dtype_t dtype);

/* The cost function of a family. It sets the terms, launches and shares of the prediction. It returns 0 if
 * there is no model for this device or product. */
struct spmmi_model_query {
    const struct spmmi_device_profile *profile;
    const struct spmmi_model_matrix *matrix;
    const struct spmmi_model_candidate *candidate;
    double n, value_bytes;
    int is_col_major;
};
typedef int spmmi_cost_fn(const struct spmmi_model_query *q, struct spmmi_prediction *p);

/* Predicts the time of a product. layout is one SPMM_LAYOUTS_* bit, for both B and C. If there is no
 * prediction, seconds is 0. */
struct spmmi_prediction spmmi_model_predict(spmmi_cost_fn *cost, const struct spmmi_device_profile *profile,
                                            const struct spmmi_model_matrix *matrix,
                                            const struct spmmi_model_candidate *candidate, int64_t n,
                                            uint32_t layout, spmm_dtype_t dtype);

/* Returns the predicted seconds for given terms and constants. A fit of constants uses it directly. */
double spmmi_model_combine(const struct spmmi_model_constants *constants, const double term[SPMMI_TERMS],
                           double launch_s, double launches);

/* Returns the hit rate (share) of a cache that can hold `columns` columns, for one
 * order of the nonzeros. window is the number of nonzeros that have this many distinct
 * columns: Che's characteristic time, from measured reuse instead of popularity.
 * others is the other data that enters the cache per nonzero, in units of a column. */
struct spmmi_model_hit {
    double share, window;
};
struct spmmi_model_hit spmmi_model_hits(const struct spmmi_model_matrix *matrix,
                                        const struct spmmi_model_locality *locality, double columns,
                                        double others);
/* Returns the share of nonzeros whose column was used at most `window` nonzeros earlier.
 * Interpolates between bins. */
double spmmi_model_reuse_distance(const struct spmmi_model_locality *locality, double window);

#define SPMMI_MODEL_STEP_CYCLES 800.0 /* latency of a step: about one gather that misses the L1 cache */

#endif
