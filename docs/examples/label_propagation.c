/* SPDX-License-Identifier: Apache-2.0 */
/* Label propagation: 4 nodes of a graph have a label, and each other node gets the label that reaches it most. Entry
 * (i, j) of a symmetric matrix is an edge of weight 1; the diagonal is ignored. With S = D^-1/2 A D^-1/2 the iteration
 * F = 0.95 S F + 0.05 Y converges; Y has a column for each label. (D. Zhou and others, NIPS 16, 2004.) The labelled
 * nodes are the first, the last, and two evenly spaced between them. Prints the number of nodes with each label and,
 * if the last word is "all", every label. Ends with 1 unless F solves its equation and the labelled nodes keep their
 * labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

#define LABELS 4
#define DAMPING 0.95
#define TOLERANCE 1e-13
#define ITERATIONS_MAX 2000

/* Sets 1 / sqrt(d_i d_j) for each edge, where d is the number of edges of a node, and 0 on the diagonal. */
static double *values_make(const spmm_csr_t *a)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *column = a->col_ind;
    double *values = malloc((size_t)(a->nnz + 1) * sizeof *values);
    double *edges = calloc((size_t)a->rows, sizeof *edges);
    if (values == NULL || edges == NULL)
        solver_fail("out of memory");
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            edges[i] += column[p] != i;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            values[p] = column[p] == i ? 0 : 1 / sqrt(edges[i] * edges[column[p]]);
    free(edges);
    return values;
}

/* Returns the row of the plan that is this row of A. */
static int64_t row_of(const struct solver *s, int64_t node)
{
    for (int64_t i = 0; s->permutation != NULL && i < s->info.rows; i++)
        if (s->permutation[i] == (uint32_t)node)
            return i;
    return node;
}

static int label_of(const double *f)
{
    int best = 0;
    for (int j = 1; j < LABELS; j++)
        best = f[j] > f[best] ? j : best;
    return best;
}

/* Finds the labels in the order of A. Returns how many of the labelled nodes have kept their labels. */
static int labels_print(const struct solver *s, const double *f, const int64_t *labelled, int is_all)
{
    int64_t counts[LABELS] = {0};
    int kept = 0;
    for (int64_t i = 0; i < s->info.rows; i++)
        counts[label_of(f + i * LABELS)]++;
    for (int j = 0; j < LABELS; j++) {
        printf("label %d: %lld nodes\n", j, (long long)counts[j]);
        kept += label_of(f + labelled[j] * LABELS) == j;
    }
    for (int64_t node = 0; is_all && node < s->info.rows; node++)
        printf("node %lld: %d\n", (long long)node, label_of(f + row_of(s, node) * LABELS));
    return kept;
}

int main(int argc, char **argv)
{
    struct solver s;
    spmm_csr_t a;
    int64_t labelled[LABELS];
    double change = 1;
    int iteration = 0;
    const int is_all = argc > 2 && strcmp(argv[argc - 1], "all") == 0;
    solver_open(&s, argc - is_all, argv, 1, 1);
    const int64_t n = s.info.rows;
    struct block f = block_make(&s, n, LABELS), g = block_make(&s, n, LABELS), y = block_make(&s, n, LABELS);
    double *host = calloc((size_t)(n * LABELS), sizeof *host);
    if (spmm_plan_csr(s.plan, &a) != SPMM_OK || host == NULL)
        solver_fail("out of memory");
    double *values = values_make(&a);
    solver_set_values(&s, values);
    for (int64_t j = 0; j < LABELS; j++) {
        labelled[j] = row_of(&s, j * (n - 1) / (LABELS - 1));
        host[labelled[j] * LABELS + j] = 1;
    }
    s.device->write(y.data, host, n * LABELS);
    while (change > TOLERANCE && iteration < ITERATIONS_MAX) {
        s.device->add(1 - DAMPING, &y, 0, &g);
        solver_multiply(&s, SPMM_OP_N, DAMPING, &f, 1, &g);
        s.device->add(-1, &g, 1, &f);
        change = solver_largest_norm(&s, &f);
        printf("iteration %d: largest change %.3e\n", ++iteration, change);
        const struct block before = f;
        f = g;
        g = before;
    }
    solver_iterated(&s, iteration);
    s.device->read(host, f.data, n * LABELS);
    s.device->add(1, &f, 0, &g); /* F - 0.95 S F - 0.05 Y */
    solver_multiply(&s, SPMM_OP_N, -DAMPING, &f, 1, &g);
    s.device->add(DAMPING - 1, &y, 1, &g);
    const double residual = solver_largest_norm(&s, &g);
    const int kept = labels_print(&s, host, labelled, is_all);
    printf("residual %.3e, %d of %d labelled nodes keep their label\n", residual, kept, LABELS);
    free(values);
    free(host);
    return solver_close(&s, residual <= 10 * TOLERANCE && kept == LABELS);
}
