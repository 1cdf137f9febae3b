/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the section product (docs/plan-format.md section 6.15). It takes time linear in the size of
 * the file. The multiplications of the product are counted, not executed. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "plan_check.h"

static int is_zero(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        if (b[i] != 0)
            return 0;
    return 1;
}

/* Checks the factors. Operands must be numbered in the order in which the factors first name them. */
static spmm_status_t check_factors(const struct spmmi_spgemm *g, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t known = 0;
    SPMM_RULE(g->factor_count == 2 || g->factor_count == SPMMI_SPGEMM_FACTORS, PRODUCT, 0, "%u factors",
              g->factor_count);
    for (uint32_t f = 0; f < SPMMI_SPGEMM_FACTORS; f++) {
        const uint32_t operand = g->factor_operand[f], op = g->factor_op[f];
        SPMM_RULE(f < g->factor_count ? operand <= known && op <= SPMM_OP_T : operand == 0 && op == 0,
                  PRODUCT, 0, "factor %u of %u is operand %u with op %u", f, g->factor_count, operand, op);
        known += f < g->factor_count && operand == known;
    }
    SPMM_RULE(g->operand_count == known, PRODUCT, 0, "%u operands, but the factors name %u", g->operand_count,
              known);
    SPMM_RULE((g->flags & ~SPMMI_SPGEMM_FLAGS) == 0 &&
                  (g->factor_count == 2 || (g->flags & SPMMI_SPGEMM_DIAGONAL) == 0),
              PRODUCT, 0, "flags 0x%x of %u factors", g->flags, g->factor_count);
cleanup:
    return status;
}

static spmm_status_t check_matrices(const struct spmmi_spgemm *g, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t m = 0; m < SPMMI_SPGEMM_MATRICES; m++) {
        const struct spmmi_spgemm_matrix *a = &g->matrices[m];
        if (m < spmmi_spgemm_matrices(g)) {
            SPMM_RULE(a->rows >= 0 && a->rows <= SPMMI_DIM_MAX && a->cols >= 0 && a->cols <= SPMMI_DIM_MAX &&
                          a->nnz >= 0 && a->nnz <= SPMMI_NNZ_MAX && a->nnz <= a->rows * a->cols,
                      PRODUCT, 0, "matrix %u is %lld x %lld with %lld entries", m, (long long)a->rows,
                      (long long)a->cols, (long long)a->nnz);
        } else {
            SPMM_RULE(a->rows == 0 && a->cols == 0 && a->nnz == 0 && is_zero(a->digest, sizeof a->digest),
                      PRODUCT, 0, "there is no matrix %u, but it has a size or a digest", m);
        }
    }
cleanup:
    return status;
}

/* Checks that the dimensions of the factors fit together and that C has the dimensions of the product. */
static spmm_status_t check_shapes(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm *g = p->product;
    const struct spmmi_spgemm_matrix *t = &g->matrices[g->operand_count];
    const uint32_t last = g->factor_count - 1;
    for (uint32_t f = 0; f < last; f++)
        SPMM_RULE(spmmi_spgemm_cols(g, f) == spmmi_spgemm_rows(g, f + 1), PRODUCT, 0,
                  "factor %u has %lld columns, the next one %lld rows", f, (long long)spmmi_spgemm_cols(g, f),
                  (long long)spmmi_spgemm_rows(g, f + 1));
    SPMM_RULE(p->rows == spmmi_spgemm_rows(g, 0) && p->cols == spmmi_spgemm_cols(g, last), PRODUCT, 0,
              "the product is %lld x %lld, the plan %lld x %lld", (long long)spmmi_spgemm_rows(g, 0),
              (long long)spmmi_spgemm_cols(g, last), (long long)p->rows, (long long)p->cols);
    SPMM_RULE(last == 1 || (t->rows == spmmi_spgemm_rows(g, 1) && t->cols == p->cols), PRODUCT, 0,
              "the intermediate product is %lld x %lld", (long long)t->rows, (long long)t->cols);
    SPMM_RULE((g->flags & SPMMI_SPGEMM_LOWER) == 0 || p->rows == p->cols, PRODUCT, 0,
              "a lower triangle of %lld x %lld", (long long)p->rows, (long long)p->cols);
cleanup:
    return status;
}

spmm_status_t spmmi_check_spgemm_head(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(check_factors(p->product, diag));
    SPMM_TRY(check_matrices(p->product, diag));
    SPMM_TRY(check_shapes(p, diag));
    SPMM_RULE(p->part_count == 0 && p->variant_count == 0 && p->trace_count == 0, PRODUCT, 0,
              "the plan of a product has %u parts, %u variants and %u trace entries", p->part_count,
              p->variant_count, p->trace_count);
    SPMM_RULE(p->dtype == SPMM_F32 || p->dtype == SPMM_F64, PRODUCT, 0, "a product of value type %d",
              (int)p->dtype);
cleanup:
    return status;
}

