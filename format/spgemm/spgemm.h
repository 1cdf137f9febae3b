/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan of a sparse product that is stored in addition to the pattern of the result C: the
 * factors, their patterns, and how the work is cut (docs/plan-format.md section 6.15).
 *
 * With two factors, C = F0 F1, or C = F0 D F1 with a diagonal matrix D. With three factors, C = F0 T with the
 * intermediate product T = F1 F2. A factor is an operand or its transpose, so the operands of A A^T and
 * P^T A P are stored only once. The value of C[i, j] is the sum of F0[i, k] F1[k, j] by ascending k; each
 * product is added by a fused multiply-add.
 *
 * Names: in the public interface, an spmm_product_t runs such a plan. The libraries call this operation
 * SpGEMM internally, because struct spmmi_product belongs to products with dense matrices. */
#ifndef SPMMI_SPGEMM_H
#define SPMMI_SPGEMM_H

#include <spmm/common.h>
#include <string.h>

#include "spgemm_share.h"

#define SPMMI_SPGEMM_FACTORS 3u
#define SPMMI_SPGEMM_MATRICES (SPMMI_SPGEMM_FACTORS + 1) /* operands and T */
#define SPMMI_SPGEMM_LOWER 1u                            /* C is symmetric: only entries (i, j) with j <= i */
#define SPMMI_SPGEMM_DIAGONAL 2u                         /* two factors with a diagonal matrix between them */
#define SPMMI_SPGEMM_STRETCHES 4u /* long entries are summed in stretches, see SPMMI_SPGEMM_STRETCH */
#define SPMMI_SPGEMM_FLAGS (SPMMI_SPGEMM_LOWER | SPMMI_SPGEMM_DIAGONAL | SPMMI_SPGEMM_STRETCHES)

/* The pattern of a CSR matrix. The arrays are borrowed. */
struct spmmi_csr_pattern {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind;
};

/* Returns true if row i has the same columns as row i - 1; i must be at least 1. */
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
    uint32_t operand_count; /* 1 to factor_count; operands are matrices[0 .. operand_count) */
    uint32_t flags;         /* SPMMI_SPGEMM_* */
    uint32_t factor_operand[SPMMI_SPGEMM_FACTORS];
    uint32_t factor_op[SPMMI_SPGEMM_FACTORS]; /* spmm_op_t */
    /* A row of C with more products than this is cut in k (see spmmi_spgemm_piece). 0: no row is cut. */
    uint64_t piece_products;
    uint64_t products[2]; /* [0]: multiplications of F0 F1 or F0 T, [1]: of T. Both ignore flag LOWER. */
    /* The operands; with three factors, T follows the last operand. */
    struct spmmi_spgemm_matrix matrices[SPMMI_SPGEMM_MATRICES];
};

/* Returns the number of stored matrices: the operands and, with three factors, T. */
static inline uint32_t spmmi_spgemm_matrices(const struct spmmi_spgemm *g)
{
    return g->operand_count + (g->factor_count == SPMMI_SPGEMM_FACTORS);
}

static inline struct spmmi_csr_pattern spmmi_spgemm_pattern_of(const struct spmmi_spgemm_matrix *m)
{
    return (struct spmmi_csr_pattern){m->rows, m->cols, m->row_ptr, m->col_ind};
}

/* Return the number of rows and the number of columns of a factor, that is of op(operand). */
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

/* Returns the number of products per piece of a row of C with `entries` entries, or INT64_MAX if the row must
 * not be cut. A piece ends with the entry of the left factor's row that brings the products of the piece to
 * this number. Part of the format: it decides the bits of C. */
static inline int64_t spmmi_spgemm_piece(uint64_t piece_products, int64_t entries)
{
    const uint64_t least = (uint64_t)entries * SPMMI_SPGEMM_PIECE_ENTRIES;
    const uint64_t piece = piece_products > least ? piece_products : least;
    return piece_products == 0 || piece > INT64_MAX ? INT64_MAX : (int64_t)piece;
}

/* Returns the bytes of the patterns of all operands and of T. */
uint64_t spmmi_spgemm_pattern_bytes(const struct spmmi_spgemm *g);
/* Frees g and its arrays; g may be NULL. */
void spmmi_spgemm_free(struct spmmi_spgemm *g);
/* Makes a deep copy; *to is NULL if from is NULL. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_copy(const struct spmmi_spgemm *from, struct spmmi_spgemm **to, spmm_diag_t *diag);

/* Counts the multiplications of left * right: the sum over k of (entries in column k of left) x (entries in
 * row k of right). The patterns are those of the stored matrices; left_op and right_op say which of them is
 * transposed, but no transpose is built. *products is UINT64_MAX if the sum needs more than 64 bits.
 * Allocates 8 bytes per k. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_count(const struct spmmi_csr_pattern *left, spmm_op_t left_op,
                                 const struct spmmi_csr_pattern *right, spmm_op_t right_op,
                                 uint64_t *products);

/* The multiplications of left * right (both as stored, without op), and the number of rows that have at least
 * SPMMI_SPGEMM_HEAVY_PRODUCTS multiplications. */
struct spmmi_spgemm_work {
    uint64_t products;
    int64_t heavy_rows;
};
static inline void spmmi_spgemm_work_add(struct spmmi_spgemm_work *work, uint64_t row_products)
{
    work->products += row_products;
    work->heavy_rows += row_products >= SPMMI_SPGEMM_HEAVY_PRODUCTS;
}
/* Counts the work of left * right. */
struct spmmi_spgemm_work spmmi_spgemm_work_of(const struct spmmi_csr_pattern *left,
                                              const struct spmmi_csr_pattern *right);

/* Returns the maximum number of entries in a row. */
int64_t spmmi_spgemm_longest_row(int64_t rows, const int64_t *row_ptr);
/* Sets *may to whether left * right may have long entries, that is entries of more than SPMMI_SPGEMM_STRETCH
 * products. *may is conservative: it is 1 if a row of left and a column of right are both that long, even if
 * they do not meet. Allocates 4 bytes per column of right. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_may_be_long(const struct spmmi_csr_pattern *left,
                                       const struct spmmi_csr_pattern *right, int *may, spmm_diag_t *diag);

#endif
