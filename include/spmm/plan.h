/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Plans: the result of an inspection, in memory and on disk. Part of every spmm library.
 *
 * A plan is immutable and several threads may share it. A plan file is untrusted input: a plan that loads has passed
 * every check of docs/plan-format.md. Needs no GPU and no CUDA.
 */
#ifndef SPMM_PLAN_H
#define SPMM_PLAN_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The result of an inspection: the matrix, variants and their parts, metrics, a trace. */
typedef struct spmm_plan spmm_plan_t;

/** Options of loading a plan. */
typedef struct spmm_load_options {
    size_t struct_size;    /**< sizeof(spmm_load_options_t), set by the INIT macro. */
    uint64_t budget_bytes; /**< Maximum memory of the load; 0: 1 GiB and 2,048 bytes per byte of the file.
                              Only plans of more than 50 million rows or nonzeros that are as regular as the
                              identity need more; writing such a plan logs a WARNING. */
    int threads; /**< 0: all processors; from 2 on two more threads compute digests; a small budget reduces them. */
} spmm_load_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_LOAD_OPTIONS_INIT {sizeof(spmm_load_options_t), 0, 0}
/* clang-format on */

/** Reads a plan from a file and checks everything, in linear time. options may be NULL.
 * Errors: ARGUMENT, IO, PLAN_* (diag->offset is the byte offset), MEMORY. */
SPMM_API spmm_status_t spmm_plan_load(const char *path, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);
/** The same as spmm_plan_load, from size bytes of memory. */
SPMM_API spmm_status_t spmm_plan_read(const void *bytes, size_t size, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);

/** Returns the length of the plan that begins with these bytes, for readers of pipes; 256 bytes are enough. Also sets
 * *file_bytes for a plan with an unknown feature, if the hash of its header is right. Errors: ARGUMENT, PLAN_*. */
SPMM_API spmm_status_t spmm_plan_length(const void *bytes, size_t size, uint64_t *file_bytes,
                                        spmm_diag_t *diag);

/** Options of saving a plan. */
typedef struct spmm_save_options {
    size_t struct_size; /**< sizeof(spmm_save_options_t), set by the INIT macro. */
    int level;          /**< zstd level, 1 to 19; 0: the default, 3. */
    int pattern_only;   /**< 1: the file leaves the values out. */
    int threads;        /**< Number of threads; 0: all processors. Never changes the bytes. */
} spmm_save_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_SAVE_OPTIONS_INIT {sizeof(spmm_save_options_t), 0, 0, 0}
/* clang-format on */

/** Writes a plan to a file: temporary file in the same folder, fsync, rename, fsync of the folder. After an error the
 * final name is untouched and the temporary file is removed; only if the last step, the fsync of the folder, fails is
 * the new file in place. options may be NULL. Equal plans give equal bytes. Errors: ARGUMENT, IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_save(const spmm_plan_t *plan, const char *path,
                                      const spmm_save_options_t *options, spmm_diag_t *diag);
/** The same as spmm_plan_save, into memory; free *bytes with spmm_plan_bytes_free. */
SPMM_API spmm_status_t spmm_plan_write(const spmm_plan_t *plan, const spmm_save_options_t *options,
                                       void **bytes, size_t *size, spmm_diag_t *diag);
/** Frees the bytes that spmm_plan_write returned. */
SPMM_API void spmm_plan_bytes_free(void *bytes);

/** Frees the plan. Executors that were made from it stay valid. */
SPMM_API void spmm_plan_destroy(spmm_plan_t *plan);

