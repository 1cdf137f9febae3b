/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The inspector: from a matrix to a plan. Host only; needs no GPU and no CUDA. Link spmm::inspector.
 */
#ifndef SPMM_INSPECTOR_H
#define SPMM_INSPECTOR_H

#include "metadata.h"
#include "symmetry.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sparse matrix in host memory: CSR, rows sorted, no duplicates, values as double. */
typedef struct spmm_matrix spmm_matrix_t;

/** Called now and then during long work with done in [0, total]; total 0: unknown. */
typedef void (*spmm_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

/** What is read of complex numbers, until plans hold them. */
typedef enum spmm_complex_part {
    SPMM_COMPLEX_REFUSE = 0,    /**< Nothing: they are refused. */
    SPMM_COMPLEX_REAL_PART = 1, /**< The real part. */
    SPMM_COMPLEX_ABS = 2        /**< The absolute value. */
} spmm_complex_part_t;

/** What the vertices of a list of edges count from. */
typedef enum spmm_index_base {
    SPMM_INDEX_BASE_AUTO = 0, /**< From 0, if there is a vertex 0; what may be a guess is refused. */
    SPMM_INDEX_BASE_0 = 1,    /**< From 0. */
    SPMM_INDEX_BASE_1 = 2     /**< From 1; where vertices is 0, what may be a line of sizes is refused. */
} spmm_index_base_t;

/** Options of a reader. */
typedef struct spmm_read_options {
    size_t struct_size;        /**< sizeof(spmm_read_options_t), set by the INIT macro. */
    int threads;               /**< 0: as many as the machine has; never changes the result. */
    int drop_zeros;            /**< 1: leave out entries whose value (after summing duplicates) is 0. */
    uint64_t budget_bytes;     /**< Most memory the reader may take; 0: no limit of its own. */
    spmm_progress_fn progress; /**< May be NULL. */
    void *progress_context;    /**< Passed to progress. */
    spmm_complex_part_t complex_part; /**< Of Matrix Market, Rutherford-Boeing, PETSc and MATLAB files. */
    spmm_index_base_t index_base;     /**< Of lists of edges. */
    int64_t vertices;                 /**< Of a list of edges: rows and columns; 0: the largest vertex, or
                                          "Nodes: N" in a comment after #, whichever gives more. */
    const char *variable; /**< Of a MATLAB file; NULL: the only sparse or else the only full one. */
} spmm_read_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_READ_OPTIONS_INIT \
    {sizeof(spmm_read_options_t), 0, 0, 0, 0, 0, (spmm_complex_part_t)0, (spmm_index_base_t)0, 0, 0}
/* clang-format on */

/** Read a matrix file. "-" is standard input. The format is told by content, then by name:
 * Matrix Market (coordinate and array; real, integer, pattern, complex; general, symmetric, skew-symmetric,
 * hermitian); Rutherford-Boeing and Harwell-Boeing (assembled; r, i, p, c; u, r, s, z, h); PETSc binary (real
 * and complex of 8 bytes, integers of 4 or 8; sparse and dense); MATLAB files of versions 5 and 7.3 (sparse and
 * full, also the field A of a struct); METIS graphs; lists of edges; SciPy's .npz
 * (csr, csc, coo, bsr, dia; integers, booleans, f2, f4, f8); DLMC .smtx; each also compressed by gzip, zstd, xz
 * or bzip2; a tar archive of one file .mtx or .rb, or with a file NAME/NAME.mtx or .rb. options may be NULL.
 * Errors: ARGUMENT, IO, MATRIX_* with diag->line and one sentence (what was expected, what was found), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_load(const char *path, const spmm_read_options_t *options,
                                        spmm_matrix_t **matrix, spmm_diag_t *diag);
/** The same from size bytes of memory; name is used in messages and where bytes alone do not tell the format, and may
 * be NULL. */
SPMM_API spmm_status_t spmm_matrix_read(const void *bytes, size_t size, const char *name,
                                        const spmm_read_options_t *options, spmm_matrix_t **matrix,
                                        spmm_diag_t *diag);
/** Copy CSR arrays. Checks them. Errors: ARGUMENT, CSR (diag->offset = row), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_from_csr(const spmm_csr_t *csr, spmm_matrix_t **matrix, spmm_diag_t *diag);
/** A synthetic matrix from a generator string, such as "gen:fem3:9:9:20", the same on every machine; for tests and
 * benchmarks. spmm_generator_at lists the generators, as spmm-inspect --help does.
 * Values are uniform in (-1, 1), as doubles that floats hold exactly. Errors: ARGUMENT (one sentence), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_generate(const char *spec, spmm_matrix_t **matrix, spmm_diag_t *diag);
/** A generator of synthetic matrices. */
typedef struct spmm_generator_info {
    size_t struct_size;     /**< sizeof(spmm_generator_info_t). */
    const char *name;       /**< "fem3" of gen:fem3:nx:ny:nz. */
    const char *parameters; /**< "nx:ny:nz". */
    const char *text;       /**< What the matrix is. */
    int count;              /**< Of the parameters. */
} spmm_generator_info_t;
/** The generator of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_generator_at(int index, spmm_generator_info_t *info);
/** Frees the matrix. Plans that were made from it stay valid. */
SPMM_API void spmm_matrix_destroy(spmm_matrix_t *matrix);

/** A view (row_ptr int64, col_ind int32, values f64 or NULL for a pattern), valid while the matrix lives.
 * Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_matrix_csr(const spmm_matrix_t *matrix, spmm_csr_t *view);

/** What a reader found. */
typedef struct {
    size_t struct_size;        /**< sizeof(spmm_matrix_info_t). */
    int64_t rows;              /**< Rows. */
    int64_t cols;              /**< Columns. */
    int64_t nnz;               /**< Stored entries. */
    int64_t entries_stored;    /**< Entries in the file, before symmetry was expanded. */
    int64_t duplicates_summed; /**< Entries that were added to another one with the same row and column. */
    int64_t zeros_dropped;     /**< Entries of value 0 that were left out. */
    int64_t zeros_kept;        /**< Entries of value 0 that are stored. */
    int64_t not_finite;        /**< NaN and infinite values. */
    int64_t integers_inexact;  /**< Integers that a double cannot hold exactly. */
    char format[16];   /**< "matrix-market", "rb", "petsc", "mat", "metis", "edges", "npz", "smtx", "csr",
                                    "generated". */
    char field[16];    /**< "real", "integer", "pattern", "complex". */
    char symmetry[16]; /**< "general", "symmetric", "skew-symmetric", "hermitian". */
    char name[128];    /**< Base name of the source, without folders. */
} spmm_matrix_info_t;
/** Fill *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_matrix_info(const spmm_matrix_t *matrix, spmm_matrix_info_t *info);

/** A row permutation of any kind but AUTO: permutation[i] is the row at position i, for all rows of the matrix.
 * permutation has room for as many entries as the matrix has rows. threads 0: as many as the machine has; never changes
 * the result. Errors: ARGUMENT (also a kind that does not fit the matrix), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permutation(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                               uint32_t *permutation, spmm_diag_t *diag);
/** Make a row permutation of any kind but AUTO and compute its metrics. All metrics but the time are exact and the same
 * at any number of threads. Errors: as spmm_matrix_permutation. */
SPMM_API spmm_status_t spmm_matrix_permutation_metrics(const spmm_matrix_t *matrix, spmm_reorder_t kind,
                                                       int threads, spmm_permutation_metrics_t *metrics,
                                                       spmm_diag_t *diag);
/** A new matrix: its row i is row rows[i] of this one, its column j is column cols[j]; NULL: as they are. With the same
 * permutation for both it is PAP^T, whose products take B and give C permuted: their row i is row rows[i] of those of
 * A. Errors: ARGUMENT (not a permutation), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permute(const spmm_matrix_t *matrix, const uint32_t *rows,
                                           const uint32_t *cols, int threads, spmm_matrix_t **permuted,
                                           spmm_diag_t *diag);

/** tiled: are rows cut into segments? */
typedef enum spmm_balance {
    SPMM_BALANCE_AUTO = 0, /**< As the decision chart of paper 000 says, unless the alternative is predicted
                                  to be faster by the minimum gain. */
    SPMM_BALANCE_NONE = 1, /**< Whole rows. */
    SPMM_BALANCE_SEGMENTS = 2, /**< Segments. */
    SPMM_BALANCE_CHART = 3     /**< As the decision chart says: where the device is underused or rows are
                                  uneven. */
} spmm_balance_t;

/** Options of the tiled family. */
typedef struct spmm_tiled_options {
    size_t struct_size;      /**< sizeof(spmm_tiled_options_t), set by the INIT macro. */
    spmm_balance_t balance;  /**< Are rows cut? */
    uint32_t segment_length; /**< Nonzeros of a segment; 0: that of the chart. */
    uint32_t segment_min;    /**< Minimum of the chart's segment length; 0: 1. */
    double segment_scale;    /**< Factor of the chart's segment length; 0: 1. */
    double u_min;            /**< Rows are cut below this many thread blocks a multiprocessor; 0: 0.65. */
    double cv_max;           /**< Rows are cut above this sigma / mu; 0: 1. */
    uint32_t block_rows;     /**< Units a row block: 32, 64, 128 or 256; 0: the tallest that gives
                                blocks_per_sm. */
    double blocks_per_sm;    /**< Thread blocks a multiprocessor for block_rows; 0: 2. */
    uint32_t stage_slots;    /**< Rows of B a stage; 0: 447. */
} spmm_tiled_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TILED_OPTIONS_INIT {sizeof(spmm_tiled_options_t), (spmm_balance_t)0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Long rows: more than 16 times as long as the median row of their row window, row block or block-row group, and of at
 * least 64 nonzeros. */
typedef enum spmm_long_rows {
    /** Long-row split: the rows family computes them where that is predicted to pay. */
    SPMM_LONG_ROWS_AUTO = 0,
    SPMM_LONG_ROWS_KEEP = 1 /**< No split: they stay with the other rows. */
} spmm_long_rows_t;

/** Options of the families that use tensor-core blocks: window, panel, bcsr. */
typedef struct spmm_tcblock_options {
    size_t struct_size;         /**< sizeof(spmm_tcblock_options_t), set by the INIT macro. */
    uint32_t block_rows;        /**< panel: 64, 128 or 256 rows (256 on the CPU only); bcsr: 64 or 128; 0:
                                   the fastest predicted. */
    spmm_long_rows_t long_rows; /**< The long-row split. */
} spmm_tcblock_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TCBLOCK_OPTIONS_INIT {sizeof(spmm_tcblock_options_t), 0, (spmm_long_rows_t)0}
/* clang-format on */

/** How many candidates are measured. */
typedef enum spmm_effort {
    SPMM_EFFORT_AUTO = 0,      /**< Measure where there is a measure function and candidates is not 0, else
                                  estimate. */
    SPMM_EFFORT_ESTIMATE = 1,  /**< Predictions alone; measure is not called. */
    SPMM_EFFORT_MEASURE = 2,   /**< The best candidates of each decision, 3 where candidates is 0. */
    SPMM_EFFORT_EXHAUSTIVE = 3 /**< Every candidate that may run. */
} spmm_effort_t;

/** Measure a product: plan has one variant, the candidate, to be run with n columns and B and C in that layout.
 * It writes microseconds to *us. The plan lives during the call only; its variant's target says what it is for. No
 * status fails the inspection: UNSUPPORTED and TOO_LARGE rule the candidate out unless nothing else is left; after any
 * other but OK, such as NO_DEVICE, no more candidates of that decision are measured. The same holds for OK with a time
 * that is not finite or not above 0, which counts as not measured; the log has one warning about it. */
typedef spmm_status_t (*spmm_measure_fn)(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                                         spmm_layout_t layout, double *us);

/** How candidates are measured. The library itself runs no product. */
typedef struct spmm_tuning_options {
    size_t struct_size;      /**< sizeof(spmm_tuning_options_t), set by the INIT macro. */
    spmm_effort_t effort;    /**< How many candidates are measured. */
    int candidates;          /**< Candidates to measure for each decision, best prediction first; 0: none,
                                unless effort asks for it. The least time measured wins. The plan then depends
                                on the machine. */
    double time_limit;       /**< Seconds, of all measurements together: no new one begins later; 0: no
                                limit. */
    spmm_measure_fn measure; /**< How long a candidate takes on the machine that it is for; NULL: nothing is
                                measured; candidates must be 0 and effort AUTO or ESTIMATE. */
    void *measure_context;   /**< Passed to measure. */
} spmm_tuning_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TUNING_OPTIONS_INIT {sizeof(spmm_tuning_options_t), (spmm_effort_t)0, 0, 0, 0, 0}
/* clang-format on */

/** Options of an inspection. */
typedef struct spmm_inspect_options {
    size_t struct_size;     /**< sizeof(spmm_inspect_options_t), set by the INIT macro. */
    spmm_dtype_t a_type;    /**< Values of A; 0: SPMM_F32, whatever the matrix was made from. */
    spmm_dtype_t b_type;    /**< Values of B; 0: as a_type. spmm_types_at lists the combinations that kernels
                                  exist for. Where B or C differ from A, only families that multiply such
                                  products are chosen; the plan file does not keep b_type and c_type. */
    spmm_dtype_t c_type;    /**< Values of C; 0: as a_type. */
    spmm_dtype_t sum_type;  /**< Products and sums; 0: f64 for f64, else f32. */
    spmm_compute_t compute; /**< The least accurate that may be chosen: for f32 one of SPMM_COMPUTE_F32 (no
                                  tensor cores), _3XTF32 or _TF32, else that of a_type; 0: as accurate
                                  as a_type. */
    /** Typical numbers of columns of B, n_count of them, from 1 to 2^31 - 1; NULL: any. Each of the ranges 1, 2 to 12,
     * 13 to 48, 49 to 96, 97 to 192, 193 to 2^31 - 1 that holds one gets variants, judged at the first that it holds;
     * products of another n run the next wider, else the widest. For a GPU, of small or nearly dense matrices, the
     * last range is three (193 to 383, 384 to 1,023, 1,024 to 2^31 - 1). permute_output: the first number alone. */
    const int64_t *n;
    int n_count;              /**< See n. */
    uint32_t layouts;         /**< Mask of SPMM_LAYOUTS_*; 0: both. */
    uint32_t ops;             /**< Mask of SPMM_OPS_*; 0: N. */
    const char *device;       /**< "any", "cpu", "a100", "h100", "h200" or a profile's path; NULL: "any", also
                                  on a machine without a GPU: the inspector does not look for one. */
    const char *force_kernel; /**< A kernel name as of spmm_kernel_at, with or without target and schedule,
                                  but without instance: "rows", "panel/packed". A name with a target, such as
                                  "cpu/rows", is forced on that target alone; NULL: the inspector chooses. */
    spmm_reorder_t reorder;   /**< Row permutation; 0: AUTO. */
    int permute_output; /**< 1: C is written in the permutation of spmm_plan_row_permutation, whatever n and
                                  the layout. Such a plan has one variant, op N, tiled/whole, or of window, panel
                                  or bcsr where force_kernel names it. C is in the order of A where reorder is
                                  AUTO and no permutation pays. */
    int symmetric_permutation; /**< 1: the plan is that of PAP^T (see spmm_matrix_permute), A square, its
                                  permutation that of reorder, or for AUTO rcm or minhash where that saves a
                                  tenth of the blocks of 16 x 16; spmm_plan_symmetric_permutation returns it.
                                  Kernels then take the rows of PAP^T as they are, unless reorder is AUTO. */
    double expected_calls;     /**< Products that the plan will run, each op, n and layout: a permutation or a
                                  measurement that so many do not pay back is left out; 0: unlimited. */
    int pattern_only;          /**< 1: the plan holds no values. */
    int threads;               /**< 0: as many as the machine has; never changes the plan. */
    spmm_progress_fn progress; /**< May be NULL. */
    void *progress_context;    /**< Passed to progress. */
    const spmm_tiled_options_t *tiled;     /**< Of the tiled family; NULL: defaults. */
    const spmm_tcblock_options_t *tcblock; /**< Of window, panel and bcsr; NULL: defaults. */
    const spmm_tuning_options_t *tuning;   /**< How candidates are measured; NULL: not at all. */
    /** One plan for several machines: target_count devices, each named as device, which is then NULL, and each of
     * another compute capability; NULL: device alone. Each gets the variants that a plan for it alone would have, equal
     * parts are kept once, and spmm_executor_create takes those of the machine that it runs on. Not with
     * permute_output. Where devices, a_types and ops are so many that there were more than 64 variants, gaps between
     * ranges of n are closed, variants that all GPUs have are for any device, and then ranges that follow each other
     * and the layouts share some, those first that lose least time by it: the pair "merged-ranges" of the metadata says
     * how much, unless the caller gives that key or leaves no room. If more than 64 are left, the plan is refused:
     * SPMM_ERR_ARGUMENT. */
    const char *const *targets;
    size_t target_count;             /**< See targets. */
    const spmm_metadata_t *metadata; /**< metadata_count pairs, in any order; copied; NULL: none. */
    int64_t metadata_count;          /**< See metadata. */
    /** One plan for several types of A, a_type_count of them; a_type is then 0. The plan holds values of the widest,
     * and variants for each. The others are rounded from them by spmm_executor_create, so that they must be narrower:
     * two types of 16 bits need a wider one beside them. b_type, c_type and sum_type are then 0; compute is for the
     * type that it belongs to. Not with permute_output. A list of one type is the same as a_type. */
    const spmm_dtype_t *a_types;
    size_t a_type_count; /**< See a_types. */
} spmm_inspect_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_INSPECT_OPTIONS_INIT                                                                           \
    {sizeof(spmm_inspect_options_t), (spmm_dtype_t)0, (spmm_dtype_t)0, (spmm_dtype_t)0, (spmm_dtype_t)0,    \
     (spmm_compute_t)0, 0, 0, 0, 0, 0, 0, (spmm_reorder_t)0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Analyse a matrix and make a plan. options may be NULL. O(nnz) time. The plan does not refer to the matrix
 * afterwards.
 * Errors: ARGUMENT (also options that contradict each other: symmetric_permutation or permute_output with reorder
 * NONE, both together, flags other than 0 and 1; metadata that break a rule of spmm_metadata_t), UNSUPPORTED (types
 * that no kernel was compiled for; the sentence lists those that were), IO (a profile), MEMORY, MATRIX_TOO_LARGE. */
SPMM_API spmm_status_t spmm_inspect(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                                    spmm_plan_t **plan, spmm_diag_t *diag);

/** A point of a roofline. Keeps its size for ever. */
typedef struct spmm_roofline_point {
    double intensity; /**< Floating-point operations a byte of DRAM traffic; 0: nothing to compute. */
    double gflops;    /**< min(peak_gflops, intensity * peak_gbs); 0 without a device. */
} spmm_roofline_point_t;

/** The roofline of "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs" (paper 000), as it
 * is printed there (docs/model.md). Predicted times of kernels come from the cost model: see spmm_plan_trace. */
typedef struct spmm_roofline {
    size_t struct_size; /**< sizeof(spmm_roofline_t). */
    int equation;       /**< Of the bounds: 3 for whole rows, 6 for segments; 0: none, the plan holds no
                           row-block metrics. */
    char device[32];    /**< Name of the profile; "" without. */
    double peak_gbs;    /**< Of that device: 10^9 bytes/s from DRAM. */
    double peak_gflops; /**< Of that device: 10^9 f32 operations/s, whatever the plan's type. */
    spmm_roofline_point_t naive; /**< Eq. 2: a row for each thread, no row blocks. */
    /** Gamma = 1: B is read by single values, each row block reads its own. */
    spmm_roofline_point_t algorithmic;
    spmm_roofline_point_t all_miss;  /**< Gamma = C: by whole cache lines, without cache hits. */
    spmm_roofline_point_t cold_miss; /**< Gamma = C / L: each line once for all row blocks. */
} spmm_roofline_t;

/** The roofline for the schedule, value type and R of spmm_plan_row_block_metrics. device is a name or a profile's path
 * as in spmm_inspect_options_t; NULL: intensities only. Errors: ARGUMENT (also no such device, or a mistake in its
 * profile), IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_roofline(const spmm_plan_t *plan, const char *device,
                                          spmm_roofline_t *roofline, spmm_diag_t *diag);

/** How an executor on a GPU holds op(A) for a variant of a family that streams rows. */
typedef struct spmm_stream_info {
    size_t struct_size; /**< sizeof(spmm_stream_info_t). */
    int column_bits;    /**< Of a column index: 16 or 32; 0: it has other tables, and all else is 0. */
    int lacks_values;   /**< 1: the plan's values are all the same, and none are held until others are set. */
    /** Of a column index in slices of rows, counted from the first column of its slice: 16, 20 or 32. One column of B
     * is multiplied by them; they lie beside the stream, or in place of it where n_max of the executor is 1. 0: there
     * are none. */
    int slice_bits;
    int slice_run; /**< Columns side by side that slices have one index for: 1 or 3; 0 without slices. */
} spmm_stream_info_t;

/** Fill *info for the variant of index 0, 1, .. Long rows that are split off, and pieces of long rows, have 32 bits.
 * Nothing of a variant for the CPU. budget_bytes: most memory, which the transpose of op T takes; 0: no limit. Errors:
 * ARGUMENT, PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_stream(const spmm_plan_t *plan, int variant, uint64_t budget_bytes,
                                        spmm_stream_info_t *info, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
