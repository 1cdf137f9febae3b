/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the dense family: what a dense product reads, writes and multiplies, whatever the
 * pattern. The library chooses a tile and a number of parts of k; the terms assume that it chooses
 * well among the tiles below. */
#include "dense_cost.h"

#include <math.h>

#include "format/family.h"
#include "dense_narrow_shape.h"
#include "dense_shape.h"
#include "dense_tile_shape.h"

#define REUSE 128.0   /* approximate number of products per value that a thread block has loaded */
#define FILL 128.0    /* entries of k that a wave waits for besides its own; fitted with the constants */
#define STEP 64.0     /* entries of k at a time */
#define SPLIT_MAX 64  /* maximum parts of k, whose sums are added afterwards; each has at least one step */
#define SUM_BYTES 8.0 /* bytes for storing and adding a sum */
/* Rows and columns of C that a thread block owns, and the share of the peak rate that its loop reaches. */
static const struct tile {
    double rows, columns, share;
} tiles[] = {{64, 64, 0.7}, {128, 64, 0.85}, {128, 128, 1}, {256, 128, 1}};

static double rate_of(const struct spmmi_model_query *q)
{
    const struct spmmi_device_profile *d = q->profile;
    if (spmmi_is_tf32(q->candidate->compute))
        return d->mma_tf32;
    return q->value_bytes > 4 ? d->mma_f64 : q->value_bytes < 4 ? d->mma_f16 : d->fma_f32;
}

/* Returns the number of blocks of B that are written to scratch and multiplied: 1 or 3 for f32 on tensor
 * cores; 1 for 16-bit types if k is padded with zeros, since the library's fast kernels need whole words
 * along k; 0: B is multiplied as it is. */
static double blocks_of(const struct spmmi_model_query *q)
{
    const spmm_compute_t compute = q->candidate->compute;
    if (spmmi_is_tf32(compute))
        return compute == SPMM_COMPUTE_TF32 ? 1 : SPMMI_DENSE_BLOCKS;
    return spmmi_dense_pads((int64_t)q->matrix->rows, (int64_t)q->matrix->cols, (size_t)q->value_bytes);
}

/* A tile and a number of parts of k. */
struct split {
    double multiply; /* seconds of whole waves of thread blocks and of adding the parts */
    double walk;     /* seconds of the longest walk along k */
};

static struct split split_of(const struct spmmi_model_query *q, double k, const struct tile *t, int parts)
{
    const struct spmmi_model_matrix *m = q->matrix;
    const struct spmmi_device_profile *d = q->profile;
    const double count = ceil(m->rows / t->rows) * ceil(q->n / t->columns);
    const double waves = ceil(count * parts / d->multiprocessors) * d->multiprocessors;
    const double steps = k / parts + FILL;
    const double multiply = 2 * waves * t->rows * t->columns * steps / (rate_of(q) * t->share);
    const double add = parts > 1 ? m->rows * q->n * SUM_BYTES * parts / d->copy_rate : 0;
    return (struct split){multiply + add, ceil(k / parts / STEP) * SPMMI_MODEL_STEP_CYCLES / d->clock_hz};
}

static struct split best_split(const struct spmmi_model_query *q, double k)
{
    struct split best = {(double)INFINITY, 0};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (int parts = 1; parts <= SPLIT_MAX && (parts == 1 || k >= STEP * parts); parts *= 2) {
            const struct split one = split_of(q, k, &tiles[i], parts);
            if (one.multiply + one.walk < best.multiply + best.walk)
                best = one;
        }
    return best;
}

/* Assumes that the leading dimension of C is its height. Row-major C with an odd n was not measured. */
static int copies_c(const struct spmmi_model_query *q)
{
    return q->is_col_major && spmmi_dense_copies_c((size_t)q->value_bytes, (int64_t)q->matrix->rows);
}

/* Factor by which the library reads row-major f64 more slowly if k is odd, since its loads of two values need
 * an even k. Median of six pairs of products on an H100 (123 x 32,561, 4,267 x 4,267, and matrices like them
 * with one column more; n = 128 and 512), which have factors of 1.13 to 1.69. Column-major products take the
 * same time for even and odd k. */
#define ODD_TIMES 1.36