/** Properties of a plan. */
typedef struct {
    size_t struct_size;         /**< sizeof(spmm_plan_info_t). */
    int64_t rows;               /**< Number of rows of A. */
    int64_t cols;               /**< Number of columns of A. */
    int64_t nnz;                /**< Number of stored entries of A. */
    spmm_dtype_t a_type;        /**< Type of the values of A. */
    spmm_dtype_t b_type;        /**< Type of the values of B that the plan was made for. */
    spmm_dtype_t c_type;        /**< Type of the values of C that the plan was made for. */
    spmm_dtype_t sum_type;      /**< Type of products and sums. */
    int has_values;             /**< 0: the plan is a pattern; spmm_executor_set_values sets the values. */
    uint8_t pattern_digest[16]; /**< XXH3-128 of the canonical CSR pattern, docs/plan-format.md. */
    uint8_t values_digest[16];  /**< XXH3-128 of the values. */
    int variant_count;          /**< See spmm_plan_variant. */
    int part_count;             /**< See spmm_plan_part. */
    int trace_count;            /**< See spmm_plan_trace. */
    int section_count;          /**< See spmm_plan_section. */
    uint64_t file_bytes;   /**< Size of the file or buffer that the plan was read from; 0 for a new plan. */
    uint16_t format_major; /**< Version of the file format. */
    uint16_t format_minor; /**< Minor version; for a new plan the lowest that its file can have. */
    char source[128];      /**< Name of the matrix as given to the inspector; may be empty; UTF-8. */
    char writer[32];       /**< Program that made the plan, such as "spmm-inspector 0.2.0"; may be empty. */
    /** Bytes of A as CSR: 32-bit columns, 32-bit row pointers (64 from 2^31 nonzeros on), values, if any. */
    uint64_t csr_bytes;
} spmm_plan_info_t;
/** Fills *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_info(const spmm_plan_t *plan, spmm_plan_info_t *info);

#define SPMM_HISTOGRAM_BINS 34 /**< Number of bins of a histogram of row lengths. */
/** Exact statistics of the matrix (docs/statistics.md). */
typedef struct spmm_matrix_stats {
    size_t struct_size;                         /**< sizeof(spmm_matrix_stats_t). */
    double row_mean;                            /**< mu: mean nonzeros per row. */
    double row_stddev;                          /**< sigma: population standard deviation. */
    int64_t row_max;                            /**< Nonzeros in the longest row. */
    int64_t row_min;                            /**< Nonzeros in the shortest row. */
    int64_t rows_empty;                         /**< Rows without nonzeros. */
    int64_t cols_empty;                         /**< Columns without nonzeros. */
    int64_t col_max;                            /**< Nonzeros in the fullest column. */
    int64_t band_lower;                         /**< Maximum of i - j over stored entries, at least 0. */
    int64_t band_upper;                         /**< Maximum of j - i over stored entries, at least 0. */
    int64_t diagonal;                           /**< Stored entries with i = j. */
    int64_t zeros;                              /**< Stored entries of value 0. */
    int64_t row_histogram[SPMM_HISTOGRAM_BINS]; /**< Bin 0: empty rows; bin b: 2^(b-1) <= length < 2^b. */
} spmm_matrix_stats_t;
/** Returns the statistics of the plan's matrix. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_matrix_stats(const spmm_plan_t *plan, spmm_matrix_stats_t *stats);

#define SPMM_ROW_BLOCK_HEIGHTS 6 /**< Row blocks of 8, 16, 32, 64, 128 and 256 units. */
#define SPMM_COLUMN_BINS 32      /**< Number of bins of a histogram of column lengths. */
/** Exact metrics of a tiled schedule (docs/statistics.md): reuse of B in its row blocks and the cost of padding. A unit
 * is a row or a segment of a row. A quotient whose divisor is 0 is 0. All members are 8 bytes wide. */
