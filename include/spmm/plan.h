/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Plans: the result of an inspection, in memory and on disk. Part of every spmm library.
 *
 * A plan is immutable and may be shared by threads. A plan file is untrusted input: a plan that
 * loads has passed every check of docs/plan-format.md. Needs no GPU and no CUDA.
 */
#ifndef SPMM_PLAN_H
#define SPMM_PLAN_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The result of an inspection: the matrix, variants and their parts, metrics, a trace. */
typedef struct spmm_plan spmm_plan_t;

/** Options of a load. */
typedef struct spmm_load_options {
    size_t struct_size;    /**< sizeof(spmm_load_options_t), set by the INIT macro. */
    uint64_t budget_bytes; /**< Most memory the load may take; 0: 1 GiB and 2,048 bytes for each byte of the
                              file. Plans that need more are of more than 50 million rows or nonzeros that
                              are as regular as the identity; writing one tells the log (WARNING). */
    int threads; /**< 0: as many as the machine has; from 2 on two more compute digests; a short budget means fewer. */
} spmm_load_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_LOAD_OPTIONS_INIT {sizeof(spmm_load_options_t), 0, 0}
/* clang-format on */

/** Read a plan from a file. options may be NULL. Checks everything; linear time.
 * Errors: ARGUMENT, IO, PLAN_* (diag->offset is the byte offset), MEMORY. */
SPMM_API spmm_status_t spmm_plan_load(const char *path, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);
/** The same from size bytes of memory. */
SPMM_API spmm_status_t spmm_plan_read(const void *bytes, size_t size, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);

/** Length of the plan that begins with these bytes, for readers of pipes: 256 are enough. Set also where the plan is
 * refused for a feature that this library does not know, if its header's hash fits. Errors: ARGUMENT, PLAN_*. */
SPMM_API spmm_status_t spmm_plan_length(const void *bytes, size_t size, uint64_t *file_bytes,
                                        spmm_diag_t *diag);

/** Options of a save. */
typedef struct spmm_save_options {
    size_t struct_size; /**< sizeof(spmm_save_options_t), set by the INIT macro. */
    int level;          /**< zstd level 1 to 19; 0: the default, 3. */
    int pattern_only;   /**< 1: leave the values out. */
    int threads;        /**< 0: as many as the machine has; never changes the bytes. */
} spmm_save_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_SAVE_OPTIONS_INIT {sizeof(spmm_save_options_t), 0, 0, 0}
/* clang-format on */

/** Write a plan to a file: temporary file in the same folder, fsync, rename, fsync of the folder. On any error the
 * final name is untouched and the temporary file is removed; only the last step, the fsync of the folder, can fail with
 * the new file in place. options may be NULL. Equal plans give equal bytes. Errors: ARGUMENT, IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_save(const spmm_plan_t *plan, const char *path,
                                      const spmm_save_options_t *options, spmm_diag_t *diag);
/** The same into memory; *bytes is given back with spmm_plan_bytes_free. */
SPMM_API spmm_status_t spmm_plan_write(const spmm_plan_t *plan, const spmm_save_options_t *options,
                                       void **bytes, size_t *size, spmm_diag_t *diag);
/** Frees what spmm_plan_write gave. */
SPMM_API void spmm_plan_bytes_free(void *bytes);

/** Frees the plan. Executors that were made from it stay valid. */
SPMM_API void spmm_plan_destroy(spmm_plan_t *plan);

