/* SPDX-License-Identifier: Apache-2.0 */
/* The inspector: from a matrix to a plan. Host only; needs no GPU and no CUDA. Link spmm::inspector. */
#ifndef SPMM_INSPECTOR_H
#define SPMM_INSPECTOR_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sparse matrix in host memory: CSR, rows sorted, no duplicates, values as double. */
typedef struct spmm_matrix spmm_matrix_t;

/* Called now and then during long work with done in [0, total]; total 0 = unknown. */
typedef void (*spmm_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

typedef struct spmm_read_options {
    size_t struct_size;
    int threads;           /* 0 = as many as the machine has; never changes the result */
    int drop_zeros;        /* 1: leave out entries whose value (after summing duplicates) is 0 */
    uint64_t budget_bytes; /* most memory the reader may take; 0 = no limit of its own */
    spmm_progress_fn progress;
    void *progress_context;
} spmm_read_options_t;
/* clang-format off */
#define SPMM_READ_OPTIONS_INIT {sizeof(spmm_read_options_t), 0, 0, 0, 0, 0}
/* clang-format on */

/* Read a matrix file. "-" is standard input. The format is told by content, then by name:
 * Matrix Market (coordinate and array; real, integer, pattern; general, symmetric, skew-symmetric,
 * hermitian); Rutherford-Boeing and Harwell-Boeing (assembled; r, i, p; u, r, s, z); SciPy's .npz (csr, csc, coo,
 * bsr, dia; integers, booleans, f2, f4, f8); DLMC .smtx; each also compressed by gzip or zstd. options may be NULL.
 * Errors: IO, MATRIX_* with diag->line and one sentence (what was expected, what was found), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_load(const char *path, const spmm_read_options_t *options,
                                        spmm_matrix_t **matrix, spmm_diag_t *diag);
/* The same from memory; name is used in messages and where bytes alone do not tell the format, and may be NULL. */
SPMM_API spmm_status_t spmm_matrix_read(const void *bytes, size_t size, const char *name,
                                        const spmm_read_options_t *options, spmm_matrix_t **matrix,
                                        spmm_diag_t *diag);
/* Copy CSR arrays. Checks them. Errors: ARGUMENT, CSR (diag->offset = row), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_from_csr(const spmm_csr_t *csr, spmm_matrix_t **matrix, spmm_diag_t *diag);
/* A made-up matrix from a generator string, such as "gen:fem3:9:9:20", the same on every machine; for tests and
 * benchmarks. spmm_generator_at lists the generators, as spmm-inspect --help does.
 * Values are uniform in (-1, 1), as doubles that floats hold exactly. Errors: ARGUMENT (one sentence), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_generate(const char *spec, spmm_matrix_t **matrix, spmm_diag_t *diag);
typedef struct {
    size_t struct_size;
    const char *name;    /* "fem3" of gen:fem3:nx:ny:nz; static storage, as all texts here */
    const char *numbers; /* "nx:ny:nz" */
    const char *text;    /* what the matrix is */
    int count;           /* of the numbers */
} spmm_generator_info_t;
/* Index 0, 1, .. of the generators; info->struct_size says how much of it the caller knows. Errors: ARGUMENT past the
 * last one. */
SPMM_API spmm_status_t spmm_generator_at(int index, spmm_generator_info_t *info);
SPMM_API void spmm_matrix_destroy(spmm_matrix_t *matrix);

/* A view (row_ptr int64, col_ind int32, values f64 or NULL for a pattern), valid while the matrix lives. */
SPMM_API spmm_status_t spmm_matrix_csr(const spmm_matrix_t *matrix, spmm_csr_t *view);

typedef struct {
    size_t struct_size;
    int64_t rows, cols, nnz;
    int64_t entries_stored; /* entries in the file, before symmetry was expanded */
    int64_t duplicates_summed;
    int64_t zeros_dropped, zeros_kept;
    int64_t not_finite;       /* NaN and infinite values */
    int64_t integers_inexact; /* integers that a double cannot hold exactly */
    char format[16];          /* "matrix-market", "rb", "npz", "smtx", "csr", "generated" */
    char field[16];           /* "real", "integer", "pattern" */
    char symmetry[16];        /* "general", "symmetric", "skew-symmetric", "hermitian" */
    char name[128];           /* base name of the source, without folders */
} spmm_matrix_info_t;
SPMM_API spmm_status_t spmm_matrix_info(const spmm_matrix_t *matrix, spmm_matrix_info_t *info);