spmm_status_t spmmi_check_spgemm_rows(const struct spmmi_spgemm_matrix *a, uint32_t m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < a->rows; i++)
        SPMM_RULE(a->row_ptr[i + 1] - a->row_ptr[i] <= a->cols, PRODUCT, (uint64_t)i,
                  "row %lld of matrix %u has %lld entries in %lld columns", (long long)i, m,
                  (long long)(a->row_ptr[i + 1] - a->row_ptr[i]), (long long)a->cols);
    SPMM_RULE(a->row_ptr[a->rows] == a->nnz, PRODUCT, 0, "the rows of matrix %u have %lld entries, not %lld",
              m, (long long)a->row_ptr[a->rows], (long long)a->nnz);
cleanup:
    return status;
}

static spmm_status_t check_columns(const struct spmmi_spgemm_matrix *a, uint32_t m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t digest[sizeof a->digest];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++)
            SPMM_RULE(a->col_ind[q] < a->cols && a->col_ind[q] > (q > a->row_ptr[i] ? a->col_ind[q - 1] : -1),
                      PRODUCT, (uint64_t)i, "the columns of row %lld of matrix %u do not ascend in 0 to %lld",
                      (long long)i, m, (long long)a->cols - 1);
    spmmi_digest_pattern(a->rows, a->cols, a->row_ptr, a->col_ind, digest);
    SPMM_RULE(memcmp(digest, a->digest, sizeof digest) == 0, PRODUCT, 0,
              "the pattern of matrix %u does not have the digest that the plan gives", m);
cleanup:
    return status;
}

static spmm_status_t check_count(const struct spmmi_csr_pattern *left, spmm_op_t left_op,
                                 const struct spmmi_csr_pattern *right, spmm_op_t right_op, uint64_t told,
                                 spmm_diag_t *diag)
{
    uint64_t products = 0;
    spmm_status_t status = spmmi_spgemm_count(left, left_op, right, right_op, &products);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory in %s", __func__);
    SPMM_RULE(products == told && products != UINT64_MAX, PRODUCT, 0,
              "the plan stores %llu multiplications, its factors need %llu", (unsigned long long)told,
              (unsigned long long)products);
cleanup:
    return status;
}

static spmm_status_t check_counts(const struct spmmi_spgemm *g, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_csr_pattern factor[SPMMI_SPGEMM_FACTORS];
    const struct spmmi_csr_pattern t = spmmi_spgemm_pattern_of(&g->matrices[g->operand_count]);
    for (uint32_t f = 0; f < g->factor_count; f++)
        factor[f] = spmmi_spgemm_pattern_of(&g->matrices[g->factor_operand[f]]);
    if (g->factor_count == 2) {
        SPMM_RULE(g->products[1] == 0, PRODUCT, 0, "multiplications of a third factor, but there are two");
        return check_count(&factor[0], (spmm_op_t)g->factor_op[0], &factor[1], (spmm_op_t)g->factor_op[1],
                           g->products[0], diag);
    }
    SPMM_TRY(check_count(&factor[0], (spmm_op_t)g->factor_op[0], &t, SPMM_OP_N, g->products[0], diag));
    SPMM_TRY(check_count(&factor[1], (spmm_op_t)g->factor_op[1], &factor[2], (spmm_op_t)g->factor_op[2],
                         g->products[1], diag));
cleanup:
    return status;
}

/* Checks that C is a lower triangle. Columns ascend, so the last column of each row suffices. */
static spmm_status_t check_lower(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < p->rows; i++)
        SPMM_RULE(p->row_ptr[i] == p->row_ptr[i + 1] || p->col_ind[p->row_ptr[i + 1] - 1] <= i, PRODUCT,
                  (uint64_t)i, "row %lld of a lower triangle has entries above the diagonal", (long long)i);
cleanup:
    return status;
}

uint64_t spmmi_check_spgemm_bytes(const struct spmmi_spgemm *g)
{
    uint64_t most = 0;
    for (uint32_t f = 0; g != NULL && f + 1 < g->factor_count; f++) {
        const uint64_t inner = (uint64_t)spmmi_spgemm_cols(g, f);
        most = inner > most ? inner : most;
    }
    return most * 2 * sizeof(uint32_t);
}

spmm_status_t spmmi_check_spgemm(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm *g = p->product;
    if (g == NULL)
        return SPMM_OK;
    SPMM_TRY(spmmi_check_spgemm_head(p, diag));
    SPMM_RULE(p->values == NULL && p->symmetric_permutation == NULL, PRODUCT, 0,
              "the plan of a product has values or a permutation of its own");
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++) {
        SPMM_TRY(spmmi_check_spgemm_rows(&g->matrices[m], m, diag));
        SPMM_TRY(check_columns(&g->matrices[m], m, diag));
    }
    SPMM_TRY(check_counts(g, diag));
    if ((g->flags & SPMMI_SPGEMM_LOWER) != 0)
        SPMM_TRY(check_lower(p, diag));
cleanup:
    return status;
}