/** What a plan holds. */
typedef struct {
    size_t struct_size;         /**< sizeof(spmm_plan_info_t). */
    int64_t rows;               /**< Rows of A. */
    int64_t cols;               /**< Columns of A. */
    int64_t nnz;                /**< Stored entries of A. */
    spmm_dtype_t a_type;        /**< Values of A. */
    spmm_dtype_t b_type;        /**< Values of B that the plan was made for. */
    spmm_dtype_t c_type;        /**< Values of C that the plan was made for. */
    spmm_dtype_t sum_type;      /**< Products and sums. */
    int has_values;             /**< 0: a pattern; spmm_executor_set_values gives the values. */
    uint8_t pattern_digest[16]; /**< XXH3-128 of the canonical CSR pattern, docs/plan-format.md. */
    uint8_t values_digest[16];  /**< XXH3-128 of the values. */
    int variant_count;          /**< See spmm_plan_variant. */
    int part_count;             /**< See spmm_plan_part. */
    int trace_count;            /**< See spmm_plan_trace. */
    int section_count;          /**< See spmm_plan_section. */
    uint64_t file_bytes;        /**< Of the file or buffer the plan was read from; 0 for a fresh plan. */
    uint16_t format_major;      /**< Version of the file format. */
    uint16_t format_minor;      /**< The same; of a fresh plan the least that its file can have. */
    char source[128];           /**< Name of the matrix as given to the inspector; may be empty; UTF-8. */
    char writer[32];            /**< What made the plan, such as "spmm-inspector 0.2.0"; may be empty. */
    /** A as CSR: 32-bit columns, row pointers of 32 bits (64 from 2^31 nonzeros on), and the plan's values, if any. */
    uint64_t csr_bytes;
} spmm_plan_info_t;
/** Fill *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_info(const spmm_plan_t *plan, spmm_plan_info_t *info);

#define SPMM_HISTOGRAM_BINS 34 /**< Bins of a histogram of row lengths. */
/** Exact statistics of the matrix (docs/statistics.md). */
typedef struct spmm_matrix_stats {
    size_t struct_size;                         /**< sizeof(spmm_matrix_stats_t). */
    double row_mean;                            /**< mu: nonzeros a row. */
    double row_stddev;                          /**< sigma, of the population. */
    int64_t row_max;                            /**< Nonzeros in the longest row. */
    int64_t row_min;                            /**< Nonzeros in the shortest row. */
    int64_t rows_empty;                         /**< Rows without nonzeros. */
    int64_t cols_empty;                         /**< Columns without nonzeros. */
    int64_t col_max;                            /**< Nonzeros in the fullest column. */
    int64_t band_lower;                         /**< Max of i - j over stored entries, at least 0. */
    int64_t band_upper;                         /**< Max of j - i over stored entries, at least 0. */
    int64_t diagonal;                           /**< Stored entries with i = j. */
    int64_t zeros;                              /**< Stored entries of value 0. */
    int64_t row_histogram[SPMM_HISTOGRAM_BINS]; /**< Bin 0: empty rows; bin b: 2^(b-1) <= length < 2^b. */
} spmm_matrix_stats_t;
/** The statistics of the plan's matrix. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_matrix_stats(const spmm_plan_t *plan, spmm_matrix_stats_t *stats);

#define SPMM_ROW_BLOCK_HEIGHTS 6 /**< Row blocks of 8, 16, 32, 64, 128 and 256 units. */
#define SPMM_COLUMN_BINS 32      /**< Bins of a histogram of column lengths. */
/** Exact metrics of a tiled schedule (docs/statistics.md): reuse of B in its row blocks and the cost of padding. A unit
 * is a row, or a segment of one. A quotient whose divisor is 0 is 0. All members are 8 bytes wide. */
