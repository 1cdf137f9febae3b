/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in memory: the inspector builds it, the format reads and writes it, and the executor runs it.
 *
 * The plan always holds A in canonical CSR form. This form is exact and can be compared with a matrix. The
 * CPU uses it directly, and packed device arrays are derived from it. Parts add the result of the inspection:
 * the partition of the work. */
#ifndef SPMMI_PLAN_H
#define SPMMI_PLAN_H

#include <spmm/plan.h>

#include "format/base/digest.h"
#include "format/base/dtype.h"
#include "format/spgemm/spgemm.h"

/* Maximum of rows and cols: 2^31 - 2. Device code uses the sign bit of a column index as a flag. */
#define SPMMI_DIM_MAX INT64_C(2147483646)
#define SPMMI_NNZ_MAX (INT64_C(1) << 40)
#define SPMMI_VARIANT_MAX 64
#define SPMMI_PART_MAX 64
#define SPMMI_TRACE_MAX 1024
#define SPMMI_PERMUTATION_METRICS_MAX 64
#define SPMMI_N_MAX INT64_C(2147483647) /* n_max of a range without an upper limit */
#define SPMMI_SOURCE_BYTES 128
#define SPMMI_WRITER_BYTES 32

#define SPMMI_TARGET_ANY 0u
#define SPMMI_TARGET_CPU 1u

struct spmmi_variant {
    spmm_op_t op;
    spmm_compute_t compute;
    uint32_t layouts; /* SPMM_LAYOUTS_* mask, not 0 */
    uint32_t target;  /* SPMMI_TARGET_*, else 10 x compute capability */
    int64_t n_min, n_max;
    uint32_t part_first, part_count;
};

/* The items of a part depend on the rule of its schedule (enum spmmi_items_rule in format/family.h). Let P be
 * the pattern of op(A) in CSR form (for op = T the transpose, which is derived when needed).
 *   NONZERO_SPLIT: item i covers nonzeros [i * item size, min((i + 1) * item size, nnz)) of P. items[i] is
 *                  the row of nonzero i * item size. item_count = ceil(nnz / item size). Rows without
 *                  nonzeros belong to no item: the kernels scale or clear them separately.
 *   ROW_SPLIT:     item i covers rows [items[i], items[i + 1]) of P. items[item_count] = rows is implicit.
 *                  items[0] = 0, and items is strictly ascending. Consecutive rows share an item until it
 *                  holds at least item size nonzeros.
 *   ROWS:          items lists the rows of P in processing order: a permutation of 0 .. item_count - 1, which
 *                  is the identity without SPMMI_PART_REORDERED.
 *   SEGMENTS:      items lists the segments of the rows of P in processing order, like ROWS. Each row is cut
 *                  into segments of item size nonzeros; its last segment may be shorter. A row without
 *                  nonzeros has one empty segment. Segments are numbered in the order of P.
 * With ROWS and SEGMENTS, up to block_rows consecutive items form a unit (a row block or row group): unit u
 * has the items from u * block_rows on. The executor derives the rest: the staged rows, the columns of a unit
 * and the packing of its values. If the family has steps (format/family_list.def), the columns or block
 * columns of a unit are processed in steps. A unit of more than item size steps is cut into work items whose
 * sums are added in order. */
/* Long rows: a part with SPMMI_PART_LONG_ROWS is computed by a separate kernel, in addition to the part at
 * the index before it. It belongs to the first family, has the op of the part before it and the schedule with
 * the rule NONZERO_SPLIT. Its items are rows of P with nonzeros, ascending, and item size counts the nonzeros
 * of these rows in this order. The family of the part before it accepts long rows (takes_long_rows), and that
 * part does not permute its output. It has the other rows, ascending without SPMMI_PART_REORDERED. Both parts
 * have items. A variant that uses one of them uses both. */
