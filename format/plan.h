/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in memory: what the inspector builds, the format reads and writes, the executor runs.
 *
 * The plan always holds the canonical CSR of A: it is exact, it can be checked against a matrix, the
 * CPU runs it as it is, and packed device arrays are derived from it. Parts add what only an
 * inspection knows: the partition of the work. */
#ifndef SPMMI_PLAN_H
#define SPMMI_PLAN_H

#include <spmm/plan.h>

#include "format/base/digest.h"
#include "format/base/dtype.h"
#include "format/spgemm/spgemm.h"

/* Rows and cols: 2^31 - 2; the sign bit of a column is a flag on the device. */
#define SPMMI_DIM_MAX INT64_C(2147483646)
#define SPMMI_NNZ_MAX (INT64_C(1) << 40)
#define SPMMI_VARIANT_MAX 64
#define SPMMI_PART_MAX 64
#define SPMMI_TRACE_MAX 1024
#define SPMMI_PERMUTATION_METRICS_MAX 64
#define SPMMI_N_MAX INT64_C(2147483647) /* upper end of an open range of n */
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

/* The items of a part, by the rule of its schedule (enum spmmi_items_rule in format/family.h). Let P be the pattern of
 * op(A) in CSR (for op = T the transpose, derived when needed).
 *   NONZERO_SPLIT: item i covers nonzeros [i * item size, min((i + 1) * item size, nnz)) of P and items[i] is the
 *                  row that holds nonzero i * item size. item_count = ceil(nnz / item size). Rows without nonzeros
 *                  belong to no item: the kernels scale or clear them separately.
 *   ROW_SPLIT:     item i covers rows [items[i], items[i + 1]) of P (items[item_count] = rows counts as stored
 *                  implicitly); items[0] = 0, strictly ascending. Consecutive rows share an item until it holds at
 *                  least item size nonzeros.
 *   ROWS:          the rows of P, in the order in which they are taken: a permutation of 0 .. item_count - 1, the
 *                  identity without SPMMI_PART_REORDERED.
 *   SEGMENTS:      the same of the segments of item size nonzeros that the rows of P are cut into, the last one of
 *                  a row shorter, a row without nonzeros being one empty segment; they are numbered in the order of P.
 * Of the last two, unit u takes items[u * block_rows ..] up to block_rows of them. The staged rows, the columns of a
 * unit, and the packing of its values follow from this: the executor derives them. Where a family has steps (step in
 * format/family_list.def), a unit's columns, or blocks of them, are processed in steps, and a unit of more than item
 * size of them is cut into items of work whose sums are added in order. */
/* Long rows. A part of the first family with SPMMI_PART_LONG_ROWS is computed by a separate kernel beside the part
 * before it, whose family takes long rows, of the same op, which does not permute its output: items are rows of P that
 * hold nonzeros, ascending, its schedule is the one of NONZERO_SPLIT, and item size counts their nonzeros in that
 * order. The part before it takes the other rows, ascending without SPMMI_PART_REORDERED. Both have items. Variants
 * name the two together. */
struct spmmi_part {
    spmm_op_t op; /* as the variants that name it */
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t item_size; /* the ranges of these three are those of the rows of family and schedule */
    uint64_t item_count;
    uint32_t *items;      /* owned */
    uint32_t block_rows;  /* items that a unit takes */
    uint32_t stage_slots; /* slots of a stage in fast memory for rows of B */
    uint32_t flags;       /* SPMMI_PART_* */
};
#define SPMMI_STEPS_MAX 0x1000000u /* steps of an item */
#define SPMMI_WINDOW_ROWS 8u
#define SPMMI_ROW_SEGMENT_MAX 0x40000000u
#define SPMMI_UNIT_MAX UINT32_MAX /* units of a part */
#define SPMMI_BLOCK_ROWS_MIN 32u
#define SPMMI_BLOCK_ROWS_MAX 256u
#define SPMMI_STAGE_SLOTS_MIN 32u
#define SPMMI_STAGE_SLOTS_MAX 4095u
/* Default of stage_slots: with slot 0, two stages of 448 slots of 80 bytes (16 columns of f32 and their padding) are
 * 70 KiB, so that three blocks share a multiprocessor of 228 KiB. */
#define SPMMI_STAGE_SLOTS_DEFAULT 447u
/* Stages of a row block that needs `working set` rows of B. Two stages (double buffering) share the memory; where both
 * together hold the whole working set, there is one stage. */
static inline uint32_t spmmi_row_block_stages(uint32_t working_set, uint32_t stage_slots)
{
    if (working_set <= 2 * stage_slots)
        return working_set > 0;
    return working_set / stage_slots + (working_set % stage_slots != 0);
}
#define SPMMI_PART_REORDERED 1u /* items is a permutation */
#define SPMMI_PART_PERMUTES_OUTPUT \
    2u                          /* reordered, items are rows: row i of C belongs to row items[i] of op(A) */
