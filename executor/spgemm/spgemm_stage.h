/* SPDX-License-Identifier: Apache-2.0 */
/* One product of two sparse matrices made ready to run on the CPU, C = left * right: the units of its work. A product
 * of three factors has two such stages. The functions are in kernels/spgemm.
 *
 * An entry of C is the sum of its products by ascending k, added by fused multiply-adds, so that kernels, threads and
 * SIMD levels all give the same bits. Only where the plan cuts a row in k are partial sums added, in order. */
#ifndef SPMMI_SPGEMM_STAGE_H
#define SPMMI_SPGEMM_STAGE_H

#include "format/spgemm/spgemm_bytes.h"
#include "format/spgemm/spgemm_repeats.h"

/* Whole rows, or a piece of one row: entries [first, end) of the left factor, whose sums lie at `partial` of the
 * partial sums. */
struct spmmi_spgemm_unit {
    int64_t row, row_end; /* row_end = row + 1 of a piece */
    int64_t first, end;   /* of a piece */
    int64_t partial;      /* -1: whole rows */
    uint64_t position;    /* of a piece: where its positions begin, in bytes */
};

/* A row that is cut: its pieces lie behind each other. */
struct spmmi_spgemm_cut {
    int64_t row, partial, pieces;
};

struct spmmi_spgemm_longs;

struct spmmi_spgemm_stage {
    struct spmmi_spgemm_task task;
    struct spmmi_csr_pattern c;  /* columns as those of the right factor */
    uint64_t products;           /* that are done */
    int64_t sums;                /* elements that a thread needs for sums */
    int has_stretches;           /* long entries are summed in stretches */
    uint64_t piece_products;     /* of the plan */
    int64_t long_sums;           /* elements that a thread needs for them, behind sums */
    int64_t partials;            /* elements of all partial sums */
    const int64_t *row_products; /* borrowed: of each row of C; NULL: they are counted */
    int64_t unit_count, cut_count;
    struct spmmi_spgemm_unit *units; /* owned, as all below */
    struct spmmi_spgemm_cut *cuts;
    int32_t *taken; /* of a lower triangle: for each entry of left, how many of right's row it multiplies */
    /* Kernel positions: for each product the place of its sum in the row of C, of 1, 2 or 4 bytes as the row's entries
     * need (spmmi_spgemm_width). Rows of equal streams share one. NULL: kernel columns. */
    uint8_t *positions;
    uint64_t *position_at; /* for each row, where its stream begins; in bytes */
    /* Kernel masks, beside positions: the form of each row (spgemm_masks.h), whose stream is of masks unless that is 0.
     * NULL: all are of positions. */
    uint8_t *forms;
    int64_t whole_count; /* rows that the plan cuts and a unit takes whole, by masks */
    /* Groups, beside positions: rows [i, i + alike[i]) have equal rows of left, and row k of right has the columns of
     * row k - 1 where follows[k] is 1: of the one shot, 2 means moved by one. NULL: rows are taken one by one. Masks
     * have alike alone. */
    uint8_t *alike, *follows;
    const struct spmmi_spgemm_longs
        *longs; /* borrowed, of a GPU: long entries, which its other kernels leave out */
};

#define SPMMI_SPGEMM_LONG_ARRAYS 2 /* beside the sums: those of stretches before, numbers of products */
#define SPMMI_SPGEMM_LANES 4       /* most rows of a group */
/* Groups are taken where they are fewer than the rows by this share of them: sums need more memory then. */
#define SPMMI_SPGEMM_GROUPED_SHARE 5
#define SPMMI_SPGEMM_DEPTH 4 /* most entries of left that are taken together */

/* May a row of this stage, or a piece of one, have long entries? length: its entries of the left factor. */
static inline int spmmi_spgemm_is_long(const struct spmmi_spgemm_stage *stage, int64_t length)
{
    return stage->has_stretches && length > SPMMI_SPGEMM_STRETCH;
}

/* Elements of the memory of a thread. */
static inline int64_t spmmi_spgemm_sums(const struct spmmi_spgemm_stage *stage)
{
    return stage->sums + stage->long_sums;
}