struct spmmi_part {
    spmm_op_t op; /* the op of the variants that use the part */
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t item_size; /* family_list.def has the ranges of item_size, block_rows and stage_slots */
    uint64_t item_count;
    uint32_t *items;      /* owned */
    uint32_t block_rows;  /* items per unit */
    uint32_t stage_slots; /* rows of B that a stage in fast memory can hold */
    uint32_t flags;       /* SPMMI_PART_* */
};
#define SPMMI_STEPS_MAX 0x1000000u /* maximum steps of an item */
#define SPMMI_WINDOW_ROWS 8u
#define SPMMI_ROW_SEGMENT_MAX 0x40000000u
#define SPMMI_UNIT_MAX UINT32_MAX /* maximum units of a part */
#define SPMMI_BLOCK_ROWS_MIN 32u
#define SPMMI_BLOCK_ROWS_MAX 256u
#define SPMMI_STAGE_SLOTS_MIN 32u
#define SPMMI_STAGE_SLOTS_MAX 4095u
/* Default of stage_slots. With slot 0, two stages of 448 slots of 80 bytes (16 columns of f32 and padding)
 * take 70 KiB, so three thread blocks fit on a multiprocessor with 228 KiB of shared memory. */
#define SPMMI_STAGE_SLOTS_DEFAULT 447u
/* Returns the number of stages of a row block that needs working_set rows of B. The memory holds two stages
 * (double buffering). If both together can hold the whole working set, the row block has one stage. */
static inline uint32_t spmmi_row_block_stages(uint32_t working_set, uint32_t stage_slots)
{
    if (working_set <= 2 * stage_slots)
        return working_set > 0;
    return working_set / stage_slots + (working_set % stage_slots != 0);
}
#define SPMMI_PART_REORDERED 1u /* items is a permutation */
#define SPMMI_PART_PERMUTES_OUTPUT \
    2u                          /* with REORDERED and ROWS: row i of C belongs to row items[i] of op(A) */
#define SPMMI_PART_LONG_ROWS 4u /* items are the long rows that were split off the part before it */

/* Why a candidate won or lost.
 * The sentence is made from the reason, a value and a threshold (plan_query.c). */
enum spmmi_reason {
    SPMMI_REASON_FORCED = 1,     /* the caller named it */
    SPMMI_REASON_MEAN_ROW = 2,   /* value = mean nonzeros per row, threshold = 9.35 (paper 004) */
    SPMMI_REASON_IMBALANCE = 3,  /* value = nonzeros of the longest row, threshold = the row-split limit */
    SPMMI_REASON_PREDICTED = 4,  /* value = its predicted time, threshold = the winner's */
    SPMMI_REASON_UNDERUSED = 5,  /* value = U (Eq. 5 of paper 000), rows are cut below the threshold */
    SPMMI_REASON_UNEVEN = 6,     /* value = sigma / mu, rows are cut above the threshold */
    SPMMI_REASON_EVEN = 7,       /* value = sigma / mu, rows stay whole up to the threshold */
    SPMMI_REASON_REUSE = 8,      /* value = intensity with the permutation, threshold = without it */
    SPMMI_REASON_DENSITY = 9,    /* value = nonzeros per 8 x 8 block, blocks lose below the threshold */
    SPMMI_REASON_BLOCKS = 10,    /* value = blocks with the permutation, threshold = without it */
    SPMMI_REASON_MARGIN = 11,    /* value = its predicted time, threshold = the time below which it wins */
    SPMMI_REASON_LONG_ROWS = 12, /* value = rows that are or could be split off, threshold = their nonzeros */
    SPMMI_REASON_LONG_ROWS_BLOCKS =
        13, /* value = 8 x 8 blocks without the long rows, threshold = with them */
    /* Reasons of the search to refuse a candidate or a whole family. */
    SPMMI_REASON_TYPE =
        14, /* its kernels do not multiply this value type, or not with an allowed compute type */
    SPMMI_REASON_COLUMNS = 15,   /* value = columns of B, considered from the threshold on */
    SPMMI_REASON_SMALL = 16,     /* value = nonzeros, considered from the threshold on */
    SPMMI_REASON_UNPRICED = 17,  /* the cost model has no prediction on this device */
    SPMMI_REASON_TOO_LARGE = 18, /* value = entries that it would have to index, threshold = maximum */
    SPMMI_REASON_PRUNED = 19,    /* value = lower bound of its time, threshold = the best time so far */
    SPMMI_REASON_FULL = 20, /* value = nonzeros per block, no permutation is tried from the threshold on */
    SPMMI_REASON_SIMILARITY = 21,   /* value = row similarity, threshold = limit */
    SPMMI_REASON_BREAK_EVEN = 22,   /* value = products that repay its cost, threshold = expected products */
    SPMMI_REASON_MEASURED = 23,     /* value = its measured time, threshold = the winner's */
    SPMMI_REASON_NOT_MEASURED = 24, /* value = status of the measurement */
    SPMMI_REASON_COUNT_
};

