/* SPDX-License-Identifier: Apache-2.0 */
/* The toy family on the CPU: computes one element of C at a time, from the CSR of op(A) that the parts of an
 * executor share. */
#include <stdio.h>

#include "executor/backend.h"
#include "executor/cpu/cpu_operand.h"
#include "toy_shape.h"

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    return spmmi_shared_use(source, &spmmi_cpu_operand_kind, source->part->op, state, bytes, diag);
}

static void destroy(void *state)
{
    (void)state; /* owned by the executor */
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    (void)state, (void)product;
    return 0;
}

static double value(const void *values, spmm_dtype_t type, int64_t i)
{
    return type == SPMM_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Returns the sum of one element of C. As in every family, f32 products are added in float. */
static double sum_of(const struct spmmi_cpu_operand *a, const struct spmmi_product *p, int64_t row, int64_t j)
{
    const void *b = spmmi_column(&p->b, j);
    double sum = 0;
    for (int64_t q = a->row_ptr[row]; q < a->row_ptr[row + 1] && p->alpha != 0; q++) {
        const double product =
            value(a->values, a->dtype, q) * value(b, a->dtype, a->col_ind[q] * spmmi_row_step(&p->b));
        sum = a->dtype == SPMM_F64 ? sum + product : (double)((float)sum + (float)product);
    }
    return sum;
}

static spmm_status_t run(const void *state, const struct spmmi_product *p, void *workspace_, void *stream)
{
    const struct spmmi_cpu_operand *a = state;
    (void)workspace_, (void)stream;
    for (int64_t j = 0; j < p->c.cols; j++) {
        void *c = spmmi_column(&p->c, j);
        for (int64_t i = 0; i < a->rows; i++) {
            const int64_t at = i * spmmi_row_step(&p->c);
            const double old = p->beta != 0 ? p->beta * value(c, a->dtype, at) : 0;
            const double result = p->alpha * sum_of(a, p, i, j) + old;
            if (a->dtype == SPMM_F64)
                ((double *)c)[at] = result;
            else
                ((float *)c)[at] = (float)result;
        }
    }
    return SPMM_OK;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state, (void)product;
    (void)snprintf(text, size, "cpu/toy/plain");
}

static struct spmmi_part default_part(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule)
{
    (void)plan;
    return (struct spmmi_part){.op = op, .family = SPMMI_TOY, .schedule = schedule, .item_size = 1};
}

const struct spmmi_backend spmmi_toy_cpu = {.create = create,
                                            .destroy = destroy,
                                            .workspace = workspace,
                                            .run = run,
                                            .describe = describe,
                                            .default_part = default_part};
