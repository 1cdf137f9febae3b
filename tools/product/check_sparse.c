/* SPDX-License-Identifier: Apache-2.0 */
/* See check_sparse.h. Plain loops over the rows with long double sums: slow, but independent of the
 * library. */
#include "check_sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/cli/fail.h"
#include "tools/cli/number.h"

/* The reference of an entry: its value in long double, the sum of the magnitudes of its products, and the
 * number of roundings on the longest way to the value. */
struct known {
    long double sum, magnitude;
    int64_t roundings, stamp;
};

/* A row of a product. entries has one element per column, which is valid if its stamp is the number of the
 * row plus 1. columns lists the valid ones. */
struct known_row {
    struct known *entries;
    int32_t *columns;
    int64_t count;
};

/* A sparse matrix of such entries: an operand, or T = A P of a triple product. */
struct known_matrix {
    int64_t rows, cols;
    int64_t *row_ptr;
    int32_t *col_ind;
    struct known *entries;
};

static void known_free(struct known_matrix *m)
{
    free(m->row_ptr);
    free(m->col_ind);
    free(m->entries);
    *m = (struct known_matrix){.rows = 0};
}

static spmm_status_t known_make(int64_t rows, int64_t cols, int64_t nnz, struct known_matrix *m,
                                spmm_diag_t *diag)
{
    m->rows = rows;
    m->cols = cols;
    m->row_ptr = calloc((size_t)rows + 1, sizeof *m->row_ptr);
    m->col_ind = malloc(((size_t)nnz + 1) * sizeof *m->col_ind);
    m->entries = malloc(((size_t)nnz + 1) * sizeof *m->entries);
    if (m->row_ptr == NULL || m->col_ind == NULL || m->entries == NULL)
        return fail_memory(diag, (uint64_t)nnz * sizeof *m->entries, "the reference of the check");
    return SPMM_OK;
}

static struct known exact(const spmm_csr_t *a, int64_t p)
{
    const long double value = value_get(a->value_type, a->values, p);
    return (struct known){value, fabsl(value), 0, 0};
}

/* Converts op(A) to a known_matrix. The entries of a transposed matrix are sorted by counting. */
static spmm_status_t known_of(const spmm_csr_t *a, spmm_op_t op, struct known_matrix *m, spmm_diag_t *diag)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    const int is_turned = op == SPMM_OP_T;
    const spmm_status_t status =
        known_make(is_turned ? a->cols : a->rows, is_turned ? a->rows : a->cols, a->nnz, m, diag);
    if (status != SPMM_OK)
        return status;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            m->row_ptr[is_turned ? col_ind[p] : i]++;
    for (int64_t i = 0, sum = 0; i <= m->rows; i++) { /* counts become starts of rows */
        const int64_t count = m->row_ptr[i];
        m->row_ptr[i] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const int64_t at = m->row_ptr[is_turned ? col_ind[p] : i]++;
            m->col_ind[at] = (int32_t)(is_turned ? i : col_ind[p]);
            m->entries[at] = exact(a, p);
        }
    for (int64_t i = m->rows; i > 0; i--) /* filling moved each start to the end of its row */
        m->row_ptr[i] = m->row_ptr[i - 1];
    m->row_ptr[0] = 0;
    return SPMM_OK;
}

static spmm_status_t row_make(int64_t cols, struct known_row *row, spmm_diag_t *diag)
{
    row->entries = calloc((size_t)cols + 1, sizeof *row->entries);
    row->columns = malloc(((size_t)cols + 1) * sizeof *row->columns);
    if (row->entries == NULL || row->columns == NULL)
        return fail_memory(diag, (uint64_t)cols * sizeof *row->entries, "the check");
    return SPMM_OK;
}

static void row_free(struct known_row *row)
{
    free(row->entries);
    free(row->columns);
}

/* Computes row i of left * right. The columns are in the order in which products first meet them. */
static void known_row_of(const struct known_matrix *left, const struct known_matrix *right,
                         const spmm_csr_t *type, const void *diagonal, int64_t i, struct known_row *row)
{
    row->count = 0;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p];
        const long double d = diagonal != NULL ? value_get(type->value_type, diagonal, k) : 1.0;
        for (int64_t q = right->row_ptr[k]; q < right->row_ptr[k + 1]; q++) {
            struct known *to = &row->entries[right->col_ind[q]];
            const struct known *a = &left->entries[p], *b = &right->entries[q];
            if (to->stamp != i + 1) {
                *to = (struct known){0, 0, 0, i + 1};
                row->columns[row->count++] = right->col_ind[q];
            }
            to->sum += a->sum * d * b->sum;
            to->magnitude += a->magnitude * fabsl(d) * b->magnitude;
            to->roundings += 1; /* the fused multiply-add; ratio_of adds the roundings of T */
        }
    }
}

