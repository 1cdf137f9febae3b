/* SPDX-License-Identifier: Apache-2.0 */
/* R-MAT graphs: each edge selects a quadrant of the matrix at every level; node indices are shuffled.
 *
 * Edges are generated in random order. Storing them directly in their rows would cost two cache misses per
 * edge, nearly all of the time. They are therefore sorted by row in radix passes. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "generate.h"
#include "format/matrix/sorted_columns.h"

enum { SEED_NODES = 23, SEED_EDGES = 24 };

/* Cumulative probabilities of the four quadrants, 0.57, 0.19, 0.19 and 0.05, in units of 2^-16. */
#define CHANCE_A 37355u
#define CHANCE_AB 49807u
#define CHANCE_ABC 62259u

#define RADIX_BITS 10
#define RADIX_BINS (1u << RADIX_BITS)

/* Returns edge `number`: the row in the upper 32 bits, the column in the lower 32 bits. */
static uint64_t make_edge(int64_t scale, const int32_t *node, int64_t number)
{
    struct spmmi_random r = spmmi_random_stream(SEED_EDGES, (uint64_t)number);
    uint32_t row = 0;
    uint32_t col = 0;
    uint64_t bits = 0;
    for (int64_t level = 0; level < scale; level++, bits >>= 16) {
        if (level % 4 == 0)
            bits = spmmi_random_next(&r);
        const uint32_t draw = (uint32_t)(bits & 0xffff);
        const uint32_t down = draw >= CHANCE_AB;
        const uint32_t right = (draw >= CHANCE_A && !down) || draw >= CHANCE_ABC;
        row = row * 2 + down;
        col = col * 2 + right;
    }
    return (uint64_t)node[row] << 32 | (uint64_t)node[col];
}

static void make_edges(int64_t scale, const int32_t *node, int64_t count, uint64_t *edges)
{
#pragma omp parallel for num_threads(spmmi_team(count > 100000 ? 0 : 1)) schedule(static)
    for (int64_t e = 0; e < count; e++)
        edges[e] = make_edge(scale, node, e);
}

/* Sorts stably by the RADIX_BITS bits from `shift`. */
static void radix_pass(int64_t count, int shift, const uint64_t *from, uint64_t *to)
{
    int64_t next[RADIX_BINS] = {0};
    for (int64_t e = 0; e < count; e++)
        next[(from[e] >> shift) & (RADIX_BINS - 1)]++;
    int64_t sum = 0;
    for (uint32_t bin = 0; bin < RADIX_BINS; bin++) {
        const int64_t in_bin = next[bin];
        next[bin] = sum;
        sum += in_bin;
    }
    for (int64_t e = 0; e < count; e++)
        to[next[(from[e] >> shift) & (RADIX_BINS - 1)]++] = from[e];
}

/* Sets the row pointers of edges that are sorted by row. Repeated edges are counted. */
static void count_rows(int64_t rows, int64_t count, const uint64_t *edges, int64_t *row_ptr)
{
    int64_t e = 0;
    for (int64_t i = 0; i < rows; i++) {
        row_ptr[i] = e;
        while (e < count && edges[e] >> 32 == (uint64_t)i)
            e++;
    }
    row_ptr[rows] = e;
}

/* Sorts each row, removes repeated edges, and closes the gaps between rows. */
static void sort_and_compact(spmm_matrix_t *matrix, int64_t *length)
{
    int64_t *row_ptr = matrix->row_ptr;
    int32_t *col_ind = matrix->col_ind;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(dynamic, 1024)
    for (int64_t i = 0; i < matrix->rows; i++)
        length[i] = spmmi_sort_unique(col_ind + row_ptr[i], row_ptr[i + 1] - row_ptr[i]);
    int64_t kept = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        memmove(col_ind + kept, col_ind + row_ptr[i], (size_t)length[i] * sizeof *col_ind);
        row_ptr[i] = kept;
        kept += length[i];
    }
    row_ptr[matrix->rows] = kept;
    matrix->nnz = kept;
}

spmm_status_t spmmi_generate_rmat(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int32_t *node = NULL;
    int64_t *length = NULL;
    uint64_t *edges = NULL;
    uint64_t *spare = NULL;
    const int64_t rows = INT64_C(1) << args[0];
    const int64_t count = rows * args[1];

    SPMM_TRY(spmmi_generate_check_size(rows, rows, count, diag));
    matrix->rows = rows;
    matrix->cols = rows;
    matrix->row_ptr = spmmi_alloc((uint64_t)rows + 1, sizeof *matrix->row_ptr);
    SPMM_TRY_ALLOC(matrix->row_ptr, diag);
    node = spmmi_random_permutation(rows, SEED_NODES);
    SPMM_TRY_ALLOC(node, diag);
    edges = spmmi_alloc((uint64_t)count, sizeof *edges);
    SPMM_TRY_ALLOC(edges, diag);
    spare = spmmi_alloc((uint64_t)count, sizeof *spare);
    SPMM_TRY_ALLOC(spare, diag);

    make_edges(args[0], node, count, edges);
    for (int bit = 0; bit < (int)args[0]; bit += RADIX_BITS) {
        radix_pass(count, 32 + bit, edges, spare);
        uint64_t *const sorted = spare;
        spare = edges;
        edges = sorted;
    }
    spmmi_free(spare);
    spare = NULL;

    matrix->col_ind = spmmi_alloc((uint64_t)count, sizeof *matrix->col_ind);
    SPMM_TRY_ALLOC(matrix->col_ind, diag);
    length = spmmi_alloc((uint64_t)rows, sizeof *length);
    SPMM_TRY_ALLOC(length, diag);
    count_rows(rows, count, edges, matrix->row_ptr);
    for (int64_t e = 0; e < count; e++)
        matrix->col_ind[e] = (int32_t)(edges[e] & UINT32_MAX);
    sort_and_compact(matrix, length);
cleanup:
    spmmi_free(length);
    spmmi_free(spare);
    spmmi_free(edges);
    spmmi_free(node);
    return status;
}