typedef struct spmm_row_block_metrics {
    size_t struct_size;      /**< sizeof(spmm_row_block_metrics_t). */
    int64_t block_rows;      /**< Maximum units per row block; 0: the plan holds no such metrics. */
    int64_t stage_slots;     /**< Maximum columns per stage. */
    int64_t segment;         /**< Maximum nonzeros per unit; 0: units are whole rows. */
    int64_t is_reordered;    /**< 1: the units are permuted. */
    int64_t value_bytes;     /**< B_T: bytes of a value. */
    int64_t register_tile;   /**< R: columns of B that a thread multiplies at a time. */
    int64_t n;               /**< n: number of columns of B that the metrics are for. */
    int64_t multiprocessors; /**< Multiprocessors of the device; 0: not known. */
    int64_t units;           /**< Number of rows, or of segments of rows. */
    int64_t row_blocks;      /**< Number of row blocks. */
    int64_t thread_blocks;   /**< row_blocks * ceil(n / R). */
    double utilization;      /**< U (Eq. 5 of paper 000): thread blocks / multiprocessors. */
    double unit_mean;        /**< mu*: mean nonzeros per unit. */
    double unit_stddev;      /**< sigma*: standard deviation of the nonzeros per unit. */
    int64_t unit_max;        /**< Nonzeros in the longest unit. */
    int64_t working_set_sum; /**< Working set: distinct columns of a row block. Sum over all row blocks. */
    int64_t working_set_max; /**< Maximum working set of a row block. */
    double working_set_mean; /**< Mean working set of a row block. */
    double rho;              /**< nnz / working_set_sum. */
    int64_t working_set[SPMM_ROW_BLOCK_HEIGHTS]; /**< Sum over the row blocks of 8, 16, .. 256 units,
                                                     permuted as this schedule is. */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS];        /**< rho for each of these heights. */
    int64_t stages;                              /**< Number of stages of all row blocks. */
    int64_t stages_max;                          /**< Maximum number of stages of a row block. */
    int64_t slices;                              /**< Sliced ELL: slices of 32 entries, padding included. */
    double padding;                              /**< Z: 32 * slices / nnz. */
    int64_t runs;                                /**< Runs of consecutive columns, counted per stage. */
    double run_mean;                             /**< working_set_sum / runs. */
    int64_t lines;        /**< Lines of 64 bytes (the unit of paper 000) of column-major B; a line
                          counts once per stage. */
    int64_t sectors;      /**< 32-byte sectors, counted in the same way. */
    double line_cost;     /**< C: bytes of lines over bytes of the values staged. */
    double sector_cost;   /**< C for sectors in place of lines. */
    int64_t columns_used; /**< Columns of A with nonzeros. */
    double l2_reuse;      /**< L: working_set_sum / columns_used. */
    double line_gamma;    /**< Gamma = C / L (Eq. 4 of paper 000). */
    double sector_gamma;  /**< Gamma for sectors in place of lines. */
    int64_t column_count[SPMM_COLUMN_BINS]; /**< Number of columns with 2^b <= nonzeros < 2^(b+1). */
    int64_t column_sum[SPMM_COLUMN_BINS];   /**< Nonzeros in these columns. */
} spmm_row_block_metrics_t;
/** Returns the metrics of the first tiled variant for column-major operands; without one, of the first for row-major
 * operands. block_rows is 0 if the plan holds no metrics. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_row_block_metrics(const spmm_plan_t *plan,
                                                   spmm_row_block_metrics_t *metrics);

/** Families of kernels. spmm_family_at lists these and others that have no enumerator: dense, wide. */
typedef enum spmm_family {
    SPMM_FAMILY_ROWS = 1,   /**< Lane groups own row segments and gather rows of B. */
    SPMM_FAMILY_TILED = 2,  /**< Row blocks stage the rows of B that they share in shared memory. */
    SPMM_FAMILY_WINDOW = 3, /**< Tensor cores: row windows of 8 rows gather the rows of B that they need. */
    SPMM_FAMILY_PANEL = 4,  /**< Tensor cores: row blocks of 64 to 256 rows stage rows of B. */
    SPMM_FAMILY_BCSR = 5    /**< Tensor cores: groups of 64 or 128 rows of dense blocks of 16 rows. */
} spmm_family_t;
/** Schedules: how a family divides the work. spmm_schedule_at lists these and others. */
typedef enum spmm_schedule {
    SPMM_SCHEDULE_ROW_SPLIT = 1,     /**< rows: an item is a number of whole rows. */
    SPMM_SCHEDULE_NONZERO_SPLIT = 2, /**< rows: all items have the same number of nonzeros. */
    SPMM_SCHEDULE_WHOLE = 3,         /**< tiled: a thread owns a row. */
    SPMM_SCHEDULE_SEGMENTED = 4,     /**< tiled: a thread owns a segment; segments are summed in order. */
    SPMM_SCHEDULE_DENSE = 5, /**< All values of a block are stored. window, panel: 8 x 8; bcsr: 16 x 8,
                                        or 16 x 16 for 16-bit types. */
    SPMM_SCHEDULE_PACKED = 6 /**< window, panel: only the nonzeros of a block, with a bitmap. */
} spmm_schedule_t;
/** Returns "rows", "tiled" and so on, as spmm_family_at lists them; "?" for another value. */
SPMM_API const char *spmm_family_name(spmm_family_t family);
/** Returns "row-split", "whole" and so on, as spmm_schedule_at lists them; "?" for another value. */
SPMM_API const char *spmm_schedule_name(spmm_schedule_t schedule);

