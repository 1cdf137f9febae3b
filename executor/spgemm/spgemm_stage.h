/* SPDX-License-Identifier: Apache-2.0 */
/* One product C = left * right of two sparse matrices, prepared for the CPU: its work is cut into units. A
 * product of three factors has two such stages. The functions are implemented in kernels/spgemm.
 *
 * The value of an entry of C is the sum of its products by ascending k, added by fused multiply-adds, so all
 * kernels, thread counts and SIMD levels give the same bits. Partial sums exist only if the plan cuts a row
 * in k, or sums long entries in stretches; they are added in order. */
#ifndef SPMMI_SPGEMM_STAGE_H
#define SPMMI_SPGEMM_STAGE_H

#include "format/spgemm/spgemm_bytes.h"
#include "format/spgemm/spgemm_repeats.h"

/* Work of one thread: either whole rows, or one piece of a row, which is the entries [first, end) of the left
 * factor. The sums of a piece are stored from element `partial` on in the array of partial sums. */
struct spmmi_spgemm_unit {
    int64_t row, row_end; /* a piece has row_end = row + 1 */
    int64_t first, end;   /* of a piece */
    int64_t partial;      /* -1: the unit is whole rows */
    uint64_t position;    /* of a piece: byte offset of its first position */
};

/* A row that is cut. The partial sums of its pieces are stored one piece after the other, from element
 * `partial` on. */
struct spmmi_spgemm_cut {
    int64_t row, partial, pieces;
};

struct spmmi_spgemm_longs;

struct spmmi_spgemm_stage {
    struct spmmi_spgemm_task task;
    struct spmmi_csr_pattern c;  /* its columns are numbered as in the right factor */
    uint64_t products;           /* number of multiplications; with is_lower only of the triangle */
    int64_t sums;                /* elements per thread for the sums of a row */
    int has_stretches;           /* flag SPMMI_SPGEMM_STRETCHES of the plan */
    uint64_t piece_products;     /* from the plan */
    int64_t long_sums;           /* more elements per thread, after the sums, for long entries */
    int64_t partials;            /* elements of all partial sums together */
    const int64_t *row_products; /* borrowed: products per row of C; NULL: they are counted */
    int64_t unit_count, cut_count;
    struct spmmi_spgemm_unit *units; /* this and all arrays below are owned, except longs */
    struct spmmi_spgemm_cut *cuts;
    int32_t *taken; /* with is_lower: for each entry of left, how many entries of right's row it multiplies */
    /* Kernel positions: for each product, the position of its sum in the row of C, in 1, 2 or 4 bytes as the
     * entries of the row require (spmmi_spgemm_width). Rows with equal streams share one copy. NULL: kernel
     * columns. */
    uint8_t *positions;
    uint64_t *position_at; /* for each row, byte offset of its stream */
    /* Kernel masks, in addition to positions: the form of each row (spgemm_masks.h). A row of form 0 has a
     * stream of positions. NULL: all rows have positions. */
    uint8_t *forms;
    int64_t whole_count; /* rows that the plan cuts, but that one unit computes whole (kernel masks) */
    /* Kernel groups, in addition to positions: rows [i, i + alike[i]) have equal rows of left. follows[k] is
     * 1 if row k of right has the columns of row k - 1; in the one shot it may also be 2, if they are those
     * of row k - 1 moved by one. NULL: rows are computed one by one. Kernel masks sets only alike. */
    uint8_t *alike, *follows;
    const struct spmmi_spgemm_longs
        *longs; /* borrowed, on a GPU: long entries, which the other kernels leave out */
};

/* Arrays in addition to the sums, if there may be long entries: sums of previous stretches, and numbers of
 * products. */
#define SPMMI_SPGEMM_LONG_ARRAYS 2
#define SPMMI_SPGEMM_LANES 4 /* maximum number of rows in a group */
/* Rows are grouped if that saves at least this share of them: rows / 5. Below it, the larger memory for sums
 * is not repaid. */
#define SPMMI_SPGEMM_GROUPED_SHARE 5
#define SPMMI_SPGEMM_DEPTH 4 /* maximum number of entries of left that are processed together */

/* Returns true if a row of this stage, or a piece of a row, may have long entries. length: its number of
 * entries of the left factor. */
static inline int spmmi_spgemm_is_long(const struct spmmi_spgemm_stage *stage, int64_t length)
{
    return stage->has_stretches && length > SPMMI_SPGEMM_STRETCH;
}

/* Returns the elements of memory that each thread needs. */
static inline int64_t spmmi_spgemm_sums(const struct spmmi_spgemm_stage *stage)
{
    return stage->sums + stage->long_sums;
}