struct spmmi_trace {
    uint32_t variant;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t chosen;
    uint32_t reason;            /* enum spmmi_reason */
    spmm_compute_t compute;     /* tf32 or 3xtf32; 0: the value type of the variant */
    spmm_reorder_t permutation; /* the permutation that the reason is about; 0: none */
    double predicted_us, measured_us, value, threshold;
};

/* The public structs in a plan have struct_size 0 and zero
 * padding, so that queries can copy them unchanged. */
struct spmm_plan {
    int64_t rows, cols, nnz;
    spmm_dtype_t dtype;
    int64_t *row_ptr;                              /* rows + 1 */
    int32_t *col_ind;                              /* nnz, ascending and unique in each row */
    void *values;                                  /* nnz of dtype, or NULL */
    uint8_t pattern_digest[16], values_digest[16]; /* values_digest is zero without values */
    spmm_matrix_stats_t stats;
    /* rows elements, owned. Row and column i of A are row and column symmetric_permutation[i] of the matrix
     * that the plan was made for. NULL: the identity. */
    uint32_t *symmetric_permutation;
    spmm_row_block_metrics_t row_block_metrics; /* all zero without has_row_block_metrics */
    int has_row_block_metrics;
    spmm_permutation_metrics_t *permutation_metrics; /* permutation_metrics_count, owned */
    /* Owned. NULL: the plan is for a matrix A. Else the plan is for a sparse product: its matrix is the
     * pattern of C, and it has no variants. */
    struct spmmi_spgemm *product;
    struct spmmi_variant variants[SPMMI_VARIANT_MAX];
    struct spmmi_part parts[SPMMI_PART_MAX];
    struct spmmi_trace *trace; /* trace_count, owned */
    uint32_t variant_count, part_count, trace_count, permutation_metrics_count;
    char source[SPMMI_SOURCE_BYTES]; /* zero-terminated UTF-8, may be empty */
    char writer[SPMMI_WRITER_BYTES]; /* likewise: the program that chose the variants, with its version */
    char *metadata;                  /* metadata_bytes, owned, encoded as in metadata.h; NULL: none */
    uint64_t metadata_bytes;
    spmm_section_info_t *sections; /* section_count, owned; NULL for a plan that was not loaded from a file */
    uint32_t section_count;
    uint64_t file_bytes;                 /* size of the file that the plan was loaded from, else 0 */
    uint16_t format_major, format_minor; /* format version of this file, else 0 */
    uint64_t features_exec; /* exec feature bits; if not 0, the plan runs on the CPU but not on a GPU */
};

/* Returns the part with the long rows that were split off a part, or NULL if the part has all rows. */
static inline const struct spmmi_part *spmmi_long_rows_of(const spmm_plan_t *plan, uint32_t part)
{
    const int is_next =
        part + 1 < plan->part_count && (plan->parts[part + 1].flags & SPMMI_PART_LONG_ROWS) != 0;
    return is_next ? &plan->parts[part + 1] : NULL;
}

/* Allocates count items of a part without items and copies order to them.
 * order = NULL gives 0 to count - 1. Errors: MEMORY. */
spmm_status_t spmmi_part_set_items(struct spmmi_part *part, uint64_t count, const uint32_t *order,
                                   spmm_diag_t *diag);

/* Returns the bytes of a matrix in CSR form with values of the type (0: without values), 4-byte columns, and
 * row pointers of 4 bytes if nnz fits, else 8. */