/** Limits and capabilities of a family. */
typedef struct spmm_family_info {
    size_t struct_size;       /**< sizeof(spmm_family_info_t). */
    spmm_family_t family;     /**< The family. */
    const char *name;         /**< As spmm_family_name. */
    const char *item;         /**< What an item of a part is: "row". */
    const char *unit;         /**< What block_rows items form: "row window". */
    uint32_t types;           /**< Mask of SPMM_TYPES_*: types of the values that it multiplies. */
    int uses_tensor_cores;    /**< 1: f32 is always multiplied as tf32 or 3xtf32. */
    int takes_long_rows;      /**< 1: long rows may be split off (spmm_part_info_t.is_long_rows). */
    int64_t n_min;            /**< Minimum columns of B for which the inspector considers it. */
    uint32_t block_rows_min;  /**< Minimum rows or units of a row block; 0: it has no row blocks. */
    uint32_t block_rows_max;  /**< Maximum; all powers of two between the two are allowed. */
    uint32_t stage_slots_min; /**< Minimum slots of a stage; 0: it has no stages. */
    uint32_t stage_slots_max; /**< Maximum slots of a stage. */
} spmm_family_info_t;
/** One schedule of a family: kernels are named "family/schedule". */
typedef struct spmm_schedule_info {
    size_t struct_size;       /**< sizeof(spmm_schedule_info_t). */
    spmm_family_t family;     /**< Its family. */
    spmm_schedule_t schedule; /**< The schedule. */
    const char *name;         /**< As spmm_schedule_name. */
    uint32_t item_size_min;   /**< Minimum item size (spmm_part_info_t.item_size). */
    uint32_t item_size_max;   /**< Maximum item size. */
    int may_reorder;          /**< 1: items may be permuted. */
    int may_permute_output;   /**< 1: C may be written in the permuted order of the items. */
    int cuts_rows;            /**< 1: items are segments of rows. */
} spmm_schedule_info_t;
/** Describes the family of index 0, 1, .., by ascending number. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_family_at(int index, spmm_family_info_t *info);
/** Describes the schedule of index 0, 1, .., family after family. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_schedule_at(int index, spmm_schedule_info_t *info);

/** Kinds of row permutations. A plan applies one before it forms row windows or row blocks (tiled permutes units,
 * which may be segments of rows). Columns keep their order. spmm_reorder_at lists these and others. */
typedef enum spmm_reorder {
    SPMM_REORDER_AUTO = 0,    /**< The permutation that is predicted to pay off, if any. */
    SPMM_REORDER_NONE = 1,    /**< The order of A. */
    SPMM_REORDER_RADIX = 2,   /**< Units sorted as binary numbers, largest first; may be the order of A. */
    SPMM_REORDER_JACCARD = 3, /**< Clusters of similar patterns, exact, greedy; at most 20,000 units. */
    SPMM_REORDER_MINHASH = 4, /**< Clusters of similar patterns found by min-hashes; any size. */
    SPMM_REORDER_RCM = 5      /**< Reverse Cuthill-McKee on the graph of A + A^T; square matrices only. */
} spmm_reorder_t;
/** Returns "auto", "none", "radix" and so on, as spmm_reorder_at lists them; "?" for another value. */
SPMM_API const char *spmm_reorder_name(spmm_reorder_t kind);

