/* SPDX-License-Identifier: Apache-2.0 */
/* Linear elasticity of a block of nx x ny x nz unit cubes: trilinear hexahedra, Young's modulus 1, Poisson's
 * ratio 0.3. The face x = 0 is clamped and its nodes are left out, so the matrix is symmetric positive
 * definite. Unknown 3 node + u is the displacement of a node in direction u. The pattern is the pattern of
 * gen:fem3:nx:(ny + 1):(nz + 1) without the entries that are zero here.
 *
 * On a regular grid, the integral of a product of derivatives of two shape functions over all cubes is a
 * product of three integrals over lines. Each value is therefore computed from its position alone, as an
 * integer and one division.
 *
 *     K(a i, b j) = lambda S_ij + mu S_ji + mu (S_11 + S_22 + S_33) [i = j],  S_ij = integral of d_i N_a d_j N_b
 *
 * lambda = 15/26 and mu = 10/26 for this material. */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "generate.h"

#define PARALLEL_ROWS_MIN 4096 /* below this many rows one thread is faster */

/* A line of `count` nodes. Its first node is an end of the body unless the line is clamped. */
struct line {
    int64_t count;
    int is_clamped; /* a clamped node precedes the first node */
};

/* Integrals of the hat functions N_a and N_b of two nodes with |a - b| <= 1 over a line of cells of length
 * 1. */
struct line_integrals {
    int mass;       /* 6 times the integral of N_a N_b */
    int stiffness;  /* integral of N_a' N_b' */
    int derivative; /* twice the integral of N_a' N_b; N_a N_b' gives the negative unless a = b */
};

static struct line_integrals integrals_of(const struct line *line, int64_t a, int64_t b)
{
    if (a != b)
        return (struct line_integrals){1, -1, a > b ? 1 : -1};
    const int is_first = a == 0 && !line->is_clamped, is_last = a == line->count - 1;
    const int cells = 2 - is_first - is_last;
    return (struct line_integrals){2 * cells, cells, is_last - is_first};
}

/* Returns 72 S_ij, computed from the integrals of the three lines. */
static int product_of(const struct line_integrals at[3], int is_diagonal_node[3], int i, int j)
{
    int value = i == j ? 2 : 3;
    for (int k = 0; k < 3; k++) {
        const int is_of_j = k == j && i != j; /* the factor is N_a N_b' */
        const int derivative = is_of_j && !is_diagonal_node[k] ? -at[k].derivative : at[k].derivative;
        value *= i == j && k == i ? at[k].stiffness : k == i || k == j ? derivative : at[k].mass;
    }
    return value;
}

static double value_of(const struct line lines[3], int64_t row, int64_t column)
{
    const int i = (int)(row % 3), j = (int)(column % 3);
    struct line_integrals at[3];
    int is_diagonal_node[3];
    int64_t a = row / 3, b = column / 3;
    for (int k = 0; k < 3; a /= lines[k].count, b /= lines[k].count, k++) {
        is_diagonal_node[k] = a % lines[k].count == b % lines[k].count;
        at[k] = integrals_of(&lines[k], a % lines[k].count, b % lines[k].count);
    }
    int sum = 3 * product_of(at, is_diagonal_node, i, j) + 2 * product_of(at, is_diagonal_node, j, i);
    for (int k = 0; i == j && k < 3; k++)
        sum += 2 * product_of(at, is_diagonal_node, k, k);
    return 5.0 * sum / (26.0 * 72.0);
}

/* Removes stored zeros: neighbours across a face are not coupled in some directions, and symmetry makes some
 * other entries zero. */
static void zeros_drop(spmm_matrix_t *matrix)
{
    int64_t kept = 0;
    for (int64_t i = 0, p = 0; i < matrix->rows; i++) {
        for (; p < matrix->row_ptr[i + 1]; p++) {
            matrix->col_ind[kept] = matrix->col_ind[p];
            matrix->values[kept] = matrix->values[p];
            kept += matrix->values[p] != 0;
        }
        matrix->row_ptr[i + 1] = kept;
    }
    matrix->nnz = kept;
}

spmm_status_t spmmi_generate_elasticity(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct line lines[3] = {{args[0], 1}, {args[1] + 1, 0}, {args[2] + 1, 0}};
    const int64_t nodes[3] = {lines[0].count, lines[1].count, lines[2].count};
    SPMM_TRY(spmmi_generate_fem3(nodes, matrix, diag));
    SPMM_TRY_ALLOC(matrix->values = spmmi_alloc((uint64_t)matrix->nnz, sizeof *matrix->values), diag);
#pragma omp parallel for num_threads(spmmi_team(matrix->rows > PARALLEL_ROWS_MIN ? 0 : 1)) schedule(static)
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = matrix->row_ptr[i]; p < matrix->row_ptr[i + 1]; p++)
            matrix->values[p] = value_of(lines, i, matrix->col_ind[p]);
    zeros_drop(matrix);
cleanup:
    return status;
}