/* tiled: are rows cut into segments? The chart: where the device is underused or rows are uneven. */
typedef enum spmm_balance {
    SPMM_BALANCE_AUTO = 0, /* the chart, unless the contrary is predicted to be faster by a margin */
    SPMM_BALANCE_NONE = 1, /* whole rows */
    SPMM_BALANCE_SEGMENTS = 2,
    SPMM_BALANCE_CHART = 3 /* the chart alone */
} spmm_balance_t;

/* An order of the rows, of any kind but AUTO: order[i] is the row at place i, for all rows of the matrix. threads 0:
 * as many as the machine has; never changes the order. Errors: ARGUMENT (also a kind that does not fit the matrix),
 * MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permutation(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                               uint32_t *permutation, spmm_diag_t *diag);
/* Make an order of any kind but AUTO and count what it does: all figures but the time are exact and the same at any
 * number of threads. figures->struct_size says how much of them the caller knows. Errors: as
 * spmm_matrix_permutation. */
SPMM_API spmm_status_t spmm_matrix_permutation_metrics(const spmm_matrix_t *matrix, spmm_reorder_t kind,
                                                       int threads, spmm_permutation_metrics_t *metrics,
                                                       spmm_diag_t *diag);

/* A new matrix: its row i is row row_permutation[i] of this one, its column j is column col_permutation[j]; NULL: as
 * they are. With the same order for both it is PAP^T, whose products take B and give C in that order: their row i is
 * row order[i] of those of A. Errors: ARGUMENT (an order is no permutation), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permute(const spmm_matrix_t *matrix, const uint32_t *row_permutation,
                                           const uint32_t *col_permutation, int threads,
                                           spmm_matrix_t **permuted, spmm_diag_t *diag);

/* Rows more than 16 times as long as the median row of their window, panel or strip, and of at least 64 nonzeros. */
typedef enum spmm_long_rows {
    SPMM_LONG_ROWS_AUTO = 0, /* the rows family multiplies them where that is predicted to pay */
    SPMM_LONG_ROWS_KEEP = 1  /* they stay with the others */
} spmm_long_rows_t;

/* How much the choice may cost: what the model predicts, the best of its candidates measured, or all of them. */
typedef enum spmm_effort {
    SPMM_EFFORT_AUTO = 0,     /* measure where there is a measure function and tune is not 0, else estimate */
    SPMM_EFFORT_ESTIMATE = 1, /* predictions alone; measure is not called */
    SPMM_EFFORT_MEASURE = 2,  /* the best tune candidates of each decision, 3 where tune is 0 */
    SPMM_EFFORT_EXHAUSTIVE = 3 /* every candidate that may run */
} spmm_effort_t;

/* How long a product takes: plan has one variant, the candidate, to be run with n columns and B and C in that layout.
 * It writes microseconds to *us. The plan lives during the call only; its variant's target says what it is for. No
 * status fails the inspection: UNSUPPORTED and TOO_LARGE rule the candidate out unless nothing else is left, after any
 * other but OK, such as NO_DEVICE, no more candidates of that decision are measured. */
typedef spmm_status_t (*spmm_measure_fn)(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                                         spmm_layout_t layout, double *us);