#define SPMMI_PART_LONG_ROWS 4u /* items are the rows that the part before it has not */

/* Why a candidate won or lost; the sentence comes from the reason and its two values. */
enum spmmi_reason {
    SPMMI_REASON_FORCED = 1,     /* the caller named it */
    SPMMI_REASON_MEAN_ROW = 2,   /* value = mean row, threshold = 9.35 (paper 004) */
    SPMMI_REASON_IMBALANCE = 3,  /* value = longest row, threshold = the row-split limit */
    SPMMI_REASON_PREDICTED = 4,  /* value = predicted, threshold = predicted of the winner */
    SPMMI_REASON_UNDERUSED = 5,  /* value = U (Eq. 5 of paper 000), threshold = below which rows are cut */
    SPMMI_REASON_UNEVEN = 6,     /* value = sigma / mu, threshold = above which rows are cut */
    SPMMI_REASON_EVEN = 7,       /* value = sigma / mu, threshold: neither of the two, rows stay whole */
    SPMMI_REASON_REUSE = 8,      /* value = intensity with the permutation, threshold = without */
    SPMMI_REASON_DENSITY = 9,    /* value = nonzeros a block of 8 x 8, threshold = below which blocks lose */
    SPMMI_REASON_BLOCKS = 10,    /* value = blocks with the permutation, threshold = without */
    SPMMI_REASON_MARGIN = 11,    /* value = predicted, threshold = share of the winner's that it exceeds */
    SPMMI_REASON_LONG_ROWS = 12, /* value = rows that are or could be split off, threshold = their nonzeros */
    SPMMI_REASON_LONG_ROWS_BLOCKS =
        13, /* value = blocks of 8 x 8 without those rows, threshold = with them */
    /* The search: why a candidate, or all of a family, was refused. */
    SPMMI_REASON_TYPE =
        14, /* its kernels do not multiply this value type, or not with an allowed compute type */
    SPMMI_REASON_COLUMNS = 15,   /* value = columns of B, threshold = from which on it is considered */
    SPMMI_REASON_SMALL = 16,     /* value = nonzeros, threshold = from which on it is considered */
    SPMMI_REASON_UNPRICED = 17,  /* no prediction on this device */
    SPMMI_REASON_TOO_LARGE = 18, /* value = entries that it would have to index, threshold = maximum */
    SPMMI_REASON_PRUNED = 19,    /* value = lower bound of its time, threshold = the best time */
    SPMMI_REASON_FULL = 20, /* value = nonzeros a block, threshold = from which on no permutation is tried */
    SPMMI_REASON_SIMILARITY = 21, /* value = row similarity, threshold = limit */
    SPMMI_REASON_BREAK_EVEN = 22, /* value = products that repay it, threshold = products that are expected */
    SPMMI_REASON_MEASURED = 23,   /* value = measured, threshold = measured of the winner */
    SPMMI_REASON_NOT_MEASURED = 24, /* value = status of the measurement */
    SPMMI_REASON_COUNT_
};

struct spmmi_trace {
    uint32_t variant;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t chosen;
    uint32_t reason;            /* enum spmmi_reason */
    spmm_compute_t compute;     /* tf32 or 3xtf32, else 0: the variant's own type */
    spmm_reorder_t permutation; /* the permutation that is judged; 0: something else */
    double predicted_us, measured_us, value, threshold;
};

/* struct_size of the public structs in a plan is 0, and their padding too: queries copy them as they are. */
struct spmm_plan {
    int64_t rows, cols, nnz;
    spmm_dtype_t dtype;
    int64_t *row_ptr;                              /* rows + 1 */
    int32_t *col_ind;                              /* nnz, ascending and unique in each row */
    void *values;                                  /* nnz of dtype, or NULL */
    uint8_t pattern_digest[16], values_digest[16]; /* values_digest is zero without values */
    spmm_matrix_stats_t stats;
    /* rows, owned: row and column i are row and column symmetric_permutation[i] of the matrix that the plan was made
     * for; NULL: they are i */
    uint32_t *symmetric_permutation;
    spmm_row_block_metrics_t row_block_metrics; /* all zero without has_row_block_metrics */
    int has_row_block_metrics;
    spmm_permutation_metrics_t *permutation_metrics; /* permutation_metrics_count, owned */
    /* Owned. NULL: the plan is of a matrix. Else of C, a product of sparse matrices: a pattern without variants. */
    struct spmmi_spgemm *product;
    struct spmmi_variant variants[SPMMI_VARIANT_MAX];
    struct spmmi_part parts[SPMMI_PART_MAX];
    struct spmmi_trace *trace; /* trace_count, owned */
    uint32_t variant_count, part_count, trace_count, permutation_metrics_count;
    char source[SPMMI_SOURCE_BYTES]; /* zero-terminated UTF-8, may be empty */
    char writer[SPMMI_WRITER_BYTES]; /* likewise: the program that chose the variants, with its version */
    char *metadata;                  /* metadata_bytes, owned, as metadata.h says; NULL: none */
    uint64_t metadata_bytes;
    spmm_section_info_t *sections; /* section_count, owned; NULL for a fresh plan */
    uint32_t section_count;
    uint64_t file_bytes;
    uint16_t format_major, format_minor; /* of that file; zero for a fresh plan */
    uint64_t features_exec; /* unknown here: such a plan may be shown and run by the CPU, not by a GPU */
};

