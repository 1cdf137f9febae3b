/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h. */
#include "aggregation.h"

#include <stdio.h>
#include <string.h>

#include "solver.h"

/* A node all of whose neighbours are free makes an aggregate with them; what is left joins one that is beside it.
 * Returns the columns of T. */
static int64_t aggregate(const spmm_csr_t *a, int32_t *column)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    int32_t count = 0;
    memset(column, -1, (size_t)a->rows * sizeof *column);
    for (int64_t turn = 0; turn < 2 * a->rows; turn += AGGREGATION_NODE) {
        const int64_t i = turn % a->rows, first = row_ptr[i], end = row_ptr[i + AGGREGATION_NODE];
        int32_t beside = -1;
        for (int64_t p = first; p < end; p++)
            beside = column[col_ind[p]] >= 0 ? column[col_ind[p]] / AGGREGATION_NODE : beside;
        if (column[i] >= 0 || (beside >= 0 && turn < a->rows))
            continue;
        const int32_t own = beside >= 0 ? beside : count++;
        for (int64_t p = first; p < end; p++) {
            const int64_t node = col_ind[p] / AGGREGATION_NODE * AGGREGATION_NODE;
            for (int u = 0; u < AGGREGATION_NODE && (beside < 0 || node == i); u++)
                column[node + u] = own * AGGREGATION_NODE + u;
        }
    }
    return (int64_t)count * AGGREGATION_NODE;
}

/* Loads a plan, after it was made if there is none. */
static void product_of(struct aggregation *h, struct stored_product *product, const char *name,
                       const char *what, const spmm_csr_t *operands, const struct stored_factor *factors,
                       int count)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s.%s%d", name, what, h->levels);
    if (stored_product_open(product, path, operands, 2)) {
        h->loaded++;
        return;
    }
    stored_product_inspect(path, operands, factors, count);
    if (!stored_product_open(product, path, operands, 2))
        solver_fail("a plan that was just written is gone");
}

/* The products of a level; returns the matrix of the next. */
static spmm_csr_t add_products(struct aggregation *h, struct aggregation_level *l, const char *name)
{
    static const struct stored_factor smooth[] = {{0, SPMM_OP_N}, {1, SPMM_OP_N}},
                                      galerkin[] = {{0, SPMM_OP_T}, {1, SPMM_OP_N}, {0, SPMM_OP_N}};
    const size_t rows = (size_t)l->a.rows;
    l->row_ptr = (void *)device_cpu.allocate((rows + 1) * sizeof *l->row_ptr);
    l->column = (void *)device_cpu.allocate(rows * sizeof *l->column);
    l->ones = device_cpu.allocate(rows * sizeof *l->ones);
    for (size_t i = 0; i < rows; i++) {
        l->row_ptr[i + 1] = (int64_t)i + 1;
        l->ones[i] = 1;
    }
    l->t = (spmm_csr_t){l->a.rows, aggregate(&l->a, l->column),
                        l->a.rows, SPMM_I64,
                        SPMM_I32,  l->row_ptr,
                        l->column, SPMM_F64,
                        l->ones};
    product_of(h, &l->smooth, name, "smooth", (const spmm_csr_t[]){l->a, l->t}, smooth, 2);
    l->p = l->smooth.c;
    product_of(h, &l->galerkin, name, "galerkin", (const spmm_csr_t[]){l->p, l->a}, galerkin, 3);
    return l->galerkin.c;
}

void aggregation_open(struct aggregation *h, const char *name, const spmm_csr_t *a)
{
    memset(h, 0, sizeof *h);
    for (spmm_csr_t next = *a;; h->levels++) {
        struct aggregation_level *l = &h->level[h->levels];
        const size_t bytes = (size_t)next.rows * sizeof(double);
        if (next.rows % AGGREGATION_NODE != 0 || h->levels == AGGREGATION_LEVELS_MAX)
            solver_fail("the matrix has not three unknowns a node, or too many levels");
        l->a = next;
        l->inverse = device_cpu.allocate(bytes);
        l->x = device_cpu.allocate(bytes);
        l->b = device_cpu.allocate(bytes);
        l->r = device_cpu.allocate(bytes);
        if (next.rows <= SOLVER_COLUMNS_MAX)
            break;
        next = add_products(h, l, name);
    }
    h->levels++;
}

void aggregation_close(struct aggregation *h)
{
    for (int k = 0; k < h->levels; k++) {
        struct aggregation_level *l = &h->level[k];
        double *const blocks[] = {l->inverse,       l->x, l->b, l->r, l->ones, (void *)l->row_ptr,
                                  (void *)l->column};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            device_cpu.release(blocks[i]);
        if (k + 1 == h->levels)
            break;
        stored_product_close(&l->smooth);
        stored_product_close(&l->galerkin);
    }
}