typedef struct spmm_row_block_metrics {
    size_t struct_size;      /**< sizeof(spmm_row_block_metrics_t). */
    int64_t block_rows;      /**< Units a row block, at most; 0: the plan holds no such metrics. */
    int64_t stage_slots;     /**< Columns a stage, at most. */
    int64_t segment;         /**< Nonzeros a unit, at most; 0: units are whole rows. */
    int64_t is_reordered;    /**< 1: the units are permuted. */
    int64_t value_bytes;     /**< B_T: bytes of a value. */
    int64_t register_tile;   /**< R: columns of B that a thread multiplies at a time. */
    int64_t n;               /**< n, the columns of B that the metrics are for. */
    int64_t multiprocessors; /**< Of the device; 0: not known. */
    int64_t units;           /**< Rows, or segments of rows. */
    int64_t row_blocks;      /**< Row blocks. */
    int64_t thread_blocks;   /**< row_blocks * ceil(n / R). */
    double utilization;      /**< U (Eq. 5 of paper 000): thread blocks / multiprocessors. */
    double unit_mean;        /**< mu*: nonzeros a unit. */
    double unit_stddev;      /**< sigma*: their standard deviation. */
    int64_t unit_max;        /**< Nonzeros in the longest unit. */
    int64_t working_set_sum; /**< Working set: distinct columns of a row block. Sum over all row blocks. */
    int64_t working_set_max; /**< Maximum of a row block. */
    double working_set_mean; /**< Mean. */
    double rho;              /**< nnz / working_set_sum. */
    int64_t working_set[SPMM_ROW_BLOCK_HEIGHTS]; /**< Sum over the row blocks of 8, 16, .. 256 units,
                                                     permuted as this schedule is. */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS];        /**< rho of those. */
    int64_t stages;                              /**< Of all row blocks. */
    int64_t stages_max;                          /**< Maximum of a row block. */
    int64_t slices;                              /**< Sliced ELL: slices of 32 entries, padding included. */
    double padding;                              /**< Z: 32 * slices / nnz. */
    int64_t runs;                                /**< Runs of consecutive columns, in each stage. */
    double run_mean;                             /**< working_set_sum / runs. */
    int64_t lines;        /**< Lines of 64 bytes (the unit of paper 000) of column-major B, each
                          counted once in each stage. */
    int64_t sectors;      /**< 32-byte sectors, likewise. */
    double line_cost;     /**< C: bytes of lines over bytes of the values staged. */
    double sector_cost;   /**< C of sectors. */
    int64_t columns_used; /**< Columns of A with nonzeros. */
    double l2_reuse;      /**< L: working_set_sum / columns_used. */
    double line_gamma;    /**< Gamma = C / L (Eq. 4 of paper 000). */
    double sector_gamma;  /**< Gamma of sectors. */
    int64_t column_count[SPMM_COLUMN_BINS]; /**< Columns of 2^b <= nonzeros < 2^(b+1). */
    int64_t column_sum[SPMM_COLUMN_BINS];   /**< Their nonzeros. */
} spmm_row_block_metrics_t;
/** The metrics of the first tiled variant for column-major operands; if there is none, of the first for row-major ones;
 * block_rows is 0 when the plan holds none. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_row_block_metrics(const spmm_plan_t *plan,
                                                   spmm_row_block_metrics_t *metrics);

/** Families of kernels. spmm_family_at lists these and others, without an enumerator: dense, wide. */
typedef enum spmm_family {
    SPMM_FAMILY_ROWS = 1,   /**< Lane groups own row segments and gather rows of B. */
    SPMM_FAMILY_TILED = 2,  /**< Row blocks stage the rows of B that they share in shared memory. */
    SPMM_FAMILY_WINDOW = 3, /**< Tensor cores: row windows of 8 rows gather the rows of B of their columns. */
    SPMM_FAMILY_PANEL = 4,  /**< Tensor cores: row blocks of 64 to 256 rows stage rows of B. */
    SPMM_FAMILY_BCSR = 5    /**< Tensor cores: groups of 64 or 128 rows of dense blocks of 16 rows. */
} spmm_family_t;
/** Schedules: how a family divides the work. spmm_schedule_at lists these and others. */
typedef enum spmm_schedule {
    SPMM_SCHEDULE_ROW_SPLIT = 1,     /**< rows: items end with their rows. */
    SPMM_SCHEDULE_NONZERO_SPLIT = 2, /**< rows: items have equally many nonzeros. */
    SPMM_SCHEDULE_WHOLE = 3,         /**< tiled: a thread owns a row. */
    SPMM_SCHEDULE_SEGMENTED = 4,     /**< tiled: a thread owns a segment; segments are summed in order. */
    SPMM_SCHEDULE_DENSE = 5,         /**< window, panel: all 64 values of an 8 x 8 block are stored; bcsr: all
                                        of a block of 16 x 8, of 16 x 16 if the type has 16 bits. */
    SPMM_SCHEDULE_PACKED = 6         /**< window, panel: only the nonzeros of a block, with a bitmap. */
} spmm_schedule_t;
/** "rows", "tiled" and so on, as spmm_family_at lists them; "?" for another value. */
SPMM_API const char *spmm_family_name(spmm_family_t family);
/** "row-split", "whole" and so on, as spmm_schedule_at lists them; "?" for another value. */
SPMM_API const char *spmm_schedule_name(spmm_schedule_t schedule);

