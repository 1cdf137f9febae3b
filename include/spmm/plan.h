/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what an inspection found, in memory and on disk. Part of every spmm library.
 *
 * A plan is immutable and may be shared by threads. A plan file is untrusted input: a plan that
 * loads has passed every check of docs/plan-format.md. Needs no GPU and no CUDA.               */
#ifndef SPMM_PLAN_H
#define SPMM_PLAN_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spmm_plan spmm_plan_t;

typedef struct spmm_load_options {
    size_t struct_size;    /* sizeof(spmm_load_options_t), set by the INIT macro */
    uint64_t budget_bytes; /* most memory the load may take; 0 = 4 times the CSR size of the
                               header's dimensions, plus 64 MiB */
    int threads;           /* decoding threads; 0 = as many as the machine has */
} spmm_load_options_t;
/* clang-format off */
#define SPMM_LOAD_OPTIONS_INIT {sizeof(spmm_load_options_t), 0, 0}
/* clang-format on */

/* Read a plan from a file or from memory. options may be NULL. Checks everything; linear time.
 * Errors: IO, PLAN_* (diag->offset is the byte offset), MEMORY. */
SPMM_API spmm_status_t spmm_plan_load(const char *path, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);
SPMM_API spmm_status_t spmm_plan_read(const void *bytes, size_t size, const spmm_load_options_t *options,
                                      spmm_plan_t **plan, spmm_diag_t *diag);

typedef struct spmm_save_options {
    size_t struct_size;
    int level;        /* zstd level 1..19; 0 = default (3) */
    int pattern_only; /* 1: leave the values out */
    int threads;      /* 0 = as many as the machine has; never changes the bytes */
} spmm_save_options_t;
/* clang-format off */
#define SPMM_SAVE_OPTIONS_INIT {sizeof(spmm_save_options_t), 0, 0, 0}
/* clang-format on */

/* Write a plan to a file: temporary file in the same folder, fsync, rename, fsync of the folder.
 * On any error the final name is untouched and the temporary is removed; only the last step, the fsync of the
 * folder, can fail with the new file in place. options may be NULL.
 * The same plan, options and library version give the same bytes. Errors: IO, MEMORY. */
SPMM_API spmm_status_t spmm_plan_save(const spmm_plan_t *plan, const char *path,
                                      const spmm_save_options_t *options, spmm_diag_t *diag);
/* The same into memory. *bytes is freed with spmm_plan_bytes_free. */
SPMM_API spmm_status_t spmm_plan_write(const spmm_plan_t *plan, const spmm_save_options_t *options,
                                       void **bytes, size_t *size, spmm_diag_t *diag);
SPMM_API void spmm_plan_bytes_free(void *bytes);

SPMM_API void spmm_plan_destroy(spmm_plan_t *plan);

#define SPMM_HISTOGRAM_BINS 34
/* Exact figures of the matrix. */
typedef struct spmm_stats {
    double row_mean;   /* mu: nonzeros a row */
    double row_stddev; /* sigma, population */
    int64_t row_max, row_min;
    int64_t rows_empty, cols_empty;
    int64_t col_max;                /* nonzeros in the fullest column */
    int64_t band_lower, band_upper; /* max of i - j and of j - i over stored entries, at least 0 */
    int64_t diagonal;               /* stored entries with i = j */
    int64_t zeros;                  /* stored entries of value 0 */
    int64_t row_histogram[SPMM_HISTOGRAM_BINS]; /* bin 0: empty rows; bin b: 2^(b-1) <= length < 2^b */
} spmm_stats_t;

#define SPMM_ROW_BLOCK_HEIGHTS 6 /* panels of 8, 16, 32, 64, 128 and 256 units */
#define SPMM_COLUMN_BINS 32
/* Exact figures of a tiled schedule (docs/statistics.md): what its panels share and what padding costs. A unit is a
 * row, or a segment of one. A quotient whose divisor is 0 is 0. All members are 8 bytes wide: no padding. */