/* Products of entry p of the left factor. */
static inline int64_t spmmi_spgemm_count_of(const struct spmmi_spgemm_stage *stage, int64_t p)
{
    const int64_t k = stage->task.left.col_ind[p];
    return stage->taken != NULL ? stage->taken[p]
                                : stage->task.right.row_ptr[k + 1] - stage->task.right.row_ptr[k];
}

/* Of row i of C. */
static inline int64_t spmmi_spgemm_products_of(const struct spmmi_spgemm_stage *stage, int64_t i)
{
    int64_t products = 0;
    if (stage->row_products != NULL)
        return stage->row_products[i];
    for (int64_t p = stage->task.left.row_ptr[i]; p < stage->task.left.row_ptr[i + 1]; p++)
        products += spmmi_spgemm_count_of(stage, p);
    return products;
}

/* Values of one execution; all arrays are of the stage's type. */
struct spmmi_spgemm_values {
    const void *left, *right, *diagonal; /* diagonal: NULL without one */
    double alpha, beta;                  /* as they are in the type */
    void *c;
    void *partials, *sums; /* of the workspace; threads * spmmi_spgemm_sums(stage) elements */
};

/* Units, cuts, of a lower triangle also taken, and the number of products. *bytes: what they take; with what is held no
 * more than the budget, 0 for none. Errors: PLAN_BUDGET, MEMORY. */
spmm_status_t spmmi_spgemm_units(struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm *plan,
                                 uint64_t held, uint64_t budget, uint64_t *bytes, spmm_diag_t *diag);
/* Once forms are known: rows that the plan cuts and whose form needs no partial sums are in units of whole rows, and
 * units end with a group. There are not more of them than before. */
void spmmi_spgemm_units_again(struct spmmi_spgemm_stage *stage);
/* Most bytes that deriving positions takes beside twice the positions, which move to where there is room. */
uint64_t spmmi_spgemm_positions_scratch(const struct spmmi_spgemm_stage *stage, int has_masks, int threads);
/* Derives the positions, or masks where they pay, of at most so many bytes, on so many threads; *bytes: what they take.
 * Beyond that the stage keeps the kernel columns, and *bytes is 0. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_positions(struct spmmi_spgemm_stage *stage, int has_masks, int threads,
                                     uint64_t bytes_max, uint64_t *bytes, spmm_diag_t *diag);
/* Does this machine have the instructions that make kernel masks the fastest? */
int spmmi_spgemm_masks_pay(void);
/* Groups of a stage with positions, if they are at most so many; *bytes: what they take, at most
 * spmmi_spgemm_groups_bytes. Of a lower triangle there are none. Errors: MEMORY. */
uint64_t spmmi_spgemm_groups_bytes(const struct spmmi_spgemm_stage *stage);
spmm_status_t spmmi_spgemm_groups(struct spmmi_spgemm_stage *stage, int64_t groups_max, uint64_t *bytes,
                                  spmm_diag_t *diag);
/* Only which rows of C are alike, for kernel masks. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_alike(struct spmmi_spgemm_stage *stage, spmm_diag_t *diag);
void spmmi_spgemm_stage_free(struct spmmi_spgemm_stage *stage);

/* Runs it. dtype: F32 or F64. */
void spmmi_spgemm_run(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                      const struct spmmi_spgemm_values *values, int threads);

/* What the one shot needs beside a stage: the columns of C are found with its values. */
struct spmmi_spgemm_once {
    const struct spmmi_spgemm_repeats *repeats;
    struct spmmi_spgemm_scratch *scratch; /* one of each thread, with lists */
    int32_t *col_ind;                     /* of C */
    int is_grouped; /* rows of equal columns are taken together; stage->sums has an element a lane */
};
void spmmi_spgemm_run_once(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                           const struct spmmi_spgemm_values *values, const struct spmmi_spgemm_once *once,
                           int threads);
/* to[q] = from[map[q]] */
void spmmi_spgemm_gather(spmm_dtype_t dtype, int64_t count, const int64_t *map, const void *from, void *to,
                         int threads);
/* c = beta * c, or 0 */
void spmmi_spgemm_scale(spmm_dtype_t dtype, int64_t count, double beta, void *c);

#endif
