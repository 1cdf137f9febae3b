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

/** Called now and then during long work, with done in [0, total]; total is 0 if it is unknown. */
typedef void (*spmm_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

/** How complex values are read; plans hold real values only. */
typedef enum spmm_complex_part {
    SPMM_COMPLEX_REFUSE = 0,    /**< Complex values are refused. */
    SPMM_COMPLEX_REAL_PART = 1, /**< The real part is read. */
    SPMM_COMPLEX_ABS = 2        /**< The absolute value is read. */
} spmm_complex_part_t;

/** The number of the first vertex in a list of edges. */
typedef enum spmm_index_base {
    SPMM_INDEX_BASE_AUTO = 0, /**< 0; refuses files that have no vertex 0 or may begin with sizes. */
    SPMM_INDEX_BASE_0 = 1,    /**< 0. */
    SPMM_INDEX_BASE_1 = 2     /**< 1; if vertices is 0, a first line that may hold sizes is refused. */
} spmm_index_base_t;

/** Options of a reader. */
typedef struct spmm_read_options {
    size_t struct_size;        /**< sizeof(spmm_read_options_t), set by the INIT macro. */
    int threads;               /**< Number of threads; 0: all processors. Never changes the result. */
    int drop_zeros;            /**< 1: leave out entries whose value (after summing duplicates) is 0. */
    uint64_t budget_bytes;     /**< Maximum memory of the reader; 0: no limit of its own. */
    spmm_progress_fn progress; /**< May be NULL. */
    void *progress_context;    /**< Passed to progress. */
    spmm_complex_part_t complex_part; /**< For Matrix Market, Rutherford-Boeing, PETSc and MATLAB files. */
    spmm_index_base_t index_base;     /**< For lists of edges. */
    int64_t vertices;                 /**< For lists of edges: rows and columns; 0: as many as the largest
                                          vertex needs, or N of a comment "# Nodes: N" if that is more. */
    const char *variable; /**< For MATLAB files; NULL: the only sparse or else the only full variable. */
} spmm_read_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_READ_OPTIONS_INIT \
    {sizeof(spmm_read_options_t), 0, 0, 0, 0, 0, (spmm_complex_part_t)0, (spmm_index_base_t)0, 0, 0}
/* clang-format on */

/** Reads a matrix file. "-" is standard input. The format is recognized by content, then by name: Matrix
 * Market (coordinate and array; real, integer, pattern, complex; general, symmetric, skew-symmetric,
 * hermitian); Rutherford-Boeing and Harwell-Boeing (assembled; r, i, p, c; u, r, s, z, h); PETSc binary (real
 * and complex of 8 bytes, integers of 4 or 8; sparse and dense); MATLAB files of versions 5 and 7.3 (sparse
 * and full, also the field A of a struct); METIS graphs; lists of edges; SciPy's .npz (csr, csc, coo, bsr,
 * dia; integers, booleans, f2, f4, f8); DLMC .smtx; each also compressed by gzip, zstd, xz or bzip2; a tar
 * archive with a single file .mtx or .rb, or with a file NAME/NAME.mtx or .rb. options may be NULL.
 * Errors: ARGUMENT, IO, MATRIX_* with diag->line and one sentence (what was expected,
 * what was found), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_load(const char *path, const spmm_read_options_t *options,
                                        spmm_matrix_t **matrix, spmm_diag_t *diag);
/** The same as spmm_matrix_load, from size bytes of memory. name is used in messages, and to find the format
 * if the bytes alone do not determine it; it may be NULL. */
SPMM_API spmm_status_t spmm_matrix_read(const void *bytes, size_t size, const char *name,
                                        const spmm_read_options_t *options, spmm_matrix_t **matrix,
                                        spmm_diag_t *diag);
/** Makes a matrix from CSR arrays, which are checked and copied. Errors: ARGUMENT, CSR
 * (diag->offset = row), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_from_csr(const spmm_csr_t *csr, spmm_matrix_t **matrix, spmm_diag_t *diag);
/** Makes a synthetic matrix from a generator string, such as "gen:fem3:9:9:20", for tests and benchmarks. The
 * matrix is the same on every machine. spmm_generator_at lists the generators, as spmm-inspect --help does.
 * Values are uniform in (-1, 1); each double is exactly a float. Errors: ARGUMENT (one sentence), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_generate(const char *spec, spmm_matrix_t **matrix, spmm_diag_t *diag);
/** A generator of synthetic matrices. */
typedef struct spmm_generator_info {
    size_t struct_size;     /**< sizeof(spmm_generator_info_t). */
    const char *name;       /**< "fem3" of gen:fem3:nx:ny:nz. */
    const char *parameters; /**< "nx:ny:nz". */
    const char *text;       /**< A description of the matrix. */
    int count;              /**< Number of parameters. */
} spmm_generator_info_t;
/** Describes the generator of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_generator_at(int index, spmm_generator_info_t *info);
/** Frees the matrix. Plans that were made from it stay valid. */
SPMM_API void spmm_matrix_destroy(spmm_matrix_t *matrix);

/** Returns a view (row_ptr int64, col_ind int32, values f64 or NULL for a pattern), valid while the matrix
 * lives.
 * Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_matrix_csr(const spmm_matrix_t *matrix, spmm_csr_t *view);

/** What a reader found. */
typedef struct {
    size_t struct_size;        /**< sizeof(spmm_matrix_info_t). */
    int64_t rows;              /**< Number of rows. */
    int64_t cols;              /**< Number of columns. */
    int64_t nnz;               /**< Number of stored entries. */
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
/** Fills *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_matrix_info(const spmm_matrix_t *matrix, spmm_matrix_info_t *info);

/** Computes a row permutation of any kind but AUTO: permutation[i] is the row at position i. permutation can
 * hold as many elements as the matrix has rows. threads 0: all processors; the number never changes the
 * result. Errors: ARGUMENT (also a kind that does not fit the matrix), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permutation(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                               uint32_t *permutation, spmm_diag_t *diag);
/** Computes a row permutation of any kind but AUTO and its metrics. All metrics but the time are exact and
 * independent of the number of threads. Errors: as spmm_matrix_permutation. */
SPMM_API spmm_status_t spmm_matrix_permutation_metrics(const spmm_matrix_t *matrix, spmm_reorder_t kind,
                                                       int threads, spmm_permutation_metrics_t *metrics,
                                                       spmm_diag_t *diag);
/** Makes a new matrix: its row i is row rows[i] of matrix, its column j is column cols[j]. NULL keeps
 * the order of rows or columns. With the same permutation P for both it is PAP^T. Its products then
 * have B and C permuted as well: their row i is row rows[i] of the B and C of matrix. Errors: ARGUMENT
 * (not a permutation), MEMORY. */
SPMM_API spmm_status_t spmm_matrix_permute(const spmm_matrix_t *matrix, const uint32_t *rows,
                                           const uint32_t *cols, int threads, spmm_matrix_t **permuted,
                                           spmm_diag_t *diag);

/** tiled: whether rows are cut into segments. */
typedef enum spmm_balance {
    SPMM_BALANCE_AUTO = 0, /**< By the decision chart of paper 000, unless the alternative is predicted to be
                                  faster by at least the minimum gain. */
    SPMM_BALANCE_NONE = 1, /**< Whole rows. */
    SPMM_BALANCE_SEGMENTS = 2, /**< Segments. */
    SPMM_BALANCE_CHART = 3     /**< By the decision chart: segments if the device is underused or rows are
                                  uneven. */
} spmm_balance_t;

/** Options of the tiled family. */
typedef struct spmm_tiled_options {
    size_t struct_size;      /**< sizeof(spmm_tiled_options_t), set by the INIT macro. */
    spmm_balance_t balance;  /**< Whether rows are cut. */
    uint32_t segment_length; /**< Nonzeros per segment; 0: the length that the chart gives. */
    uint32_t segment_min;    /**< Minimum of the chart's segment length; 0: 1. */
    double segment_scale;    /**< Factor of the chart's segment length; 0: 1. */
    double u_min;            /**< Rows are cut below this many thread blocks per multiprocessor; 0: 0.65. */
    double cv_max;           /**< Rows are cut above this sigma / mu; 0: 1. */
    uint32_t block_rows;     /**< Units per row block: 32, 64, 128 or 256; 0: the largest height that gives
                                blocks_per_sm. */
    double blocks_per_sm;    /**< Thread blocks per multiprocessor that block_rows aims at; 0: 2. */
    uint32_t stage_slots;    /**< Rows of B per stage; 0: 447. */
} spmm_tiled_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TILED_OPTIONS_INIT {sizeof(spmm_tiled_options_t), (spmm_balance_t)0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Treatment of long rows: rows of at least 64 nonzeros that are more than 16 times as long as the median row
 * of their row window, row block or block-row group. */
typedef enum spmm_long_rows {
    /** Long-row split: the rows family computes them if this is predicted to pay off. */
    SPMM_LONG_ROWS_AUTO = 0,
    SPMM_LONG_ROWS_KEEP = 1 /**< No split: they stay with the other rows. */
} spmm_long_rows_t;

/** Options of the families that use tensor-core blocks: window, panel, bcsr. */
typedef struct spmm_tcblock_options {
    size_t struct_size;         /**< sizeof(spmm_tcblock_options_t), set by the INIT macro. */
    uint32_t block_rows;        /**< panel: 64, 128 or 256 rows (256 on the CPU only); bcsr: 64 or 128; 0: the
                                   height with the best predicted time. */
    spmm_long_rows_t long_rows; /**< The long-row split. */
} spmm_tcblock_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TCBLOCK_OPTIONS_INIT {sizeof(spmm_tcblock_options_t), 0, (spmm_long_rows_t)0}
/* clang-format on */

/** How many candidates are measured. */
typedef enum spmm_effort {
    SPMM_EFFORT_AUTO = 0,      /**< As MEASURE if measure is not NULL and candidates is not 0, else as
                                  ESTIMATE. */
    SPMM_EFFORT_ESTIMATE = 1,  /**< Predictions alone; measure is not called. */
    SPMM_EFFORT_MEASURE = 2,   /**< The best candidates of each decision, 3 if candidates is 0. */
    SPMM_EFFORT_EXHAUSTIVE = 3 /**< Every candidate that may run. */
} spmm_effort_t;

/** Measures a product. plan has one variant, the candidate. The function runs it with n columns, and B and C
 * in the given layout, and writes the microseconds to *us. The plan lives during the call only; the target of
 * its variant says which device it is for. No status makes the inspection fail. UNSUPPORTED and TOO_LARGE
 * rule the candidate out unless no other is left. After any other status but OK, such as NO_DEVICE, no more
 * candidates of that decision are measured. The same holds for OK with a time that is not finite or not above
 * 0: it counts as not measured, and one warning is logged. */
typedef spmm_status_t (*spmm_measure_fn)(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                                         spmm_layout_t layout, double *us);

/** How candidates are measured. The inspector itself runs no product. */
typedef struct spmm_tuning_options {
    size_t struct_size;      /**< sizeof(spmm_tuning_options_t), set by the INIT macro. */
    spmm_effort_t effort;    /**< How many candidates are measured. */
    int candidates;          /**< Candidates to measure per decision, best prediction first; 0: none,
                                unless effort asks for it. The least measured time wins. The plan then depends
                                on the machine. */
    double time_limit;       /**< Seconds for all measurements together: no measurement begins later; 0: no
                                limit. */
    spmm_measure_fn measure; /**< Measures a candidate on the machine that it is for; NULL: nothing is
                                measured, candidates must be 0 and effort AUTO or ESTIMATE. */
    void *measure_context;   /**< Passed to measure. */
} spmm_tuning_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_TUNING_OPTIONS_INIT {sizeof(spmm_tuning_options_t), (spmm_effort_t)0, 0, 0, 0, 0}
/* clang-format on */

/** Options of an inspection. */
typedef struct spmm_inspect_options {
    size_t struct_size;     /**< sizeof(spmm_inspect_options_t), set by the INIT macro. */
    spmm_dtype_t a_type;    /**< Type of the values of A; 0: SPMM_F32, whatever the matrix was made from. */
    spmm_dtype_t b_type;    /**< Type of the values of B; 0: as a_type. spmm_types_at lists the combinations
                                  for which kernels exist. If B or C differ from A, only families that
                                  multiply such products are chosen; the plan file does not keep b_type and
                                  c_type. */
    spmm_dtype_t c_type;    /**< Type of the values of C; 0: as a_type. */
    spmm_dtype_t sum_type;  /**< Type of products and sums; 0: f64 for f64, else f32. */
    spmm_compute_t compute; /**< Least accurate compute type that may be chosen: for f32 SPMM_COMPUTE_F32 (no
                                  tensor cores), _3XTF32 or _TF32; for other types that of a_type; 0: as
                                  accurate as a_type. */
    /** Typical numbers of columns of B: n_count values from 1 to 2^31 - 1; NULL: any number. The ranges are
     * 1, 2, 3 to 8, 9 to 16, 17 to 48, 49 to 96, 97 to 192 and 193 to 2^31 - 1; for a CPU 2 to 8 are one
     * range. Each range that contains one of these values gets variants, which are judged at the first value
     * in it. Products with another n run the variants of the next wider range, else of the widest. For a GPU,
     * small or nearly dense matrices have three ranges in place of the last one (193 to 383, 384 to 1,023,
     * 1,024 to 2^31 - 1). With permute_output only the first value counts. */
    const int64_t *n;
    int n_count;              /**< Number of elements of n. */
    uint32_t layouts;         /**< Mask of SPMM_LAYOUTS_*; 0: both. */
    uint32_t ops;             /**< Mask of SPMM_OPS_*; 0: N. */
    const char *device;       /**< "any", "cpu", "a100", "h100", "h200" or the path of a profile; NULL: "any",
                                  also on a machine without a GPU: the inspector does not look for one. */
    const char *force_kernel; /**< A kernel name as of spmm_kernel_at, with or without target and schedule,
                                  but without instance: "rows", "panel/packed". A name with a target, such as
                                  "cpu/rows", is forced on that target alone; NULL: the inspector chooses. */
    spmm_reorder_t reorder;   /**< Row permutation; 0: AUTO. */
    int permute_output; /**< 1: C is written in the permutation of spmm_plan_row_permutation, for any n and
                                  layout. Such a plan has one variant, of op N and tiled/whole, or of window,
                                  panel or bcsr if force_kernel names it. C is in the order of A if reorder is
                                  AUTO and no permutation pays off. */
    int symmetric_permutation; /**< 1: the plan is made for PAP^T (see spmm_matrix_permute); A must be square.
                                  reorder names P; AUTO: rcm or minhash, if it saves a tenth of the blocks of
                                  16 x 16. spmm_plan_symmetric_permutation returns P. Kernels then process the
                                  rows of PAP^T in order, unless reorder is AUTO. */
    double expected_calls;     /**< Number of products that the plan will run, per op, n and layout. A
                                  permutation or a measurement that does not pay off within this number is
                                  left out; 0: unlimited. */
    int pattern_only;          /**< 1: the plan holds no values. */
    int threads;               /**< Number of threads; 0: all processors. Never changes the plan. */
    spmm_progress_fn progress; /**< May be NULL. */
    void *progress_context;    /**< Passed to progress. */
    const spmm_tiled_options_t *tiled;     /**< Options of the tiled family; NULL: defaults. */
    const spmm_tcblock_options_t *tcblock; /**< Options of window, panel and bcsr; NULL: defaults. */
    const spmm_tuning_options_t *tuning;   /**< How candidates are measured; NULL: not at all. */
    /** One plan for several machines: target_count devices, each named as in device, which is then NULL, and
     * each with another compute capability; NULL: device alone. Each target gets the variants that a plan
     * for it alone would have. Equal parts are kept once. spmm_executor_create uses the variants for the
     * machine that it runs on. Not with permute_output. A plan has at most 64 variants. If devices, a_types
     * and ops ask for more, gaps between ranges of n are closed first. Then variants that all GPUs have
     * become variants for any device. Then adjacent ranges and the two layouts share variants, beginning
     * with those that lose least time by it; the pair "merged-ranges" of the metadata says how much, unless
     * the caller sets that key or leaves no space for it. If more than 64 variants are left, the plan is
     * refused (SPMM_ERR_ARGUMENT). */
    const char *const *targets;
    size_t target_count;             /**< Number of elements of targets. */
    const spmm_metadata_t *metadata; /**< metadata_count pairs, in any order; copied; NULL: none. */
    int64_t metadata_count;          /**< Number of elements of metadata. */
    /** One plan for a_type_count types of A; a_type is then 0. The plan holds values of the widest type
     * and variants for each type. spmm_executor_create rounds the values to the other types, so these
     * must be narrower: two types of 16 bits need a wider type in the list. b_type, c_type and sum_type
     * are then 0; compute applies to the type that it belongs to. Not with permute_output. A list of one
     * type is the same as a_type. */
    const spmm_dtype_t *a_types;
    size_t a_type_count; /**< Number of elements of a_types. */
} spmm_inspect_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_INSPECT_OPTIONS_INIT                                                                           \
    {sizeof(spmm_inspect_options_t), (spmm_dtype_t)0, (spmm_dtype_t)0, (spmm_dtype_t)0, (spmm_dtype_t)0,    \
     (spmm_compute_t)0, 0, 0, 0, 0, 0, 0, (spmm_reorder_t)0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Analyses a matrix and makes a plan, in O(nnz) time. options may be NULL. The plan does not refer to the
 * matrix afterwards.
 * Errors: ARGUMENT (also options that contradict each other: symmetric_permutation or permute_output with
 * reorder NONE, both together, flags other than 0 and 1; metadata that break a rule of spmm_metadata_t),
 * UNSUPPORTED (types for which no kernel was compiled; the sentence lists the types that have kernels), IO (a
 * profile), MEMORY, MATRIX_TOO_LARGE. */
SPMM_API spmm_status_t spmm_inspect(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                                    spmm_plan_t **plan, spmm_diag_t *diag);

/** A point of a roofline. This struct keeps its size for ever. */
typedef struct spmm_roofline_point {
    double intensity; /**< Floating-point operations per byte of DRAM traffic; 0: nothing to compute. */
    double gflops;    /**< min(peak_gflops, intensity * peak_gbs); 0 without a device. */
} spmm_roofline_point_t;

/** The roofline of "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs" (paper
 * 000), as it is printed there (docs/model.md). The cost model, not the roofline, predicts times of
 * kernels: see spmm_plan_trace. */
typedef struct spmm_roofline {
    size_t struct_size; /**< sizeof(spmm_roofline_t). */
    int equation;       /**< Equation of the bounds: 3 for whole rows, 6 for segments; 0: the plan holds no
                           row-block metrics, and there are no bounds. */
    char device[32];    /**< Name of the profile; "" without a device. */
    double peak_gbs;    /**< DRAM bandwidth of the device in 10^9 bytes/s. */
    double peak_gflops; /**< Peak of the device in 10^9 f32 operations/s, whatever the plan's type. */
    spmm_roofline_point_t naive; /**< Eq. 2: one row per thread, no row blocks. */
    /** Gamma = 1: B is read by single values; each row block reads its own. */
    spmm_roofline_point_t algorithmic;
    spmm_roofline_point_t all_miss;  /**< Gamma = C: by whole cache lines, without cache hits. */
    spmm_roofline_point_t cold_miss; /**< Gamma = C / L: each line is read once for all row blocks. */
} spmm_roofline_t;

/** Computes the roofline for the schedule, value type and R of spmm_plan_row_block_metrics. device is a name
 * or the path of a profile as in spmm_inspect_options_t; NULL: intensities only. Errors: ARGUMENT (also an
 * unknown device, or a mistake in its profile), IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_roofline(const spmm_plan_t *plan, const char *device,
                                          spmm_roofline_t *roofline, spmm_diag_t *diag);

/** How an executor on a GPU stores op(A) for a variant of a family that streams rows. */
typedef struct spmm_stream_info {
    size_t struct_size; /**< sizeof(spmm_stream_info_t). */
    int column_bits;    /**< Bits of a column index: 16 or 32; 0: the variant has no stream; the rest is 0. */
    int has_uniform_values; /**< 1: the plan's values are all equal; none are stored until others are set. */
    /** Bits of a column index in slices of rows, counted from the first column of its slice: 16, 20 or 32; 0:
     * there are no slices. Products with one column of B use the slices. They are stored in addition to the
     * stream, or in place of it if n_max of the executor is 1. */
    int slice_bits;
    int slice_run; /**< Number of consecutive columns per index in slices: 1 or 3; 0 without slices. */
} spmm_stream_info_t;

/** Fills *info for the variant of index 0, 1, ..; all 0 for a variant for the CPU. Long rows that are split
 * off and pieces of long rows are not covered: their indices have 32 bits. budget_bytes: maximum memory,
 * which op T needs for the transpose; 0: no limit. Errors: ARGUMENT, PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_stream(const spmm_plan_t *plan, int variant, uint64_t budget_bytes,
                                        spmm_stream_info_t *info, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