/** A kind of permutation that the library knows. */
typedef struct spmm_reorder_info {
    size_t struct_size;  /**< sizeof(spmm_reorder_info_t). */
    spmm_reorder_t kind; /**< The kind. */
    const char *name;    /**< As spmm_reorder_name. */
    const char *text;    /**< A few words about it, such as "sorted by pattern"; may be empty. */
    int is_made;         /**< 1: an actual permutation, neither AUTO nor NONE. */
    int needs_square;    /**< 1: square matrices only. */
    int64_t units_max;   /**< Maximum number of rows, or of segments of rows; 0: any number. */
} spmm_reorder_info_t;
/** Describes the kind of index 0, 1, .., AUTO and NONE included. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_reorder_at(int index, spmm_reorder_info_t *info);

/** Shapes of the blocks that are counted for a permutation. A window or block row is 8 or 16 consecutive rows. */
typedef enum spmm_block_shape {
    SPMM_BLOCKS_8X8 = 0,  /**< Row windows of 8: each 8 columns of the union of their columns form a block. */
    SPMM_BLOCKS_16X8 = 1, /**< Block rows of 16: aligned columns 8 c .. 8 c + 7 with a nonzero. */
    SPMM_BLOCKS_16X16 = 2 /**< Block rows of 16: aligned columns 16 c .. 16 c + 15. */
} spmm_block_shape_t;
/** Number of shapes in the arrays below; later shapes get members of their own. */
#define SPMM_BLOCK_SHAPES 3
/** Metrics of a row permutation for kernels that process rows together (docs/reordering.md). Exact. */
typedef struct spmm_permutation_metrics {
    size_t struct_size;                          /**< sizeof(spmm_permutation_metrics_t). */
    spmm_op_t op;                                /**< The permuted rows are the rows of op(A). */
    spmm_reorder_t kind;                         /**< NONE: the order of A. */
    int is_identity;                             /**< 1: it is the identity; set only if it was made. */
    int64_t units;                               /**< Number of rows, or (tiled) of segments of rows. */
    double seconds;                              /**< Time to make it; 0 in a plan. */
    int64_t block_count[SPMM_BLOCK_SHAPES];      /**< Number of blocks of each shape. */
    int64_t block_max[SPMM_BLOCK_SHAPES];        /**< Maximum blocks of a row window or block row. */
    double block_mean[SPMM_BLOCK_SHAPES];        /**< Mean blocks per row window or block row. */
    double block_stddev[SPMM_BLOCK_SHAPES];      /**< Population standard deviation of the same. */
    int64_t working_set[SPMM_ROW_BLOCK_HEIGHTS]; /**< Distinct columns of each row block of 8, 16, .. 256
                                                    units, summed over the row blocks. */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS];        /**< rho: nnz / working_set. */
} spmm_permutation_metrics_t;
/** Returns the metrics of a permutation that the inspector considered, of index 0, 1, .. in its order: for each op
 * and way to cut rows, NONE first. Errors: ARGUMENT, also past the last one (index 0 if it considered none). */
SPMM_API spmm_status_t spmm_plan_permutation_metrics(const spmm_plan_t *plan, int index,
                                                     spmm_permutation_metrics_t *metrics);