static double odd_times(const struct spmmi_model_query *q)
{
    return q->value_bytes > 4 && !q->is_col_major && fmod(q->matrix->cols, 2) != 0 ? ODD_TIMES : 1;
}

/* Few rows of 16-bit values that are not whole words, multiplied as they are: at a quarter of the rate,
 * in parts of k that need a second kernel. Fitted to eight products of mip_nw04 (36 x 87,482) by cuBLAS
 * on an H200, n = 8 to 512. */
static const struct spmmi_model_constants unaligned = {9.7, 0.7, {1, 0, 0, 4, 0, 0, 0, 0}, 0};

static double multiply_unaligned(const struct spmmi_model_query *q)
{
    return 2 * (SPMMI_DENSE_PAD_ROWS_MIN - 1) * ceil(q->n / STEP) * STEP * q->matrix->cols / rate_of(q);
}

static int is_unaligned(const struct spmmi_model_query *q)
{
    return spmmi_dense_is_unaligned((int64_t)q->matrix->cols, (size_t)q->value_bytes) &&
           q->matrix->rows < SPMMI_DENSE_PAD_ROWS_MIN;
}

/* Constants of narrow products for f64, 16 bits and 3xtf32; no kernel follows them. Fitted to 4, 5
 * and 45 products of five layers on an H100; the root mean squares of the logarithms of the errors
 * are 0.08, 0.04 and 0.14. */
static const struct spmmi_model_constants narrow[] = {{4, 0, {0.8, 1, 0, 0, 0, 1, 0, 0}, 0},
                                                      {1, 0, {2, 1, 0, 0, 0, 1.6, 0, 0}, 0},
                                                      {3.3, 0, {1.2, 1.2, 0, 0, 0, 0.6, 0, 0}, 0}};

/* Assumes that B begins at an aligned address and that its leading dimension is its height, or n if it is
 * row-major. */
static struct spmmi_dense_narrow_shape narrow_of(const struct spmmi_model_query *q)
{
    static const struct spmmi_dense_narrow_shape none = {0};
    const struct spmmi_model_matrix *m = q->matrix;
    const double word = SPMMI_DENSE_ROW_BYTES / q->value_bytes;
    const struct spmmi_dense_narrow operands = {(uint32_t)m->rows,
                                                (uint32_t)q->value_bytes,
                                                (uint32_t)q->profile->multiprocessors,
                                                q->is_col_major != 0,
                                                (uint64_t)(ceil(m->cols / word) * word),
                                                (int64_t)q->n};
    const struct spmmi_dense_narrow_shape s = spmmi_dense_narrow(&operands);
    const double values = (double)spmmi_dense_narrow_vector(&operands, s.columns);
    const int is_aligned = s.columns > 0 && fmod(q->is_col_major ? m->cols : q->n, values) == 0;
    const int is_taken = q->value_bytes != 4 || spmmi_is_tf32(q->candidate->compute);
    const int has_kernels =
        q->profile->target == SPMMI_TARGET_ANY || q->profile->target >= SPMMI_DENSE_NARROW_TARGET;
    return has_kernels && is_taken && is_aligned ? s : none;
}

/* Adds the terms of kernels of narrow products (dense_narrow.cuh), which read all rows of B
 * for each group of rows. */
static void add_narrow(const struct spmmi_model_query *q, const struct spmmi_dense_narrow_shape *s,
                       struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double a = m->rows * m->cols, b = m->cols * q->n, c = m->rows * q->n;
    const double blocks = (double)s->groups * s->tiles * s->shares;
    const double steps = ceil(m->cols * q->value_bytes / SPMMI_DENSE_NARROW_STEP_BYTES);
    const double walk = ceil(steps / (s->shares * SPMMI_DENSE_NARROW_WARPS));
    p->own = q->value_bytes > 4 ? &narrow[0] : q->value_bytes < 4 ? &narrow[1] : &narrow[2];
    p->term[SPMMI_TERM_DRAM] = (a + b + c) * q->value_bytes / d->copy_rate;
    p->term[SPMMI_TERM_L2] = (a * s->tiles + b * s->groups + c) * q->value_bytes /
                             spmmi_profile_table_at(&d->gather, 64, 0.5 * d->l2_bytes);
    p->term[SPMMI_TERM_WAVES] =
        fmax(blocks / (2.0 * d->multiprocessors), 1) * walk * SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
}