static inline uint64_t spmmi_csr_bytes(int64_t rows, int64_t nnz, spmm_dtype_t type)
{
    const uint64_t row_ptr_size = nnz <= INT32_MAX ? 4 : 8;
    return ((uint64_t)rows + 1) * row_ptr_size + (uint64_t)nnz * (4 + spmm_dtype_size(type));
}

/* Returns the type of the values of A that a variant multiplies. Its compute type determines it; it is the
 * value type of the plan or a narrower one. */
static inline spmm_dtype_t spmmi_variant_type(const struct spmmi_variant *variant)
{
    return spmmi_compute_values(variant->compute);
}

/* Returns the value types of all variants as a mask of SPMMI_TYPE_BIT. */
uint32_t spmmi_plan_types(const spmm_plan_t *plan);

/* Returns an empty plan with all fields zero, or NULL if memory is exhausted. Free it with
 * spmm_plan_destroy. */
spmm_plan_t *spmmi_plan_new(void);

/* Creates a copy of a plan without the values, their digest and the description of the file (sections, sizes,
 * format version). Errors: MEMORY. */
spmm_status_t spmmi_plan_copy_pattern(const spmm_plan_t *plan, spmm_plan_t **copy, spmm_diag_t *diag);

/* Computes exact statistics of a CSR matrix (values may be NULL) in O(rows
 * + cols + nnz) time, with one counter per column. The function is part of
 * format/ because the statistics of a loaded plan are checked with it. */
spmm_status_t spmmi_stats_compute(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                  const void *values, spmm_dtype_t dtype, spmm_matrix_stats_t *stats);
/* Like spmmi_stats_compute, on several threads. */
spmm_status_t spmmi_stats_compute_on(int threads, int64_t rows, int64_t cols, const int64_t *row_ptr,
                                     const int32_t *col_ind, const void *values, spmm_dtype_t dtype,
                                     spmm_matrix_stats_t *stats);

/* Validates everything that a kernel uses (dimensions, row pointers, columns, variants, parts, items, trace,
 * digests, statistics). Every load calls it, and the inspector calls it for each plan that it built. */
spmm_status_t spmmi_plan_check(const spmm_plan_t *plan, spmm_diag_t *diag);
/* Like spmmi_plan_check, on several threads, with the same status and message. */
spmm_status_t spmmi_plan_check_on(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* Computes the row pointers of the transpose in the caller's t_row_ptr[cols + 1].
 * A partition needs no more of it. */
void spmmi_transpose_row_ptr(int64_t cols, int64_t nnz, const int32_t *col_ind, int64_t *t_row_ptr);

/* Computes the transpose in CSR form by counting sort, in arrays of the caller: t_row_ptr[cols + 1],
 * t_col_ind[nnz] and, unless NULL, map[nnz]. map[q] is the index in A of the q-th nonzero of the transpose.
 * Errors: MEMORY for the counters. */
spmm_status_t spmmi_transpose(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                              int64_t *t_row_ptr, int32_t *t_col_ind, int64_t *map);

/* Chooses the variant for a product. target is the target of the machine: SPMMI_TARGET_CPU, or 10 x compute
 * capability. layout is one SPMM_LAYOUTS_* bit. Returns the index of the variant, or -1 if no variant has
 * this op. Sets *fits to 1 if n and the layout match, and the target matches or is SPMMI_TARGET_ANY.
 * Criteria, the most important first:
 *   1. the op must match;
 *   2. the kind of machine: a CPU variant runs on a GPU, or a GPU variant on the CPU, only if no other has
 *      this op;
 *   3. n is in the range of the variant;
 *   4. the layout matches;
 *   5. the target: the machine's own; then, on a GPU, the same major compute capability; then any; then other
 *      GPUs. The nearest compute capability wins, and the lower one of two that are equally near.
 * If n is in no range, ties are broken in favour of the next wider range, or else the widest range. */
int spmmi_variant_pick(const spmm_plan_t *plan, spmm_op_t op, uint32_t target, int64_t n, uint32_t layout,
                       int *fits);

#endif