typedef struct spmm_row_block_metrics {
    /* The schedule that the figures are of. */
    int64_t block_rows;      /* units a panel, at most; 0: the plan holds no such figures */
    int64_t stage_slots;     /* columns a stage, at most */
    int64_t segment;         /* nonzeros a unit, at most; 0: units are whole rows */
    int64_t is_reordered;    /* 1: panels take the units in another order than that of A */
    int64_t value_bytes;     /* B_T: bytes of a number */
    int64_t register_tile;   /* R: columns of B that a thread multiplies at a time */
    int64_t n;               /* columns of B that were judged */
    int64_t multiprocessors; /* of the device; 0: not known */
    /* Work. */
    int64_t units, row_blocks;
    int64_t blocks;                /* panels * ceil(n / R) */
    double utilization;            /* U (Eq. 5): blocks / multiprocessors */
    double unit_mean, unit_stddev; /* mu* and sigma*: nonzeros a unit */
    int64_t unit_max;
    /* Reuse. The footprint of a panel is the number of distinct columns that its units hold. */
    int64_t working_set_sum, working_set_max; /* of all panels, of the largest */
    double working_set_mean;
    double rho; /* nnz / working_set_sum */
    int64_t working_set
        [SPMM_ROW_BLOCK_HEIGHTS];         /* sum over the panels of 8, 16, .. 256 units of the same order */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS]; /* rho of those */
    /* Stages and sliced ELL. */
    int64_t stages, stages_max; /* of all panels, of the panel with most */
    int64_t slices;             /* of 32 entries, padding included */
    double padding;             /* Z: 32 * slices / nnz */
    /* Access to column-major B. */
    int64_t runs;                           /* of consecutive columns, in each stage */
    double run_mean;                        /* working_set_sum / runs */
    int64_t lines, sectors;                 /* of 64 and of 32 bytes, each counted once in each stage */
    double line_cost, sector_cost;          /* C: bytes of those over bytes of the numbers staged */
    int64_t columns_used;                   /* columns of A with nonzeros */
    double l2_reuse;                        /* L: working_set_sum / columns_used */
    double line_gamma, sector_gamma;        /* Gamma = C / L (Eq. 4) */
    int64_t column_count[SPMM_COLUMN_BINS]; /* columns of 2^b <= nonzeros < 2^(b+1) */
    int64_t column_sum[SPMM_COLUMN_BINS];   /* their nonzeros */
} spmm_row_block_metrics_t;

typedef struct {
    size_t struct_size;
    int64_t rows, cols, nnz;
    spmm_dtype_t dtype;
    int has_values;
    uint8_t pattern_digest[16], values_digest[16]; /* XXH3-128 of the canonical CSR, docs/plan-format.md */
    spmm_stats_t stats;
    int variant_count, part_count, trace_count, section_count;
    uint64_t file_bytes; /* of the file or buffer the plan was read from; 0 for a fresh plan */
    uint16_t format_major, format_minor;
    char source[128]; /* name of the source as given to the inspector; may be empty; UTF-8 */
    char writer
        [32]; /* what made the plan, as "spmm-inspector 0.2.0"; empty in plans before format 1.5; UTF-8 */
} spmm_plan_info_t;
/* Fill *info; info->struct_size says how much of it the caller knows. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_info(const spmm_plan_t *plan, spmm_plan_info_t *info);

/* The figures of the first tiled variant for column-major operands, of row-major ones without such a variant;
 * block_rows is 0 when the plan holds none. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_row_block_metrics(const spmm_plan_t *plan, spmm_row_block_metrics_t *stats);

typedef enum spmm_family {
    SPMM_FAMILY_ROWS = 1,   /* lane groups own row segments and gather rows of B */
    SPMM_FAMILY_TILED = 2,  /* panels of rows stage the rows of B that they share in shared memory */
    SPMM_FAMILY_WINDOW = 3, /* tensor cores: windows of 8 rows gather the rows of B of their columns */
    SPMM_FAMILY_PANEL = 4,  /* tensor cores: panels of 64 to 256 rows stage the rows of B that they share */
    SPMM_FAMILY_BCSR = 5 /* tensor cores: strips of 64 or 128 rows of blocks of 16 rows at aligned columns */
} spmm_family_t;
typedef enum spmm_schedule {
    SPMM_SCHEDULE_ROW_SPLIT = 1,     /* rows */
    SPMM_SCHEDULE_NONZERO_SPLIT = 2, /* rows */
    SPMM_SCHEDULE_WHOLE = 3,         /* tiled: a thread owns a row */
    SPMM_SCHEDULE_SEGMENTED = 4, /* tiled: a thread owns a segment of a row, segments are summed in order */
    SPMM_SCHEDULE_DENSE =
        5, /* window, panel: all 64 numbers of an 8 x 8 block are stored; bcsr: all of a block
                                of 16 x 8, of 16 x 16 if the type has 16 bits */
    SPMM_SCHEDULE_PACKED = 6 /* window, panel: only those of A, beside a map of 64 bits */
} spmm_schedule_t;
/* "rows", "tiled", "window", "panel", "bcsr"; "row-split", "nonzero-split", "whole", "segmented", "dense", "packed";
 * "?" for another value. Static storage. */
SPMM_API const char *spmm_family_name(spmm_family_t family);
SPMM_API const char *spmm_schedule_name(spmm_schedule_t schedule);