/** A variant: what a plan can execute, for one op, one compute type, a set of layouts, a range of n and a target. */
typedef struct spmm_variant_info {
    size_t struct_size;     /**< sizeof(spmm_variant_info_t). */
    spmm_op_t op;           /**< The op of op(A). */
    spmm_compute_t compute; /**< How products and sums are computed. */
    uint32_t layouts;       /**< Mask of SPMM_LAYOUTS_* that it was chosen for; others still run. */
    int64_t n_min;          /**< Minimum n that it was chosen for; others still run. */
    int64_t n_max;          /**< Maximum n that it was chosen for. */
    uint32_t target;        /**< 0 any, 1 CPU, else a compute capability such as 90; advice only. */
    int part_first;         /**< Index of its first part. */
    int part_count;         /**< 2 if a second part has the long rows, which the first part leaves out. */
    int reserved;           /**< 0. */
    spmm_dtype_t a_type;    /**< Type of the values of A: the plan's type or a narrower one. */
    int reserved_too;       /**< 0. */
} spmm_variant_info_t;
/** Describes the variant of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_variant(const spmm_plan_t *plan, int index, spmm_variant_info_t *info);

/** A part: a family, a schedule and the items of one kernel. */
typedef struct spmm_part_info {
    size_t struct_size;       /**< sizeof(spmm_part_info_t). */
    spmm_family_t family;     /**< Family of the kernel. */
    spmm_schedule_t schedule; /**< Its schedule. */
    uint32_t item_size;   /**< nonzero split: nonzeros per item; row split: an item is closed once it has this
                                 many nonzeros; segmented: maximum nonzeros per segment; window, panel, bcsr:
                                 maximum steps per item (8 or 128 columns, or 4 block columns); else 0. */
    int64_t items;        /**< rows: items; tiled: rows, or segments of rows; others: rows. */
    uint32_t block_rows;  /**< tiled: units per row block; window, panel, bcsr: rows per row group; else 0. */
    uint32_t stage_slots; /**< tiled: maximum rows of B in a stage; else 0. */
    int is_reordered;     /**< 1: rows are permuted. */
    int permutes_output;  /**< 1: C is written in the permutation of spmm_plan_row_permutation. */
    int is_long_rows;     /**< 1: it has the rows that the part before it leaves out; items counts them. */
} spmm_part_info_t;
/** Describes the part of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_part(const spmm_plan_t *plan, int index, spmm_part_info_t *info);

/** Returns the permutation of a part that permutes its output: row i of C belongs to row (*permutation)[i] of op(A),
 * 0 <= i < *count. Valid while the plan lives. Errors: ARGUMENT, also if the part does not permute its output. */
SPMM_API spmm_status_t spmm_plan_row_permutation(const spmm_plan_t *plan, int part,
                                                 const uint32_t **permutation, int64_t *count);
/** Returns the order in which a reordered part processes the rows of op(A), first row (*permutation)[0]. *count is
 * less than the number of rows if long rows were split off. C may have another order. Valid while the plan lives.
 * Errors: ARGUMENT, also if the part is not reordered or permutes segments of rows. */
SPMM_API spmm_status_t spmm_plan_part_permutation(const spmm_plan_t *plan, int part,
                                                  const uint32_t **permutation, int64_t *count);