/* Returns the number of products of entry p of the left factor: as many as the right factor has entries for it. */
static inline int64_t spmmi_spgemm_count_of(const struct spmmi_spgemm_stage *stage, int64_t p)
{
    const int64_t k = stage->task.left.col_ind[p];
    return stage->taken != NULL ? stage->taken[p]
                                : stage->task.right.row_ptr[k + 1] - stage->task.right.row_ptr[k];
}

/* Returns the number of products of row i of C. */
static inline int64_t spmmi_spgemm_products_of(const struct spmmi_spgemm_stage *stage, int64_t i)
{
    int64_t products = 0;
    if (stage->row_products != NULL)
        return stage->row_products[i];
    for (int64_t p = stage->task.left.row_ptr[i]; p < stage->task.left.row_ptr[i + 1]; p++)
        products += spmmi_spgemm_count_of(stage, p);
    return products;
}

/* Values of one execution. All arrays have the value type of the stage. */
struct spmmi_spgemm_values {
    const void *left, *right, *diagonal; /* diagonal may be NULL */
    double alpha, beta;                  /* already rounded to the value type */
    void *c;
    void *partials, *sums; /* in the workspace; sums has threads * spmmi_spgemm_sums(stage) elements */
};

/* Makes the units and cuts, with is_lower also taken, and counts the products. *bytes is set to their size;
 * `held` + *bytes must not be above `budget`, unless that is 0. Errors: PLAN_BUDGET, MEMORY. */
spmm_status_t spmmi_spgemm_units(struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm *plan,
                                 uint64_t held, uint64_t budget, uint64_t *bytes, spmm_diag_t *diag);
/* Makes the units anew once the forms are known: rows that the plan cuts, but whose form needs no partial
 * sums, become part of units of whole rows, and units end at the end of a group. There are at most as many
 * units as before. */
void spmmi_spgemm_units_again(struct spmmi_spgemm_stage *stage);
/* Returns an upper bound of the bytes that deriving positions allocates, in addition to twice the bytes of
 * the positions: these are copied when they outgrow their memory. */
uint64_t spmmi_spgemm_positions_scratch(const struct spmmi_spgemm_stage *stage, int has_masks, int threads);
/* Derives positions or, if has_masks is set, masks for the rows in which masks are faster, in at most
 * bytes_max bytes. *bytes is set to what they take. If bytes_max does not suffice, *bytes is 0 and the stage
 * keeps kernel columns. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_positions(struct spmmi_spgemm_stage *stage, int has_masks, int threads,
                                     uint64_t bytes_max, uint64_t *bytes, spmm_diag_t *diag);
/* Returns true if this machine has the instructions with which kernel masks is the fastest (AVX-512). */
int spmmi_spgemm_masks_pay(void);
/* spmmi_spgemm_groups makes the groups of a stage with positions, if there are at most groups_max of them.
 * *bytes is set to what they take: at most spmmi_spgemm_groups_bytes. With is_lower there are no groups.
 * Errors: MEMORY. */
uint64_t spmmi_spgemm_groups_bytes(const struct spmmi_spgemm_stage *stage);
spmm_status_t spmmi_spgemm_groups(struct spmmi_spgemm_stage *stage, int64_t groups_max, uint64_t *bytes,
                                  spmm_diag_t *diag);
/* Finds only which rows of C are alike, for kernel masks. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_alike(struct spmmi_spgemm_stage *stage, spmm_diag_t *diag);
void spmmi_spgemm_stage_free(struct spmmi_spgemm_stage *stage);

/* Computes the values of C. dtype: F32 or F64. */
void spmmi_spgemm_run(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                      const struct spmmi_spgemm_values *values, int threads);

/* What the one shot needs in addition to a stage: it finds the columns of C together with their values. */
struct spmmi_spgemm_once {
    const struct spmmi_spgemm_repeats *repeats;
    struct spmmi_spgemm_scratch *scratch; /* one per thread, with lists */
    int32_t *col_ind;                     /* of C */
    /* Rows with equal columns are computed together; stage->sums then counts SPMMI_SPGEMM_LANES elements per
     * column. */
    int is_grouped;
};
void spmmi_spgemm_run_once(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                           const struct spmmi_spgemm_values *values, const struct spmmi_spgemm_once *once,
                           int threads);
/* Computes to[q] = from[map[q]] for q < count. */
void spmmi_spgemm_gather(spmm_dtype_t dtype, int64_t count, const int64_t *map, const void *from, void *to,
                         int threads);
/* Computes c = beta * c; beta = 0 sets c to 0, whatever it held. */
void spmmi_spgemm_scale(spmm_dtype_t dtype, int64_t count, double beta, void *c);

#endif