/* What plans and options may ask of a family. Text is in static storage. */
typedef struct spmm_family_info {
    size_t struct_size;
    spmm_family_t family;
    const char *name;
    const char *item, *unit; /* what the items of a part are, and block_rows of them: "row", "strip" */
    uint32_t types;          /* of numbers: bits 1u << SPMM_F32, .. */
    int uses_tensor_cores;   /* f32 is multiplied as tf32 or 3xtf32 */
    int takes_long_rows;     /* rows may be split off (spmm_part_info_t.is_long_rows) */
    int64_t n_min;           /* columns of B from which on the inspector considers it */
    uint32_t block_rows_min, block_rows_max;   /* powers of two from .. to; 0: it has no panels or units */
    uint32_t stage_slots_min, stage_slots_max; /* 0: it has no stages */
} spmm_family_info_t;
/* One schedule of a family: kernels are named "family/schedule". */
typedef struct spmm_schedule_info {
    size_t struct_size;
    spmm_family_t family;
    spmm_schedule_t schedule;
    const char *name;
    uint32_t item_size_min, item_size_max;
    int may_reorder;        /* items may be in another order than that of A */
    int may_permute_output; /* C may be left in it */
    int cuts_rows;          /* items are segments of rows */
} spmm_schedule_info_t;
/* Families of index 0, 1, .. in the order of their numbers, and all their schedules, family after family; a family's
 * first schedule follows the last one of the family before it. info->struct_size says how much of it the caller knows.
 * Errors: ARGUMENT, also past the last one. */
SPMM_API spmm_status_t spmm_family_at(int index, spmm_family_info_t *info);
SPMM_API spmm_status_t spmm_schedule_at(int index, spmm_schedule_info_t *info);

/* In which order do panels, windows and blocks take the rows (tiled: the units, which may be segments of rows)?
 * Columns keep their order. */
typedef enum spmm_reorder {
    SPMM_REORDER_AUTO = 0, /* whichever is predicted to pay, if any */
    SPMM_REORDER_NONE = 1, /* as they are */
    SPMM_REORDER_RADIX =
        2, /* by pattern: units as binary numbers, largest first; none where that is A's order */
    SPMM_REORDER_JACCARD = 3, /* clusters of like patterns, exact, greedy; at most 20,000 units */
    SPMM_REORDER_MINHASH = 4, /* clusters of like patterns found by min-hashes; any size */
    SPMM_REORDER_RCM = 5      /* reverse Cuthill-McKee on the graph of A + A^T; square matrices only */
} spmm_reorder_t;
/* "auto", "none", "radix", "jaccard", "minhash", "rcm"; "?" for another value. Static storage. */
SPMM_API const char *spmm_reorder_name(spmm_reorder_t kind);

typedef struct {
    size_t struct_size;
    spmm_reorder_t kind;
    const char *name;  /* as spmm_reorder_name says it */
    const char *text;  /* a few words about it, such as "sorted by pattern"; may be empty. Static storage */
    int is_made;       /* neither AUTO nor NONE */
    int needs_square;  /* square matrices only */
    int64_t units_max; /* most rows, or segments of rows; 0 = any number */
} spmm_reorder_info_t;
/* What this library knows of index 0, 1, .. of its orders, AUTO and NONE being two of them; info->struct_size says how
 * much of it the caller knows. Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_reorder_at(int index, spmm_reorder_info_t *info);

/* What an order of the rows does for kernels that take rows together (docs/reordering.md). Rows of the order are taken
 * 8 or 16 at a time, from the first one on: a strip, of which the last one may be lower. */
typedef enum spmm_block_shape {
    SPMM_BLOCKS_8X8 = 0,   /* strips of 8: 8 of the union of their columns are a block: ceil(|union| / 8) */
    SPMM_BLOCKS_16X8 = 1,  /* strips of 16: aligned columns 8 c .. 8 c + 7 that hold a nonzero are one */
    SPMM_BLOCKS_16X16 = 2, /* strips of 16: aligned columns 16 c .. 16 c + 15 */
    SPMM_BLOCK_SHAPES = 3
} spmm_block_shape_t;
typedef struct spmm_block_count {
    int64_t blocks;
    int64_t most;        /* blocks of the strip that has most */
    double mean, stddev; /* blocks a strip; the deviation is that of the population */
} spmm_block_count_t;
/* Exact figures of an order that the inspector looked at for op(A), and of that of op(A) itself. */
typedef struct spmm_plan_permutation_metrics {
    spmm_op_t op;
    spmm_reorder_t permutation; /* NONE: as they are */
    int64_t units;              /* rows, or (tiled) the segments that rows were cut into */
    spmm_block_count_t blocks[SPMM_BLOCK_SHAPES];
    int64_t working_set
        [SPMM_ROW_BLOCK_HEIGHTS];         /* of the panels of 8, 16, .. 256 units: their distinct columns */
    double reuse[SPMM_ROW_BLOCK_HEIGHTS]; /* rho: nnz / footprint */
} spmm_plan_permutation_metrics_t;
/* Those of index 0, 1, .. in the order in which they were looked at: for each op and way to cut rows first NONE. No
 * figures, index 0 already an error, where no order was looked at. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_permutation_metrics(const spmm_plan_t *plan, int index,
                                                     spmm_plan_permutation_metrics_t *stats);

/* What can be executed: one op, one compute type, a set of layouts, a range of n, a target. */
typedef struct spmm_variant_info {
    spmm_op_t op;
    spmm_compute_t compute;
    uint32_t layouts;           /* mask of SPMM_LAYOUT_* it was chosen for; others still run */
    int64_t n_min, n_max;       /* range of n it was chosen for; others still run */
    uint32_t target;            /* 0 any, 1 CPU, else a compute capability such as 90; advice only */
    int part_first, part_count; /* two where the second has peeled rows, which the first leaves out */
} spmm_variant_info_t;
SPMM_API spmm_status_t spmm_plan_variant(const spmm_plan_t *plan, int index, spmm_variant_info_t *info);