/* The long rows that belong to a part; NULL: it has all rows. */
static inline const struct spmmi_part *spmmi_long_rows_of(const spmm_plan_t *plan, uint32_t part)
{
    const int is_next =
        part + 1 < plan->part_count && (plan->parts[part + 1].flags & SPMMI_PART_LONG_ROWS) != 0;
    return is_next ? &plan->parts[part + 1] : NULL;
}

/* Items 0 to count - 1 of a part without items, in this order; NULL: as they are. Errors: MEMORY. */
spmm_status_t spmmi_part_set_items(struct spmmi_part *part, uint64_t count, const uint32_t *order,
                                   spmm_diag_t *diag);

/* A with its values, or without (type 0), in CSR with the shortest usual indices. */
static inline uint64_t spmmi_csr_bytes(int64_t rows, int64_t nnz, spmm_dtype_t type)
{
    const uint64_t row_ptr_size = nnz <= INT32_MAX ? 4 : 8;
    return ((uint64_t)rows + 1) * row_ptr_size + (uint64_t)nnz * (4 + spmm_dtype_size(type));
}

/* The type of the values of A that a variant multiplies: that of its compute type, which is the plan's or a narrower
 * one. */
static inline spmm_dtype_t spmmi_variant_type(const struct spmmi_variant *variant)
{
    return spmmi_compute_values(variant->compute);
}

/* The types of all variants: a mask of SPMMI_TYPE_BIT. */
uint32_t spmmi_plan_types(const spmm_plan_t *plan);

/* An empty plan, all fields zero; NULL when memory is short. Destroyed by spmm_plan_destroy. */
spmm_plan_t *spmmi_plan_new(void);

/* A fresh plan with copies of all that is in this one but the values, their digest and what says which file it is from.
 * MEMORY. */
spmm_status_t spmmi_plan_copy_pattern(const spmm_plan_t *plan, spmm_plan_t **copy, spmm_diag_t *diag);

/* Statistics of a CSR pattern (values may be NULL): exact, O(rows + cols + nnz).
 * Memory: one counter a column. Lives in format/ because a loaded plan's metrics are checked with it. */
spmm_status_t spmmi_stats_compute(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                  const void *values, spmm_dtype_t dtype, spmm_matrix_stats_t *stats);
/* The same on several threads. */
spmm_status_t spmmi_stats_compute_on(int threads, int64_t rows, int64_t cols, const int64_t *row_ptr,
                                     const int32_t *col_ind, const void *values, spmm_dtype_t dtype,
                                     spmm_matrix_stats_t *stats);

/* Semantic validation of everything a kernel touches (dimensions, row pointers, columns, variants, parts,
 * items, trace, digests, statistics). Called on every load, and by the inspector on what it built. */
spmm_status_t spmmi_plan_check(const spmm_plan_t *plan, spmm_diag_t *diag);
/* The same on several threads: the same status and words. */
spmm_status_t spmmi_plan_check_on(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* Row pointers of the transpose into t_row_ptr[cols + 1] of the caller: all that a partition needs of it. */
void spmmi_transpose_row_ptr(int64_t cols, int64_t nnz, const int32_t *col_ind, int64_t *t_row_ptr);

/* CSR of the transpose by counting sort, into arrays of the caller: t_row_ptr[cols + 1], t_col_ind[nnz] and,
 * unless NULL, map[nnz] with map[q] = position in A's CSR order of the q-th nonzero of the transpose.
 * MEMORY when the counters do not fit. */
spmm_status_t spmmi_transpose(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                              int64_t *t_row_ptr, int32_t *t_col_ind, int64_t *map);

/* Pick the variant for a product: same op; then n, layout and target fit as well as possible, in this order.
 * Returns the index, or -1 if no variant has this op. *fits = 1 when all three fit; any target fits too.
 * target: of the machine, the CPU's or a compute capability. layout: one SPMM_LAYOUTS_* bit. Of variants for other
 * targets a GPU takes those of its own major compute capability, then those for any, then those of other GPUs, each
 * time the nearest, of two equally near the lower; the CPU takes those for any. A variant for the CPU runs on a GPU,
 * and the other way round, only where no other has this op, whatever its n. Where n lies in no range, the next wider
 * range is taken, or the widest. */
int spmmi_variant_pick(const spmm_plan_t *plan, spmm_op_t op, uint32_t target, int64_t n, uint32_t layout,
                       int *fits);

#endif
