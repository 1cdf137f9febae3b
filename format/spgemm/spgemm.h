/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan of a product of sparse matrices holds beside the pattern of the result C: the factors, their patterns,
 * and how the work is cut (docs/plan-format.md section 6.15).
 *
 * Two factors: C = F0 F1, or F0 D F1 with a diagonal D. Three: C = F0 T with the intermediate product T = F1 F2. A
 * factor is an operand or its transpose, so that the operands of A A^T and P^T A P are stored once. The values:
 * C[i, j] is the sum of F0[i, k] F1[k, j] by ascending k, each added by a fused multiply-add.
 *
 * Names: an spmm_product_t runs such a plan. Inside the libraries it is called SpGEMM, as struct spmmi_product is of
 * products with dense matrices. */
#ifndef SPMMI_SPGEMM_H
#define SPMMI_SPGEMM_H

#include <spmm/common.h>
#include <string.h>

#include "spgemm_share.h"

#define SPMMI_SPGEMM_FACTORS 3u
#define SPMMI_SPGEMM_MATRICES (SPMMI_SPGEMM_FACTORS + 1) /* the operands, and T */
#define SPMMI_SPGEMM_LOWER 1u     /* C is symmetric: entries (i, j) with j <= i alone */
#define SPMMI_SPGEMM_DIAGONAL 2u  /* two factors with a diagonal matrix between them */
#define SPMMI_SPGEMM_STRETCHES 4u /* long entries are summed in stretches: SPMMI_SPGEMM_STRETCH */
#define SPMMI_SPGEMM_FLAGS (SPMMI_SPGEMM_LOWER | SPMMI_SPGEMM_DIAGONAL | SPMMI_SPGEMM_STRETCHES)

/* A borrowed pattern in CSR. */
struct spmmi_csr_pattern {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind;
};

/* Has row i, which is not the first, the columns of the row before it? */
static inline int spmmi_csr_row_repeats(const struct spmmi_csr_pattern *a, int64_t i)
{
    const int64_t begin = a->row_ptr[i], count = a->row_ptr[i + 1] - begin;
    const int32_t *columns = a->col_ind + begin;
    return begin - a->row_ptr[i - 1] == count &&
           memcmp(columns, columns - count, (size_t)count * sizeof *columns) == 0;
}

/* The pattern of an operand or of T; the arrays are owned by the plan. */
struct spmmi_spgemm_matrix {
    int64_t rows, cols, nnz;
    int64_t *row_ptr;
    int32_t *col_ind;
    uint8_t digest[16];
};

struct spmmi_spgemm {
    uint32_t factor_count;  /* 2 or 3 */
    uint32_t operand_count; /* 1 to factor_count: matrices[0 .. operand_count) */
    uint32_t flags;         /* SPMMI_SPGEMM_* */
    uint32_t factor_operand[SPMMI_SPGEMM_FACTORS];
    uint32_t factor_op[SPMMI_SPGEMM_FACTORS]; /* spmm_op_t */
    /* Rows of C with more products are cut in k; 0: none is. See spmmi_spgemm_piece. */
    uint64_t piece_products;
    uint64_t products[2]; /* multiplications of F0 F1, or of F0 T; of T. Flag LOWER does not count. */
    struct spmmi_spgemm_matrix
        matrices[SPMMI_SPGEMM_MATRICES]; /* T, of three factors, is behind the operands */
};

/* Matrices that there are. */
static inline uint32_t spmmi_spgemm_matrices(const struct spmmi_spgemm *g)
{
    return g->operand_count + (g->factor_count == SPMMI_SPGEMM_FACTORS);
}

static inline struct spmmi_csr_pattern spmmi_spgemm_pattern_of(const struct spmmi_spgemm_matrix *m)
{
    return (struct spmmi_csr_pattern){m->rows, m->cols, m->row_ptr, m->col_ind};
}

/* Rows and columns of a factor. */
static inline int64_t spmmi_spgemm_rows(const struct spmmi_spgemm *g, uint32_t factor)
{
    const struct spmmi_spgemm_matrix *m = &g->matrices[g->factor_operand[factor]];
    return g->factor_op[factor] == SPMM_OP_T ? m->cols : m->rows;
}
static inline int64_t spmmi_spgemm_cols(const struct spmmi_spgemm *g, uint32_t factor)
{
    const struct spmmi_spgemm_matrix *m = &g->matrices[g->factor_operand[factor]];
    return g->factor_op[factor] == SPMM_OP_T ? m->rows : m->cols;
}

/* Where a row of C is cut in k: a piece of the row of the left factor ends with the entry that brings its products to
 * this many. INT64_MAX: nowhere. entries: of C in that row. Part of the format: it decides the bits of C. */
static inline int64_t spmmi_spgemm_piece(uint64_t piece_products, int64_t entries)
{
    const uint64_t least = (uint64_t)entries * SPMMI_SPGEMM_PIECE_ENTRIES;
    const uint64_t piece = piece_products > least ? piece_products : least;
    return piece_products == 0 || piece > INT64_MAX ? INT64_MAX : (int64_t)piece;
}

/* Bytes of the patterns of the operands and of T. */
uint64_t spmmi_spgemm_pattern_bytes(const struct spmmi_spgemm *g);
/* NULL is fine. */
void spmmi_spgemm_free(struct spmmi_spgemm *g);
/* A copy with arrays of its own; NULL of NULL. MEMORY. */
spmm_status_t spmmi_spgemm_copy(const struct spmmi_spgemm *from, struct spmmi_spgemm **to, spmm_diag_t *diag);

/* Multiplications of left * right: for each k, entries with it in the columns of left times those in its row of right.
 * The patterns are those of the stored matrices, of which the factors are op(): nothing is transposed. A sum beyond 64
 * bits is UINT64_MAX. Takes 8 bytes for each k. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_count(const struct spmmi_csr_pattern *left, spmm_op_t left_op,
                                 const struct spmmi_csr_pattern *right, spmm_op_t right_op,
                                 uint64_t *products);

/* Multiplications of left * right, as they are stored, and rows of SPMMI_SPGEMM_HEAVY_PRODUCTS of them or more. */
struct spmmi_spgemm_work {
    uint64_t products;
    int64_t heavy_rows;
};
static inline void spmmi_spgemm_work_add(struct spmmi_spgemm_work *work, uint64_t row_products)
{
    work->products += row_products;
    work->heavy_rows += row_products >= SPMMI_SPGEMM_HEAVY_PRODUCTS;
}
struct spmmi_spgemm_work spmmi_spgemm_work_of(const struct spmmi_csr_pattern *left,
                                              const struct spmmi_csr_pattern *right);

/* The most entries of a row. */
int64_t spmmi_spgemm_longest_row(int64_t rows, const int64_t *row_ptr);
/* May left * right have entries of more products than a stretch? Takes 4 bytes for each column of right. *may: also 1
 * where only a row of left and a column of right are that long. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_may_be_long(const struct spmmi_csr_pattern *left,
                                       const struct spmmi_csr_pattern *right, int *may, spmm_diag_t *diag);

#endif