/** Returns the permutation of rows and columns of a plan that was made with symmetric_permutation; *permutation is
 * NULL if they keep the order of A, as in all other plans. The matrix of the plan is PAP^T: its row and column i are
 * row and column (*permutation)[i] of A, for i from 0 to *count - 1. Products permute B and C likewise: their row i is
 * row (*permutation)[i] of the B and C of A. Valid while the plan lives. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_symmetric_permutation(const spmm_plan_t *plan, const uint32_t **permutation,
                                                       int64_t *count);

/** An entry of the trace: a candidate that was considered, and why it won or lost. */
typedef struct spmm_trace_info {
    size_t struct_size;       /**< sizeof(spmm_trace_info_t). */
    int variant;              /**< Index of the variant that the candidate competed for. */
    spmm_family_t family;     /**< Family of the candidate. */
    spmm_schedule_t schedule; /**< Its schedule. */
    spmm_compute_t compute;   /**< Its compute type. */
    spmm_reorder_t reorder;   /**< Permutation that the entry is about; AUTO: it is about no permutation. */
    int chosen;               /**< 1: it was chosen. */
    double predicted_us;      /**< Microseconds; 0: no prediction. */
    double measured_us;       /**< Microseconds; 0: not measured. */
    double value;             /**< The value that the reason compares with the threshold; 0 if none. */
    double threshold;         /**< See value. */
    char reason[160];         /**< One sentence with value and threshold. */
} spmm_trace_info_t;
/** Describes the entry of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_trace(const spmm_plan_t *plan, int index, spmm_trace_info_t *info);

/** A section of the file that the plan was read from. */
typedef struct spmm_section_info {
    size_t struct_size;    /**< sizeof(spmm_section_info_t). */
    uint32_t type;         /**< Number of the section in docs/plan-format.md. */
    char name[24];         /**< Its name. */
    uint64_t offset;       /**< Byte offset in the file. */
    uint64_t stored_bytes; /**< Bytes in the file. */
    uint64_t raw_bytes;    /**< Bytes when decompressed. */
    int part;              /**< Index of the part it belongs to; -1: none. */
} spmm_section_info_t;
/** Describes the section of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_section(const spmm_plan_t *plan, int index, spmm_section_info_t *info);

/** Copies up to size bytes at offset of a file to bytes. Returns their number: less than size if the file ends. */
typedef size_t (*spmm_read_at_fn)(void *context, uint64_t offset, void *bytes, size_t size);
/** Describes a plan file that may be incomplete. Reads and checks the header, the section table and the names, less
 * than 20,000 bytes. file_bytes is the size of the whole file; missing names are empty. Errors: ARGUMENT, PLAN_*
 * (TRUNCATED: the section table is incomplete), MEMORY. */
SPMM_API spmm_status_t spmm_plan_head(spmm_read_at_fn read, void *context, spmm_plan_info_t *info,
                                      spmm_diag_t *diag);
/** Describes the section of index 0, 1, .. of such a file. Errors: as spmm_plan_head. */
SPMM_API spmm_status_t spmm_plan_head_section(spmm_read_at_fn read, void *context, int index,
                                              spmm_section_info_t *info, spmm_diag_t *diag);

/** Checks that the plan describes exactly this matrix (PAP^T if it has a symmetric permutation). Compares the CSR
 * arrays, not only digests. with_values = 0 compares the pattern only. Values are compared in the plan's type, bit by
 * bit, except that a NaN equals any NaN; so -0 differs from 0. A plan without values matches only if with_values = 0.
 * Returns OK or MISMATCH (diag says where). Errors: ARGUMENT, CSR. */
SPMM_API spmm_status_t spmm_plan_matches(const spmm_plan_t *plan, const spmm_csr_t *a, int with_values,
                                         spmm_diag_t *diag);

/** Makes a new plan with other values: nnz values in host memory, in the order of spmm_plan_csr, rounded to the plan's
 * type. Inspects nothing. plan stays valid: destroy both, in any order. Saved with equal options, the files differ in
 * header, values, stored zeros. Errors: ARGUMENT (also a finite value too large for a type of the plan), MEMORY. */
SPMM_API spmm_status_t spmm_plan_with_values(const spmm_plan_t *plan, const void *values,
                                             spmm_dtype_t value_type, spmm_plan_t **updated,
                                             spmm_diag_t *diag);
/** Writes the diagonal of spmm_plan_csr: min(rows, cols) values of type, which is the plan's type or F64; 0 if an
 * entry is not stored. Errors: ARGUMENT, also if the plan holds no values. */
SPMM_API spmm_status_t spmm_plan_diagonal(const spmm_plan_t *plan, spmm_dtype_t type, void *diagonal,
                                          spmm_diag_t *diag);
/** Returns a view of the plan's matrix (row_ptr int64, col_ind int32), valid while the plan lives. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_csr(const spmm_plan_t *plan, spmm_csr_t *view);

#ifdef __cplusplus
}
#endif
#endif