/** Limits and capabilities of a family. */
typedef struct spmm_family_info {
    size_t struct_size;       /**< sizeof(spmm_family_info_t). */
    spmm_family_t family;     /**< The family. */
    const char *name;         /**< As spmm_family_name. */
    const char *item;         /**< Name of the items of a part: "row". */
    const char *unit;         /**< Name of block_rows of them: "row window". */
    uint32_t types;           /**< Mask of SPMM_TYPES_*: values that it multiplies. */
    int uses_tensor_cores;    /**< 1: f32 is always multiplied as tf32 or 3xtf32. */
    int takes_long_rows;      /**< 1: long rows may be split off (spmm_part_info_t.is_long_rows). */
    int64_t n_min;            /**< Columns of B from which on the inspector considers it. */
    uint32_t block_rows_min;  /**< Minimum of rows or units of a row block; 0: it has none. */
    uint32_t block_rows_max;  /**< Maximum; all powers of two between are allowed. */
    uint32_t stage_slots_min; /**< Minimum slots of a stage; 0: it has no stages. */
    uint32_t stage_slots_max; /**< Most. */
} spmm_family_info_t;
/** One schedule of a family: kernels are named "family/schedule". */
typedef struct spmm_schedule_info {
    size_t struct_size;       /**< sizeof(spmm_schedule_info_t). */
    spmm_family_t family;     /**< Its family. */
    spmm_schedule_t schedule; /**< The schedule. */
    const char *name;         /**< As spmm_schedule_name. */
    uint32_t item_size_min;   /**< Minimum item size (spmm_part_info_t.item_size). */
    uint32_t item_size_max;   /**< Most. */
    int may_reorder;          /**< 1: items may be permuted. */
    int may_permute_output;   /**< 1: C may be left in that permutation. */
    int cuts_rows;            /**< 1: items are segments of rows. */
} spmm_schedule_info_t;
/** The family of index 0, 1, .., by ascending number. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_family_at(int index, spmm_family_info_t *info);
/** The schedule of index 0, 1, .., family after family. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_schedule_at(int index, spmm_schedule_info_t *info);

/** Kinds of row permutations, which a plan applies before it forms row windows or row blocks (tiled: of units, which
 * may be segments of rows). Columns keep their order. spmm_reorder_at lists these and others. */
typedef enum spmm_reorder {
    SPMM_REORDER_AUTO = 0,    /**< Whichever is predicted to pay, if any. */
    SPMM_REORDER_NONE = 1,    /**< The order of A. */
    SPMM_REORDER_RADIX = 2,   /**< By pattern: units as binary numbers, largest first; may be none. */
    SPMM_REORDER_JACCARD = 3, /**< Clusters of similar patterns, exact, greedy; at most 20,000 units. */
    SPMM_REORDER_MINHASH = 4, /**< Clusters of similar patterns found by min-hashes; any size. */
    SPMM_REORDER_RCM = 5      /**< Reverse Cuthill-McKee on the graph of A + A^T; square matrices only. */
} spmm_reorder_t;
/** "auto", "none", "radix" and so on, as spmm_reorder_at lists them; "?" for another value. */
SPMM_API const char *spmm_reorder_name(spmm_reorder_t kind);

/** A kind of permutation that the library knows. */
typedef struct spmm_reorder_info {
    size_t struct_size;  /**< sizeof(spmm_reorder_info_t). */
    spmm_reorder_t kind; /**< The kind. */
    const char *name;    /**< As spmm_reorder_name. */
    const char *text;    /**< A few words about it, such as "sorted by pattern"; may be empty. */
    int is_made;         /**< 1: neither AUTO nor NONE. */
    int needs_square;    /**< 1: square matrices only. */
    int64_t units_max;   /**< Most rows, or segments of rows; 0: any number. */
} spmm_reorder_info_t;
/** The kind of index 0, 1, .., AUTO and NONE included. Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_reorder_at(int index, spmm_reorder_info_t *info);

/** Shapes of the blocks that are counted for a permutation. Rows are taken 8 or 16 at a time, from the first one on. */
typedef enum spmm_block_shape {
    SPMM_BLOCKS_8X8 = 0,  /**< Row windows of 8: each 8 of the union of their columns are a block. */
    SPMM_BLOCKS_16X8 = 1, /**< Block rows of 16: aligned columns 8 c .. 8 c + 7 with a nonzero. */
    SPMM_BLOCKS_16X16 = 2 /**< Block rows of 16: aligned columns 16 c .. 16 c + 15. */
} spmm_block_shape_t;
/** Shapes that the arrays below have; later ones come as members of their own. */
#define SPMM_BLOCK_SHAPES 3
/** Metrics of a row permutation for kernels that process rows together (docs/reordering.md). Exact. */
typedef struct spmm_permutation_metrics {
    size_t struct_size;                     /**< sizeof(spmm_permutation_metrics_t). */
    spmm_op_t op;                           /**< Of the matrix whose rows are permuted: op(A). */
    spmm_reorder_t kind;                    /**< NONE: the order of A. */
    int is_identity;                        /**< 1: it is the identity; only where it was made. */
    int64_t units;                          /**< Rows, or (tiled) the segments that rows were cut into. */
    double seconds;                         /**< Time to make it; 0 in a plan. */
    int64_t block_count[SPMM_BLOCK_SHAPES]; /**< Blocks of each shape. */
    int64_t block_max[SPMM_BLOCK_SHAPES];   /**< Maximum of a row window or block row. */
    double block_mean[SPMM_BLOCK_SHAPES];   /**< Blocks a row window or block row. */
    double block_stddev[SPMM_BLOCK_SHAPES]; /**< Their standard deviation, of the population. */
    int64_t working_set[SPMM_ROW_BLOCK_HEIGHTS]; /**< Sum over the row blocks of 8, 16, .. 256 units of their
                                                    distinct columns. */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS];        /**< rho: nnz / working_set. */
} spmm_permutation_metrics_t;
/** The metrics of a permutation that the inspector looked at, of index 0, 1, .. in the order in which it did: for each
 * op and way to cut rows first NONE. Errors: ARGUMENT, also past the last one (index 0 where none was looked at). */