typedef struct spmm_inspect_options {
    size_t struct_size;
    spmm_dtype_t dtype; /* 0 = SPMM_F32 */
    const int64_t *n;   /* typical numbers of columns of B, n_count of them; NULL = any */
    int n_count;
    uint32_t layouts;         /* mask of SPMM_LAYOUT_*; 0 = both */
    uint32_t ops;             /* mask 1 = N, 2 = T; 0 = N */
    const char *device;       /* "any", "cpu", "a100", "h100", "h200" or a profile's path; NULL = "any" */
    spmm_schedule_t schedule; /* 0 = the inspector chooses */
    const char *force_kernel; /* "rows", "tiled", "window", "panel", "bcsr", or one with its schedule such as
                               "rows/row-split" or "panel/packed"; NULL = the inspector chooses */
    int pattern_only;         /* 1: the plan holds no values */
    int threads;              /* 0 = as many as the machine has; never changes the plan */
    spmm_progress_fn progress;
    void *progress_context;
    /* 0 in each stands for what is said last. Most are of the tiled family alone. */
    spmm_balance_t balance;
    spmm_reorder_t reorder;
    int permute_output; /* 1: C is written in the order of spmm_plan_row_permutation, whatever n and the layout.
                              Such a plan has one variant, op N, tiled/whole; its order is A's where reorder is
                              auto and refuses */
    uint32_t segment_length; /* nonzeros of a segment; the chart's */
    uint32_t segment_min;    /* least that the chart may say; 1 */
    double segment_scale;    /* what the chart's length is multiplied by; 1 */
    double u_min;            /* rows are cut below this many blocks a multiprocessor; 0.65 */
    double cv_max;           /* rows are cut above this sigma / mu; 1 */
    uint32_t block_rows;     /* 32, 64, 128 or 256 units a panel; the tallest that gives enough blocks. panel:
                              64, 128 or 256 rows (256 on the CPU only); bcsr: strips of 64 or 128; of both what
                              is predicted to be fastest (bcsr without constants in the profile: 128 where
                              those are at least two a multiprocessor) */
    double blocks_per_sm;    /* enough: blocks a multiprocessor; 2 */
    uint32_t stage_slots;    /* rows of B a stage; 447 */
    spmm_compute_t compute; /* the least accurate that may be chosen: for SPMM_F32 one of SPMM_COMPUTE_F32 (no
                              tensor cores), _3XTF32 or _TF32, else that of dtype; 0 = as accurate as dtype */
    int symmetric_permutation; /* 1: the plan is that of PAP^T (see spmm_matrix_permute), A square, its order that of
                              reorder, or for auto rcm or minhash where that saves a tenth of the blocks of 16 x 16;
                              spmm_plan_symmetric_permutation tells it. Kernels then take the rows of PAP^T as they are,
                              unless reorder is auto */
    spmm_long_rows_t
        long_rows; /* window, panel and bcsr, f32 and f64: may rows far longer than their neighbours be multiplied
                              apart? */
    spmm_measure_fn
        measure; /* how long a candidate takes on the machine that it is for; NULL: nothing is measured.
                              The library itself runs no product */
    void *measure_context;
    int tune; /* candidates of each decision that are measured, best prediction first; 0: none, unless
                              effort asks for it. The least time measured wins. The plan then depends on the machine */
    double time_limit; /* seconds, of all measurements together: no new one begins later; 0: no limit */
    double
        expected_calls; /* products that the plan will run, each op, n and layout: an order of the rows, or a
                              measurement, that so many do not pay back is left out; 0: not said, nothing is */
    spmm_effort_t effort;
} spmm_inspect_options_t;
/* clang-format off */
#define SPMM_INSPECT_OPTIONS_INIT                                                                       \
    {sizeof(spmm_inspect_options_t), (spmm_dtype_t)0, 0, 0, 0, 0, 0, (spmm_schedule_t)0, 0, 0, 0, 0, 0, \
     (spmm_balance_t)0, (spmm_reorder_t)0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (spmm_compute_t)0, 0, (spmm_long_rows_t)0, \
     0, 0, 0, 0, 0, (spmm_effort_t)0}
/* clang-format on */

/* Study a matrix and make a plan. options may be NULL. O(nnz) time. The plan does not refer to the
 * matrix afterwards. Errors: ARGUMENT, MEMORY, MATRIX_TOO_LARGE. */
SPMM_API spmm_status_t spmm_inspect(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                                    spmm_plan_t **plan, spmm_diag_t *diag);

/* Floating-point operations a byte of DRAM traffic, and what a roofline makes of them. */
typedef struct spmm_roofline_point {
    double intensity; /* flop/byte; 0: nothing to compute */
    double gflops;    /* min(peak_gflops, intensity * peak_gbs); 0 without a device */
} spmm_roofline_point_t;

/* The model of "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs", as it is printed
 * there (docs/model.md). Times that a kernel is predicted to take are another matter: see spmm_plan_trace. */
typedef struct spmm_roofline {
    size_t struct_size;
    int equation;       /* of the three bounds: 3 for whole rows, 6 for segments; 0: none, the plan holds no
                           figures of panels */
    char device[32];    /* name of the profile, "" without */
    double peak_gbs;    /* of that device: bytes from DRAM */
    double peak_gflops; /* of that device: f32, whatever the plan's type */
    spmm_roofline_point_t naive;       /* Eq. 2: a row for each thread, no panels */
    spmm_roofline_point_t algorithmic; /* Gamma = 1: B comes by single numbers, each panel reads its own */
    spmm_roofline_point_t all_miss;    /* Gamma = C: by whole lines, none found in a cache */
    spmm_roofline_point_t cold_miss;   /* Gamma = C / L: each line once for all panels */
} spmm_roofline_t;

/* The model for the schedule, number type and R of spmm_plan_row_block_metrics. device is a name or a profile's path as
 * in spmm_inspect_options_t; NULL: intensities only. model->struct_size says how much of it the caller knows. Errors:
 * ARGUMENT (also no such device, or a mistake in its profile), IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_roofline(const spmm_plan_t *plan, const char *device, spmm_roofline_t *model,
                                          spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