typedef struct spmm_part_info {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t item_size;   /* nonzero split: nonzeros an item; row split: least nonzeros that close an item;
                         segmented: most nonzeros of a segment; whole: 0;
                         window, panel, bcsr: most steps of an item, a step is 8 columns, 128 columns or
                         4 block columns */
    int64_t items;        /* tiled: rows, or segments of rows; window, panel, bcsr: rows */
    uint32_t block_rows;  /* tiled: rows or segments a panel; window, panel, bcsr: rows a unit; rows: 0 */
    uint32_t stage_slots; /* tiled: rows of B that a stage holds at most; else 0 */
    int is_reordered;     /* rows are not in the order of A */
    int permutes_output;  /* C is written in the order of spmm_plan_row_permutation */
    int is_long_rows;     /* the rows that the part before it leaves out; items counts them */
} spmm_part_info_t;
SPMM_API spmm_status_t spmm_plan_part(const spmm_plan_t *plan, int index, spmm_part_info_t *info);

/* The order of the rows of a part that permutes its output: row i of C belongs to row (*order)[i] of op(A), i from 0
 * to *count - 1. Valid while the plan lives. Errors: ARGUMENT, also when the part does not permute its output. */
SPMM_API spmm_status_t spmm_plan_row_permutation(const spmm_plan_t *plan, int part,
                                                 const uint32_t **permutation, int64_t *count);

/* Where a plan was made with symmetric_permutation: the order of rows and columns. The plan's matrix is PAP^T, whose
 * row and column i are row and column (*order)[i] of A, i from 0 to *count - 1: row i of B and of C is row (*order)[i]
 * of those of A. *order is NULL where they are those of A. Valid while the plan lives. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_symmetric_permutation(const spmm_plan_t *plan, const uint32_t **permutation,
                                                       int64_t *count);

/* The trace: every candidate that was considered, and why it won or lost. */
typedef struct spmm_trace_info {
    int variant; /* the variant the candidate competed for */
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_compute_t compute;
    spmm_reorder_t
        permutation; /* the candidate is this order of the rows; AUTO: the order is not what is judged */
    int chosen;
    double predicted_us;     /* 0 = the model said nothing */
    double measured_us;      /* 0 = not measured */
    double value, threshold; /* the numbers the reason compares; 0 if none */
    char reason[160];        /* one sentence with the numbers */
} spmm_trace_info_t;
SPMM_API spmm_status_t spmm_plan_trace(const spmm_plan_t *plan, int index, spmm_trace_info_t *info);

/* One section of the file the plan was read from. */
typedef struct spmm_section_info {
    uint32_t type;
    char name[24];
    uint64_t offset, stored_bytes, raw_bytes;
    int part; /* the part it belongs to, -1 if none */
} spmm_section_info_t;
SPMM_API spmm_status_t spmm_plan_section(const spmm_plan_t *plan, int index, spmm_section_info_t *info);

/* Does the plan describe exactly this matrix? Compares the CSR arrays, not only digests; those of PAP^T where the plan
 * has a symmetric order.
 * with_values = 0 compares the pattern only. Values are compared in the plan's type.
 * Returns OK or MISMATCH (diag says where), ARGUMENT, CSR. */
SPMM_API spmm_status_t spmm_plan_matches(const spmm_plan_t *plan, const spmm_csr_t *a, int with_values,
                                         spmm_diag_t *diag);

/* A view of the plan's own matrix (row_ptr int64, col_ind int32), valid while the plan lives. */
SPMM_API spmm_status_t spmm_plan_csr(const spmm_plan_t *plan, spmm_csr_t *view);

#ifdef __cplusplus
}
#endif
#endif