SPMM_API spmm_status_t spmm_plan_permutation_metrics(const spmm_plan_t *plan, int index,
                                                     spmm_permutation_metrics_t *metrics);

/** What can be executed: one op, one compute type, a set of layouts, a range of n, a target. */
typedef struct spmm_variant_info {
    size_t struct_size;     /**< sizeof(spmm_variant_info_t). */
    spmm_op_t op;           /**< op(A). */
    spmm_compute_t compute; /**< How products and sums are computed. */
    uint32_t layouts;       /**< Mask of SPMM_LAYOUTS_* it was chosen for; others still run. */
    int64_t n_min;          /**< Minimum n it was chosen for; others still run. */
    int64_t n_max;          /**< Maximum n it was chosen for. */
    uint32_t target;        /**< 0 any, 1 CPU, else a compute capability such as 90; advice only. */
    int part_first;         /**< Its first part. */
    int part_count;         /**< Two where the second has the long rows, which the first leaves out. */
    int reserved;           /**< 0. */
    spmm_dtype_t a_type;    /**< Values of A: of the plan's type, or of a narrower one. */
    int reserved_too;       /**< 0. */
} spmm_variant_info_t;
/** The variant of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_variant(const spmm_plan_t *plan, int index, spmm_variant_info_t *info);

/** A part: a family, a schedule and the items of one kernel. */
typedef struct spmm_part_info {
    size_t struct_size;       /**< sizeof(spmm_part_info_t). */
    spmm_family_t family;     /**< Family of the kernel. */
    spmm_schedule_t schedule; /**< Its schedule. */
    uint32_t item_size;       /**< nonzero split: nonzeros of an item; row split: least nonzeros that close an
                                 item; segmented: most nonzeros of a segment; window, panel, bcsr: most steps
                                 of an item: 8 columns, 128 columns or 4 block columns; else 0. */
    int64_t items;            /**< rows: items; tiled: rows, or segments of rows; others: rows. */
    uint32_t block_rows;      /**< tiled: units a row block; window, panel, bcsr: rows a row group; else 0. */
    uint32_t stage_slots;     /**< tiled: rows of B that a stage holds at most; else 0. */
    int is_reordered;         /**< 1: rows are permuted. */
    int permutes_output;      /**< 1: C is written in the permutation of spmm_plan_row_permutation. */
    int is_long_rows;         /**< 1: the rows that the part before it leaves out; items counts them. */
} spmm_part_info_t;
/** The part of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_part(const spmm_plan_t *plan, int index, spmm_part_info_t *info);

/** The permutation of a part that permutes its output: row i of C belongs to row (*permutation)[i] of op(A), i from 0
 * to *count - 1. Valid while the plan lives. Errors: ARGUMENT, also when the part does not permute its output. */
SPMM_API spmm_status_t spmm_plan_row_permutation(const spmm_plan_t *plan, int part,
                                                 const uint32_t **permutation, int64_t *count);
/** The permutation of a reordered part, in which it takes rows of op(A), first (*permutation)[0]; less than all where
 * long rows were split off. C need not have it. Valid while the plan lives. Errors: ARGUMENT, also when the part is not
 * reordered or permutes segments of rows. */
SPMM_API spmm_status_t spmm_plan_part_permutation(const spmm_plan_t *plan, int part,
                                                  const uint32_t **permutation, int64_t *count);

