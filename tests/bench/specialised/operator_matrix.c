/* SPDX-License-Identifier: Apache-2.0 */
/* See operator_matrix.h. Points of triangles and tetrahedra are lattices in barycentric coordinates, whose
 * Lagrange polynomials are products of linear factors. */
#include "operator_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"

#define POINTS_MAX (OPERATOR_DEGREE_MAX + 1) /* of a line */
#define PARTS_MAX 4                          /* barycentric coordinates */
#define ROUNDING 1e-12                       /* smaller values are zeros */
/* Distances of lattices from the sides of an element, in steps. They differ, so that no point of a side is on
 * a lattice plane of the inner points, where polynomials are zero. */
#define INSIDE 0.5
#define ON_SIDES (1.0 / 3.0)

static const struct kind {
    char name[5];
    int dimensions, is_grid;
} kinds[] = {{"quad", 2, 1}, {"hex", 3, 1}, {"tri", 2, 0}, {"tet", 3, 0}};

struct full {
    int64_t rows, cols;
    double *values; /* rows * cols, row-major */
};

static const struct kind *kind_of(const char *name, int *degree)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].name);
        char *end = NULL;
        if (strncmp(name, kinds[i].name, length) != 0 || name[length] != ':')
            continue;
        const long value = strtol(name + length + 1, &end, 10);
        *degree = (int)value;
        return *end == '\0' && value >= 1 && value <= OPERATOR_DEGREE_MAX ? &kinds[i] : NULL;
    }
    return NULL;
}

int operator_matrix_is(const char *name)
{
    int degree = 0;
    return kind_of(name, &degree) != NULL;
}

static spmm_status_t full_make(int64_t rows, int64_t cols, struct full *full, spmm_diag_t *diag)
{
    *full = (struct full){rows, cols, calloc((size_t)(rows * cols), sizeof(double))};
    return full->values != NULL ? SPMM_OK : fail_memory(diag, (uint64_t)(rows * cols) * 8, "an operator");
}

/* ---- quad and hex ---- */

/* Sets x to the roots of the Legendre polynomial of degree n, by Newton's method. */
static void gauss_points(int n, double *x)
{
    const double pi = acos(-1.0);
    for (int i = 0; i < n; i++) {
        x[i] = -cos(pi * (i + 0.75) / (n + 0.5));
        for (int turn = 0; turn < 50; turn++) {
            double before = 1, now = x[i];
            for (int k = 2; k <= n; k++) {
                const double next = ((2 * k - 1) * x[i] * now - (k - 1) * before) / k;
                before = now;
                now = next;
            }
            x[i] -= now * (x[i] * x[i] - 1) / (n * (x[i] * now - before));
        }
    }
}

/* Sets d[i][j] to the derivative at point i of the Lagrange polynomial of point j. */
static void derivatives(int n, double d[POINTS_MAX][POINTS_MAX])
{
    double x[POINTS_MAX], scale[POINTS_MAX];
    gauss_points(n, x);
    for (int i = 0; i < n; i++) {
        scale[i] = 1;
        for (int j = 0; j < n; j++)
            scale[i] *= j != i ? x[i] - x[j] : 1;
    }
    for (int i = 0; i < n; i++) {
        d[i][i] = 0;
        for (int j = 0; j < n; j++) {
            if (j == i)
                continue;
            d[i][j] = scale[i] / scale[j] / (x[i] - x[j]);
            d[i][i] -= d[i][j];
        }
    }
}

static spmm_status_t make_grid(int dimensions, int degree, struct full *full, spmm_diag_t *diag)
{
    const int64_t n = degree + 1, points = dimensions == 2 ? n * n : n * n * n;
    double d[POINTS_MAX][POINTS_MAX];
    spmm_status_t status = SPMM_OK;
    TRY(full_make(dimensions * points, points, full, diag));
    derivatives((int)n, d);
    for (int64_t row = 0; row < full->rows; row++) {
        const int64_t point = row % points, axis = row / points, step = axis == 0 ? 1 : axis == 1 ? n : n * n;
        const int64_t at = point / step % n;
        for (int64_t j = 0; j < n; j++)
            full->values[row * points + point + (j - at) * step] = d[at][j];
    }
cleanup:
    return status;
}

/* ---- tri and tet ---- */

