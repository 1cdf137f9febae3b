/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank for 64 seeds at once. Entry (i, j) of the matrix is a link from page j to page i; its value is
 * ignored. With P = A D^-1, where D counts the links of each page, x = 0.85 P x + 0.15 v is iterated for v = each
 * seed. A page without links sends its visitors back to the seed, so the result is this x divided by its sum. Ends
 * with 1 unless two of the results agree with a plain power iteration on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "solver.h"

#define SEEDS 64
#define DAMPING 0.85
#define TOLERANCE 1e-14
#define ITERATIONS_MAX 300

/* Sets 1 / (number of links of the page) for each entry. */
static double *values_make(const spmm_csr_t *a)
{
    double *values = malloc((size_t)(a->nnz + 1) * sizeof *values);
    int64_t *links = calloc((size_t)a->cols, sizeof *links);
    const int32_t *column = a->col_ind;
    if (values == NULL || links == NULL)
        solver_fail("out of memory");
    for (int64_t p = 0; p < a->nnz; p++)
        links[column[p]]++;
    for (int64_t p = 0; p < a->nnz; p++)
        values[p] = 1 / (double)links[column[p]];
    free(links);
    return values;
}

/* Returns the largest difference between x and the stationary distribution of the Markov chain, computed by
 * definition. */
static double difference(const spmm_csr_t *a, const double *values, int64_t seed, const double *x)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *column = a->col_ind;
    double *v = calloc((size_t)a->rows, sizeof *v), *w = calloc((size_t)a->rows, sizeof *w), largest = 0;
    if (v == NULL || w == NULL)
        solver_fail("out of memory");
    v[seed] = 1;
    for (int turn = 0; turn < ITERATIONS_MAX; turn++) {
        double kept = 0;
        for (int64_t i = 0; i < a->rows; i++) {
            w[i] = 0;
            for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
                w[i] += DAMPING * values[p] * v[column[p]];
            kept += w[i];
        }
        w[seed] += 1 - kept; /* visitors who jumped, and who found no link */
        double *before = v;
        v = w;
        w = before;
    }
    for (int64_t i = 0; i < a->rows; i++)
        largest = fmax(largest, fabs(v[i] - x[i * SEEDS]));
    free(v);
    free(w);
    return largest;
}

/* Divides each column by its sum. */
static void normalise(double *x, int64_t rows)
{
    for (int j = 0; j < SEEDS; j++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++)
            sum += x[i * SEEDS + j];
        for (int64_t i = 0; i < rows; i++)
            x[i * SEEDS + j] /= sum;
    }
}

int main(int argc, char **argv)
{
    struct solver s;
    spmm_csr_t a;
    double change = 1;
    int iteration = 0;
    solver_open(&s, argc, argv, 1, 1);
    const int64_t n = s.info.rows;
    struct block x = block_make(&s, n, SEEDS), y = block_make(&s, n, SEEDS), v = block_make(&s, n, SEEDS);
    double *host = calloc((size_t)(n * SEEDS), sizeof *host);
    if (spmm_plan_csr(s.plan, &a) != SPMM_OK || host == NULL)
        solver_fail("out of memory");
    double *values = values_make(&a);
    solver_set_values(&s, values);
    for (int64_t j = 0; j < SEEDS; j++)
        host[(j * n / SEEDS) * SEEDS + j] = 1;
    s.device->write(v.data, host, n * SEEDS);
    s.device->add(1, &v, 0, &x);
    while (change > TOLERANCE && iteration < ITERATIONS_MAX) {
        s.device->add(1 - DAMPING, &v, 0, &y);
        solver_multiply(&s, SPMM_OP_N, DAMPING, &x, 1, &y);
        s.device->add(-1, &y, 1, &x);
        change = solver_largest_norm(&s, &x);
        printf("iteration %d: largest change %.3e\n", ++iteration, change);
        const struct block before = x;
        x = y;
        y = before;
    }
    solver_iterated(&s, iteration);
    s.device->read(host, x.data, n * SEEDS);
    normalise(host, n);
    const int64_t last = SEEDS - 1;
    const double wrong =
        fmax(difference(&a, values, 0, host), difference(&a, values, last * n / SEEDS, host + last));
    printf("largest difference to a plain power iteration %.3e\n", wrong);
    free(values);
    free(host);
    return solver_close(&s, wrong <= 1e-12);
}