/** The permutation of rows and columns of a plan that was made with symmetric_permutation. The plan's matrix is PAP^T,
 * whose row and column i are row and column (*permutation)[i] of A, i from 0 to *count - 1: row i of B and of C is row
 * (*permutation)[i] of those of A. *permutation is NULL where they are those of A. Valid while the plan lives.
 * Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_symmetric_permutation(const spmm_plan_t *plan, const uint32_t **permutation,
                                                       int64_t *count);

/** The trace: a candidate that was considered, and why it won or lost. */
typedef struct spmm_trace_info {
    size_t struct_size;       /**< sizeof(spmm_trace_info_t). */
    int variant;              /**< The variant the candidate competed for. */
    spmm_family_t family;     /**< Family of the candidate. */
    spmm_schedule_t schedule; /**< Its schedule. */
    spmm_compute_t compute;   /**< How it computes. */
    spmm_reorder_t reorder;   /**< The entry is about this permutation; AUTO: about no permutation. */
    int chosen;               /**< 1: it was chosen. */
    double predicted_us;      /**< Microseconds; 0: no prediction. */
    double measured_us;       /**< Microseconds; 0: not measured. */
    double value;             /**< The value that the reason compares with the threshold; 0 if none. */
    double threshold;         /**< See value. */
    char reason[160];         /**< One sentence with both. */
} spmm_trace_info_t;
/** The entry of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_trace(const spmm_plan_t *plan, int index, spmm_trace_info_t *info);

/** One section of the file the plan was read from. */
typedef struct spmm_section_info {
    size_t struct_size;    /**< sizeof(spmm_section_info_t). */
    uint32_t type;         /**< Number of docs/plan-format.md. */
    char name[24];         /**< Its name. */
    uint64_t offset;       /**< Byte offset in the file. */
    uint64_t stored_bytes; /**< Bytes in the file. */
    uint64_t raw_bytes;    /**< Bytes when decompressed. */
    int part;              /**< The part it belongs to; -1 if none. */
} spmm_section_info_t;
/** The section of index 0, 1, ..  Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_plan_section(const spmm_plan_t *plan, int index, spmm_section_info_t *info);

/** Copies up to size bytes at offset of a file to bytes; returns how many: fewer where what is there of it ends. */
typedef size_t (*spmm_read_at_fn)(void *context, uint64_t offset, void *bytes, size_t size);
/** What a plan file that may be incomplete says of itself: header, section table and names, under 20,000 bytes, are
 * checked; file_bytes is of the whole file, missing names are empty. Errors: ARGUMENT, PLAN_* (TRUNCATED: no whole
 * table), MEMORY. */
SPMM_API spmm_status_t spmm_plan_head(spmm_read_at_fn read, void *context, spmm_plan_info_t *info,
                                      spmm_diag_t *diag);
/** Its section of index 0, 1, ..  Errors: as spmm_plan_head. */
SPMM_API spmm_status_t spmm_plan_head_section(spmm_read_at_fn read, void *context, int index,
                                              spmm_section_info_t *info, spmm_diag_t *diag);

/** Does the plan describe exactly this matrix? Compares the CSR arrays, not only digests; those of PAP^T where the plan
 * has a symmetric permutation. with_values = 0 compares the pattern only. Values are compared in the plan's type, bit
 * by bit but that a NaN equals any NaN; so -0 differs from 0, and a plan without values matches with_values = 0 only.
 * Returns OK or MISMATCH (diag says where). Errors: ARGUMENT, CSR. */
SPMM_API spmm_status_t spmm_plan_matches(const spmm_plan_t *plan, const spmm_csr_t *a, int with_values,
                                         spmm_diag_t *diag);

/** A new plan with other values: nnz of them in host memory, in the order of spmm_plan_csr, rounded to the plan's type.
 * Nothing is inspected, and plan stays valid: destroy both, in any order. Saved with equal options, their files differ
 * in header, values, stored zeros. Errors: ARGUMENT (also a finite value too large for a type of the plan), MEMORY. */
SPMM_API spmm_status_t spmm_plan_with_values(const spmm_plan_t *plan, const void *values,
                                             spmm_dtype_t value_type, spmm_plan_t **updated,
                                             spmm_diag_t *diag);
/** The diagonal of spmm_plan_csr: min(rows, cols) values of type, which is the plan's or F64; 0 where none is stored.
 * Errors: ARGUMENT, also when the plan holds no values. */
SPMM_API spmm_status_t spmm_plan_diagonal(const spmm_plan_t *plan, spmm_dtype_t type, void *diagonal,
                                          spmm_diag_t *diag);
/** A view of the plan's own matrix (row_ptr int64, col_ind int32), valid while the plan lives. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_csr(const spmm_plan_t *plan, spmm_csr_t *view);

#ifdef __cplusplus
}
#endif
#endif