/* Sets index to the number-th multi-index with this sum. Returns 0 if there are fewer. */
static int multi_index(int parts, int sum, int64_t number, int *index)
{
    const int64_t base = sum + 1;
    int64_t end = 1;
    for (int i = 0; i + 1 < parts; i++)
        end *= base;
    for (int64_t code = 0; code < end; code++) {
        int64_t digits = code;
        int rest = sum;
        for (int i = 0; i + 1 < parts; i++) {
            index[i] = (int)(digits % base);
            rest -= index[i];
            digits /= base;
        }
        index[parts - 1] = rest;
        if (rest >= 0 && number-- == 0)
            return 1;
    }
    return 0;
}

static int64_t multi_index_count(int parts, int sum)
{
    int index[PARTS_MAX];
    int64_t count = 0;
    while (multi_index(parts, sum, count, index))
        count++;
    return count;
}

/* Returns the Lagrange polynomial of the inner point `index` at the point `side` of the given side, where one
 * barycentric coordinate is 0. */
static double value_on_side(int parts, int degree, const int *index, int removed, const int *side)
{
    double value = 1;
    for (int i = 0; i < parts; i++) {
        const int of = i < removed ? i : i - 1;
        const double lambda = i == removed ? 0 : (side[of] + ON_SIDES) / (degree + (parts - 1) * ON_SIDES);
        const double t = lambda * (degree + parts * INSIDE) - INSIDE;
        for (int k = 0; k < index[i]; k++)
            value *= (t - k) / (k + 1);
    }
    return value;
}

static spmm_status_t make_simplex(int dimensions, int degree, struct full *full, spmm_diag_t *diag)
{
    const int parts = dimensions + 1;
    const int64_t inner = multi_index_count(parts, degree), outer = multi_index_count(parts - 1, degree);
    int index[PARTS_MAX], side[PARTS_MAX];
    spmm_status_t status = SPMM_OK;
    TRY(full_make(parts * outer, inner, full, diag));
    for (int64_t row = 0; row < full->rows; row++) {
        (void)multi_index(parts - 1, degree, row % outer, side);
        for (int64_t j = 0; j < inner; j++) {
            (void)multi_index(parts, degree, j, index);
            full->values[row * inner + j] = value_on_side(parts, degree, index, (int)(row / outer), side);
        }
    }
cleanup:
    return status;
}

/* ---- CSR ---- */

static spmm_status_t without_zeros(const struct full *full, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    const size_t all = (size_t)(full->rows * full->cols);
    int64_t *row_ptr = calloc((size_t)full->rows + 1, sizeof *row_ptr);
    int32_t *col_ind = malloc(all * sizeof *col_ind);
    double *values = malloc(all * sizeof *values);
    spmm_status_t status = SPMM_OK;
    int64_t nnz = 0;
    if (row_ptr == NULL || col_ind == NULL || values == NULL) {
        status = fail_memory(diag, all * 12, "an operator");
        goto cleanup;
    }
    for (int64_t i = 0; i < full->rows; i++) {
        for (int64_t j = 0; j < full->cols; j++) {
            const double value = full->values[i * full->cols + j];
            if (fabs(value) < ROUNDING)
                continue;
            col_ind[nnz] = (int32_t)j;
            values[nnz++] = value;
        }
        row_ptr[i + 1] = nnz;
    }
    const spmm_csr_t view = {full->rows, full->cols, nnz,      SPMM_I64, SPMM_I32,
                             row_ptr,    col_ind,    SPMM_F64, values};
    status = spmm_matrix_from_csr(&view, matrix, diag);
cleanup:
    free(values);
    free(col_ind);
    free(row_ptr);
    return status;
}

spmm_status_t operator_matrix(const char *name, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    int degree = 0;
    const struct kind *kind = kind_of(name, &degree);
    struct full full = {0};
    spmm_status_t status = SPMM_OK;
    if (kind == NULL)
        return fail(diag, SPMM_ERR_ARGUMENT, "expected an operator, such as hex:3, with a degree of 1 to %d",
                    OPERATOR_DEGREE_MAX);
    TRY(kind->is_grid ? make_grid(kind->dimensions, degree, &full, diag)
                      : make_simplex(kind->dimensions, degree, &full, diag));
    TRY(without_zeros(&full, matrix, diag));
cleanup:
    free(full.values);
    return status;
}
