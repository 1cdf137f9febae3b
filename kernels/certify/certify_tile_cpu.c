/* SPDX-License-Identifier: Apache-2.0 */
/* See certify_tile_cpu.h. */
#include "certify_tile_cpu.h"

#include <string.h>

#include "kernels/shared/half_cpu.h"

void spmmi_certify_widen(spmm_dtype_t dtype, const void *from, int64_t step, int64_t count, double *to)
{
    switch (dtype) {
    case SPMM_F32:
        for (int64_t l = 0; l < count; l++)
            to[l] = (double)((const float *)from)[l * step];
        break;
    case SPMM_F64:
        for (int64_t l = 0; l < count; l++)
            to[l] = ((const double *)from)[l * step];
        break;
    case SPMM_F16:
        for (int64_t l = 0; l < count; l++)
            to[l] = (double)half_from_f16(((const uint16_t *)from)[l * step]);
        break;
    default:
        for (int64_t l = 0; l < count; l++)
            to[l] = (double)half_from_bf16(((const uint16_t *)from)[l * step]);
    }
}

static const void *element(const spmm_dense_t *d, int64_t i, int64_t l)
{
    const int64_t at = i * spmmi_row_step(d) + l * spmmi_column_step(d);
    return (const char *)d->data + at * (int64_t)spmm_dtype_size(d->type);
}

/* Loads rows and columns of d into the tile, along the lines of d in memory. */
static void fill(struct spmmi_certify_tile *tile, const spmm_dense_t *d, int64_t row, int64_t rows,
                 int64_t column, int64_t columns)
{
    double line[SPMMI_CERTIFY_TILE_ROWS];
    if (d->layout == SPMM_ROW_MAJOR) {
        for (int64_t i = 0; i < rows; i++)
            spmmi_certify_widen(d->type, element(d, row + i, column), 1, columns, tile->values[i]);
        return;
    }
    for (int64_t l = 0; l < columns; l++) {
        spmmi_certify_widen(d->type, element(d, row, column + l), 1, rows, line);
        for (int64_t i = 0; i < rows; i++)
            tile->values[i][l] = line[i];
    }
}

static void signs_make(double *signs, uint64_t seed, int64_t column, int64_t columns, int lanes)
{
    for (int64_t l = 0; l < columns; l++) {
        const uint64_t bits = spmmi_certify_signs(seed, column + l);
        for (int v = 0; v < lanes; v++)
            signs[l * lanes + v] = (bits >> v & 1) != 0 ? -1 : 1;
    }
}

/* Adds values to the sum and the maximum of the magnitudes in `sizes`. The maximum is infinite if a value is
 * not finite. Returns the maximum of these values alone. */
static double measure(const double *values, int64_t count, double sizes[2])
{
    double sum = 0, most = 0, not_finite = 0;
    for (int64_t l = 0; l < count; l++) {
        const double size = fabs(values[l]);
        sum += size;
        most = size > most ? size : most;
        not_finite += size - size; /* NaN for infinity and NaN */
    }
    sizes[0] += sum;
    most = not_finite == 0 ? most : (double)INFINITY;
    sizes[1] = most > sizes[1] ? most : sizes[1];
    return most;
}

/* Splits each value into two that add up to it: a multiple of a power of two, such that `count` of these
 * multiples add up exactly with any signs, and a rest. */
static void split(double *values, double *rests, int64_t count, double largest)
{
    int exponent = 0;
    (void)frexp(largest * 2 * (double)count, &exponent);
    const double unit = ldexp(1, exponent);
    for (int64_t l = 0; l < count; l++) {
        const double high = (values[l] + unit) - unit;
        rests[l] = values[l] - high;
        values[l] = high;
    }
}

/* Adds row i of the tile to a record. High parts of f64 values are added without roundings, their rests with
 * few. */
static void project_row(const struct spmmi_certify_level *level, struct spmmi_certify_tile *tile, int64_t i,
                        int64_t columns, const struct spmmi_certify_projection *to, int64_t row)
{
    double *const record = spmmi_certify_record(to, row);
    double high[SPMMI_CERTIFY_LANES_MAX] = {0};
    const double largest = measure(tile->values[i], columns, spmmi_certify_sizes(to, row));
    if (!to->has_rest) {
        level->project(tile->values[i], columns, tile->signs, to->lanes, record);
        return;
    }
    split(tile->values[i], tile->rests, columns, largest);
    level->project(tile->values[i], columns, tile->signs, to->lanes, high);
    level->project(tile->rests, columns, tile->signs, to->lanes, record + to->lanes);
    for (int v = 0; v < to->lanes; v++) {
        struct spmmi_certify_sum sum = {record[v], record[to->lanes + v]};
        spmmi_certify_add(&sum, high[v]);
        record[v] = sum.sum;
        record[to->lanes + v] = sum.rest;
    }
}

void spmmi_certify_project(const struct spmmi_certify_level *level, const spmm_dense_t *d, int64_t first,
                           int64_t count, uint64_t seed, struct spmmi_certify_tile *tile,
                           const struct spmmi_certify_projection *to, int64_t at)
{
    memset(spmmi_certify_record(to, at), 0, (size_t)(count * spmmi_certify_stride(to)) * sizeof(double));
    for (int64_t column = 0; column < d->cols; column += SPMMI_CERTIFY_TILE_COLUMNS) {
        const int64_t left = d->cols - column;
        const int64_t columns = left < SPMMI_CERTIFY_TILE_COLUMNS ? left : SPMMI_CERTIFY_TILE_COLUMNS;
        fill(tile, d, first, count, column, columns);
        signs_make(tile->signs, seed, column, columns, to->lanes);
        for (int64_t i = 0; i < count; i++)
            project_row(level, tile, i, columns, to, at + i);
    }
}
