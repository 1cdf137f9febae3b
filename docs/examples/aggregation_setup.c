/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: a set-up by plans, and the same products in one shot. */
#include <math.h>
#include <stdlib.h>

#include "aggregation.h"

static void require_step(int is_started)
{
    if (!is_started)
        solver_fail("a step of the set-up could not be started");
}

void aggregation_set_up(struct aggregation *h)
{
    for (int k = 0; k + 1 < h->levels; k++) {
        struct aggregation_level *l = &h->level[k];
        double *const p = l->smooth.values;
        require_step(h->steps->diagonal(&l->a, l->inverse, l->bound));
        stored_product_run(&l->smooth, (const double *const[]){l->a.values, l->t.values}, NULL);
        require_step(h->steps->smooth(&l->p, l->t.col_ind, l->inverse, l->bound, p));
        stored_product_run(&l->galerkin, (const double *const[]){p, l->a.values}, NULL);
    }
}

static double *read_values(const struct device *device, const double *values, int64_t count)
{
    double *host = malloc((size_t)count * sizeof *host + 1);
    if (host == NULL)
        solver_fail("out of memory");
    device->read(host, values, count);
    return host;
}

/* Returns the largest difference of these count values, divided by the largest of the first ones. */
static double compare(const struct device *device, const double *first, const double *second, int64_t count)
{
    double *const right = read_values(device, first, count), *const found =
                                                                 read_values(device, second, count);
    double difference = 0, largest = 0;
    for (int64_t q = 0; q < count; q++) {
        const double error = fabs(found[q] - right[q]);
        difference = error <= difference ? difference : error; /* NaN too */
        largest = fmax(largest, fabs(right[q]));
    }
    free(right);
    free(found);
    return difference / largest;
}

double aggregation_once(const struct aggregation *h, int level, double *seconds)
{
    const struct aggregation_level *l = &h->level[level];
    h->device->wait();
    const double start = solver_seconds();
    spmm_csr_t smooth = stored_product_once(h->device, &l->a, &l->t);
    spmm_csr_t ap = stored_product_once(h->device, &l->a, &l->p);
    require_step(h->steps->gather(l->p.values, l->from, (void *)(uintptr_t)l->r.values, l->r.nnz));
    spmm_csr_t c = stored_product_once(h->device, &l->r, &ap);
    h->device->wait();
    *seconds += solver_seconds() - start;
    const double difference =
        c.nnz == l->galerkin.c.nnz ? compare(h->device, l->galerkin.values, c.values, c.nnz) : INFINITY;
    stored_product_once_free(&smooth);
    stored_product_once_free(&ap);
    stored_product_once_free(&c);
    return difference;
}
