/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the dense family: what a dense product reads, writes and multiplies, whatever the pattern. The library picks
 * a tile and a number of parts of k; the terms assume that it picks well among the tiles below. */
#include "dense_cost.h"

#include <math.h>

#define REUSE 128.0   /* products of a value that a thread block has loaded, about */
#define STEP 64.0     /* entries of k at a time */
#define SPLIT_MAX 16  /* parts of k whose sums are added afterwards; each has a step at least */
#define SUM_BYTES 8.0 /* of a sum that is stored and added */
#define WORD 8        /* 16-bit values of 16 bytes */

/* Rows and columns of C that a thread block owns, and the share of the rate that its loop reaches. */
static const struct tile {
    double rows, columns, share;
} tiles[] = {{64, 64, 0.7}, {128, 64, 0.85}, {128, 128, 1}, {256, 128, 1}};

static double rate_of(const struct spmmi_model_query *q)
{
    const struct spmmi_device_profile *d = q->profile;
    return q->value_bytes > 4 ? d->mma_f64 : q->value_bytes < 4 ? d->mma_f16 : d->fma_f32;
}

/* Seconds with this tile and k in so many parts, over whole waves of thread blocks. */
static double tile_seconds(const struct spmmi_model_query *q, const struct tile *t, int split)
{
    const struct spmmi_model_matrix *m = q->matrix;
    const double count = ceil(m->rows / t->rows) * ceil(q->n / t->columns);
    const double waves = ceil(count * split / q->profile->multiprocessors) * q->profile->multiprocessors;
    const double multiply = 2 * waves / split * t->rows * t->columns * m->cols / (rate_of(q) * t->share);
    return multiply + (split > 1 ? m->rows * q->n * SUM_BYTES * split / q->profile->copy_rate : 0);
}

static double multiply_seconds(const struct spmmi_model_query *q)
{
    double best = (double)INFINITY;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (int split = 1; split <= SPLIT_MAX && (split == 1 || q->matrix->cols >= STEP * split); split *= 2)
            best = fmin(best, tile_seconds(q, &tiles[i], split));
    return best;
}

/* The library's fast kernels of 16 bits need whole words along k. The others reach a ninth of the rate: 64 to 71
 * TFLOP/s on an H200 (ogbl-ddi, k = 4267, n = 128 and 512; a9a, k = 123, n = 512). */
static int has_fast_kernels(const struct spmmi_model_query *q)
{
    return q->value_bytes != 2 || (int64_t)q->matrix->cols % WORD == 0;
}

/* No prediction, and so no free choice, where the library is slow. */
int spmmi_dense_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    if (d->target == SPMMI_TARGET_CPU || !has_fast_kernels(q))
        return 0;
    p->term[SPMMI_TERM_DRAM] =
        (m->rows * m->cols + (m->cols + m->rows) * q->n) * q->value_bytes / d->copy_rate;
    p->term[SPMMI_TERM_L2] = 2 * m->rows * m->cols * q->n / REUSE * q->value_bytes /
                             spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    p->term[SPMMI_TERM_ALU] = multiply_seconds(q);
    p->term[SPMMI_TERM_LONGEST] = ceil(m->cols / STEP) * SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
    p->launches = 1; /* the kernel behind the product */
    return 1;
}
