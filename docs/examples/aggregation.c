/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: the part that runs once, on the CPU. */
#include "aggregation.h"

#include <stdio.h>
#include <string.h>

#include "device_matrix.h"

/* Loads a plan. Makes and writes it first if its file does not exist. */
static void product_of(struct aggregation *h, struct stored_product *product, const char *name,
                       const char *what, const spmm_csr_t *operands, const struct stored_factor *factors,
                       int count)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s.%s%d", name, what, h->levels);
    if (stored_product_open(product, h->device, path, operands, 2)) {
        h->loaded++;
        return;
    }
    stored_product_inspect(path, operands, factors, count);
    if (!stored_product_open(product, h->device, path, operands, 2))
        solver_fail("a plan that was just written is gone");
}

/* Prepares the products of a level whose A is on the CPU here. Returns the matrix of the next level. */
static spmm_csr_t add_products(struct aggregation *h, struct aggregation_level *l, const spmm_csr_t *a,
                               const char *name)
{
    static const struct stored_factor smooth[] = {{0, SPMM_OP_N}, {1, SPMM_OP_N}},
                                      galerkin[] = {{0, SPMM_OP_T}, {1, SPMM_OP_N}, {0, SPMM_OP_N}};
    const spmm_csr_t t = aggregation_t(a);
    product_of(h, &l->smooth, name, "smooth", (const spmm_csr_t[]){*a, t}, smooth, 2);
    const spmm_csr_t p = l->smooth.c;
    product_of(h, &l->galerkin, name, "galerkin", (const spmm_csr_t[]){p, *a}, galerkin, 3);
    l->t = device_matrix(h->device, &t);
    l->t.values = h->device->upload(t.values, (uint64_t)t.nnz * sizeof(double));
    l->p = device_matrix(h->device, &p);
    l->p.values = l->smooth.values;
    l->r = device_matrix_transposed(h->device, &p, &l->from);
    l->cycle.p = p;
    l->cycle.p.values = l->cycle.p_values = device_cpu.allocate((uint64_t)p.nnz * sizeof(double));
    device_matrix_free(&device_cpu, &t);
    device_cpu.release((void *)(uintptr_t)t.values);
    return l->galerkin.c;
}

/* Allocates the arrays of a level for its matrix a, whose values are `values` where the products run. */
static void open_level(struct aggregation *h, struct aggregation_level *l, const spmm_csr_t *a,
                       const double *values)
{
    const uint64_t bytes = (uint64_t)a->rows * sizeof(double);
    struct aggregation_cycle *c = &l->cycle;
    l->a = device_matrix(h->device, a);
    l->a.values = values;
    l->inverse = h->device->allocate(bytes);
    l->bound = h->device->allocate(sizeof *l->bound);
    c->a = *a;
    c->a.values = c->a_values = device_cpu.allocate((uint64_t)a->nnz * sizeof(double));
    c->inverse = device_cpu.allocate(bytes);
    c->x = device_cpu.allocate(bytes);
    c->b = device_cpu.allocate(bytes);
    c->r = device_cpu.allocate(bytes);
}

void aggregation_open(struct aggregation *h, const struct device *device, const char *name,
                      const spmm_csr_t *a)
{
    memset(h, 0, sizeof *h);
    h->device = device;
    h->steps = device == &device_cpu ? &setup_steps_cpu : setup_steps_cuda();
    h->values = device->allocate((uint64_t)a->nnz * sizeof *h->values);
    const double *values = h->values;
    for (spmm_csr_t next = *a;; h->levels++) {
        struct aggregation_level *l = &h->level[h->levels];
        if (next.rows % AGGREGATION_NODE != 0 || h->levels == AGGREGATION_LEVELS_MAX)
            solver_fail("the matrix has not three unknowns a node, or too many levels");
        open_level(h, l, &next, values);
        if (next.rows <= SOLVER_COLUMNS_MAX)
            break;
        next = add_products(h, l, &l->cycle.a, name);
        values = l->galerkin.values;
    }
    h->levels++;
}

static void close_cycle(const struct aggregation_cycle *c)
{
    double *const blocks[] = {c->a_values, c->p_values, c->inverse, c->x, c->b, c->r};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        device_cpu.release(blocks[i]);
}

void aggregation_close(struct aggregation *h)
{
    for (int k = 0; k < h->levels; k++) {
        struct aggregation_level *l = &h->level[k];
        void *const blocks[] = {l->inverse, l->bound, l->from, (void *)(uintptr_t)l->t.values,
                                (void *)(uintptr_t)l->r.values};
        close_cycle(&l->cycle);
        device_matrix_free(h->device, &l->a);
        device_matrix_free(h->device, &l->t);
        device_matrix_free(h->device, &l->p);
        device_matrix_free(h->device, &l->r);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            h->device->release(blocks[i]);
        if (k + 1 == h->levels)
            break;
        stored_product_close(&l->smooth);
        stored_product_close(&l->galerkin);
    }
    h->device->release(h->values);
}