/* Microseconds of making B's other form before the product, in addition to its bytes: 3.2 to 3.6 in Nsight
 * Compute, 4 in products (a9a, n = 128, H100). */
#define TILE_FORM_US 4

/* The time of warpgroups is fitted where their work is divided (dense_tile_shape.h), without the launch of an
 * empty kernel, which is 1.7 us shorter than the launch time of a profile (docs/decisions/0102). */
static const struct spmmi_model_constants tile_constants = {-1.7, TILE_FORM_US, {0, 0, 0, 0, 0, 1, 0, 1}, 0};

/* Returns true if B is multiplied in another form: if it is column-major and its
 * columns are not whole words. */
static int has_form(const struct spmmi_model_query *q)
{
    return q->is_col_major && blocks_of(q) > 0;
}

/* Makes the same assumptions on alignment as narrow_of. */
static struct spmmi_dense_tile_shape tile_of(const struct spmmi_model_query *q)
{
    static const struct spmmi_dense_tile_shape none = {0};
    const struct spmmi_model_matrix *m = q->matrix;
    const int is_swapped = q->is_col_major != 0;
    const struct spmmi_dense_tile operands = {.multiprocessors = (uint32_t)q->profile->multiprocessors,
                                              .is_columns = is_swapped,
                                              .is_swapped = is_swapped,
                                              .copies_c = copies_c(q),
                                              .rows = (int64_t)(is_swapped ? q->n : m->rows),
                                              .columns = (int64_t)(is_swapped ? m->rows : q->n),
                                              .k = (int64_t)m->cols};
    const double word = SPMMI_DENSE_ROW_BYTES / q->value_bytes;
    const int is_aligned = fmod(is_swapped ? m->cols : q->n, word) == 0;
    const int has_kernels =
        q->profile->target == SPMMI_TARGET_ANY || q->profile->target == SPMMI_DENSE_TILE_TARGET;
    return has_kernels && (is_aligned || has_form(q)) && q->value_bytes == 2 ? spmmi_dense_tile(&operands)
                                                                             : none;
}

/* Makes no prediction for CPUs, so that the family is never chosen there unless it is forced. */
int spmmi_dense_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double blocks = blocks_of(q), k = m->cols * fmax(blocks, 1);
    const struct spmmi_dense_narrow_shape narrow_shape = narrow_of(q);
    if (d->target == SPMMI_TARGET_CPU)
        return 0;
    if (narrow_shape.columns > 0) {
        add_narrow(q, &narrow_shape, p);
        return 1;
    }
    const struct spmmi_dense_tile_shape tile_shape = tile_of(q);
    if (tile_shape.columns > 0) {
        p->own = &tile_constants;
        p->term[SPMMI_TERM_WAVES] = 1e-9 * tile_shape.ns;
        p->launches = has_form(q);
        p->term[SPMMI_TERM_CONVERT] = p->launches * 2 * m->cols * q->n * q->value_bytes / d->copy_rate;
        return 1;
    }
    p->own = is_unaligned(q) ? &unaligned : NULL;
    p->term[SPMMI_TERM_DRAM] = (m->rows * k + (k + m->rows) * q->n) * q->value_bytes / d->copy_rate;
    p->term[SPMMI_TERM_L2] = odd_times(q) * 2 * m->rows * k * q->n / REUSE * q->value_bytes /
                             spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    const struct split split = best_split(q, k);
    p->term[SPMMI_TERM_ALU] = p->own != NULL ? multiply_unaligned(q) : odd_times(q) * split.multiply;
    p->term[SPMMI_TERM_LONGEST] = split.walk;
    p->launches = 1; /* the kernel that follows the product */
    if (blocks > 0) {
        p->term[SPMMI_TERM_CONVERT] = (1 + blocks) * m->cols * q->n * q->value_bytes / d->copy_rate;
        p->launches += 1;
    }
    if (copies_c(q)) {
        p->term[SPMMI_TERM_CONVERT] += 2 * m->rows * q->n * q->value_bytes / d->copy_rate;
        p->launches += 1;
    }
    return 1;
}