/* Computes T on the pattern of its products. The columns of a row are not sorted. */
static spmm_status_t known_product(const struct known_matrix *left, const struct known_matrix *right,
                                   const spmm_csr_t *type, struct known_matrix *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct known_row row = {.count = 0};
    int64_t nnz = 0;
    TRY(row_make(right->cols, &row, diag));
    for (int64_t i = 0; i < left->rows; i++) {
        known_row_of(left, right, type, NULL, i, &row);
        nnz += row.count;
    }
    for (int64_t j = 0; j < right->cols; j++)
        row.entries[j].stamp = 0;
    TRY(known_make(left->rows, right->cols, nnz, t, diag));
    nnz = 0;
    for (int64_t i = 0; i < left->rows; i++) {
        known_row_of(left, right, type, NULL, i, &row);
        for (int64_t j = 0; j < row.count; j++) {
            t->col_ind[nnz] = row.columns[j];
            t->entries[nnz++] = row.entries[row.columns[j]];
        }
        t->row_ptr[i + 1] = nnz;
    }
cleanup:
    row_free(&row);
    return status;
}

static int64_t most_roundings(const struct known_matrix *m)
{
    int64_t most = 0;
    for (int64_t p = 0; p < m->row_ptr[m->rows]; p++)
        most = m->entries[p].roundings > most ? m->entries[p].roundings : most;
    return most;
}

/* Returns error / bound of one entry, see docs/accuracy.md. */
static double ratio_of(const struct value_type *type, double alpha, const struct known *k, int64_t inner,
                       int has_diagonal, double found)
{
    const long double expected = (long double)alpha * k->sum,
                      magnitude = fabsl((long double)alpha) * k->magnitude;
    const double roundings = (double)(k->roundings * (1 + has_diagonal) + inner + (alpha != 1));
    const double u = roundings * type->unit;
    const long double gamma = u >= 0.5 ? 1 : u / (1 - u);
    const long double reference =
        (long double)(roundings + 1) * LDBL_EPSILON; /* error of the long double sum */
    const long double bound =
        (gamma + reference) * magnitude + (long double)roundings * fmax(1, fabs(alpha)) * type->tiny;
    if (isnan(expected) || isinf(expected) || isnan(found) || isinf(found)) {
        const int is_same = (isnan(expected) && isnan(found)) || (double)expected == found;
        return is_same || k->magnitude + magnitude > (long double)type->largest ? 0 : (double)INFINITY;
    }
    const long double error = fabsl((long double)found - expected);
    return error == 0 ? 0 : (double)(error / bound);
}

static void take_worst(struct product_verdict *v, double ratio, int64_t row, int64_t col, double found,
                       long double expected)
{
    if (ratio > v->ratio)
        *v = (struct product_verdict){ratio, row, col, found, (double)expected};
}

/* Returns the number of entries that row i of C must have. */
static int64_t count_expected(const struct product_claim *claim, const struct known_row *row, int64_t i)
{
    int64_t count = 0;
    for (int64_t j = 0; j < row->count; j++)
        count += !claim->is_lower || row->columns[j] <= i;
    return count;
}

/* Checks row i of C: it must have the columns of the products and no others, each within its bound. */
static void check_row(const struct product_claim *claim, const struct known_row *row, int64_t i,
                      int64_t inner, struct product_verdict *v)
{
    const int64_t *row_ptr = claim->c.row_ptr;
    const int32_t *col_ind = claim->c.col_ind;
    const struct value_type *type = value_type(claim->c.value_type);
    for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
        const struct known *entry = &row->entries[col_ind[q]];
        const double found = value_get(type->type, claim->c.values, q);
        if (entry->stamp != i + 1)
            take_worst(v, (double)INFINITY, i, col_ind[q], found, 0);
        else
            take_worst(v, ratio_of(type, claim->alpha, entry, inner, claim->diagonal != NULL, found), i,
                       col_ind[q], found, (long double)claim->alpha * entry->sum);
    }
    if (count_expected(claim, row, i) != row_ptr[i + 1] - row_ptr[i])
        take_worst(v, (double)INFINITY, i, -1, 0, 0);
}

spmm_status_t check_sparse(const struct product_claim *claim, struct product_verdict *v, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct known_matrix factor[CHECK_SPARSE_FACTORS] = {{.rows = 0}}, t = {.rows = 0};
    const struct known_matrix *right = &factor[1];
    struct known_row row = {.count = 0};
    int64_t inner = 0;
    *v = (struct product_verdict){.ratio = 0};
    for (int f = 0; f < claim->factor_count; f++)
        TRY(known_of(&claim->factor[f], claim->op[f], &factor[f], diag));
    if (claim->factor_count == CHECK_SPARSE_FACTORS) {
        TRY(known_product(&factor[1], &factor[2], &claim->c, &t, diag));
        inner = most_roundings(&t);
        right = &t;
    }
    TRY(row_make(claim->c.cols, &row, diag));
    for (int64_t i = 0; i < factor[0].rows; i++) {
        known_row_of(&factor[0], right, &claim->c, claim->diagonal, i, &row);
        check_row(claim, &row, i, inner, v);
    }
cleanup:
    row_free(&row);
    known_free(&t);
    for (int f = 0; f < CHECK_SPARSE_FACTORS; f++)
        known_free(&factor[f]);
    return status;
}
