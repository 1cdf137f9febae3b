/* SPDX-License-Identifier: Apache-2.0 */
/* What is multiplied, for every family and device alike: C = alpha * op(A) * B + beta * C. */
#ifndef SPMMI_PRODUCT_H
#define SPMMI_PRODUCT_H

#include <spmm/common.h>

/* op(A) has as many rows as C and as many columns as B has rows; n, the columns of B and C, is b.cols. */
struct spmmi_product {
    spmm_op_t op;
    spmm_dtype_t a_type; /* values of A; B and C say their own */
    int a_is_uniform;    /* each value of A is a_value: they need not be read */
    double a_value;
    spmm_compute_t compute; /* compute type; sums are double for f64, else float */
    double alpha, beta;
    spmm_dense_t b, c; /* b.data may be NULL where alpha is 0, both where only sizes are asked for */
};

/* Elements from a row, or a column, to the next. */
static inline int64_t spmmi_row_step(const spmm_dense_t *d)
{
    return d->layout == SPMM_ROW_MAJOR ? d->ld : 1;
}

static inline int64_t spmmi_column_step(const spmm_dense_t *d)
{
    return d->layout == SPMM_ROW_MAJOR ? 1 : d->ld;
}

/* Column j; NULL where there are no data. */
static inline void *spmmi_column(const spmm_dense_t *d, int64_t j)
{
    const int64_t bytes = j * spmmi_column_step(d) * (int64_t)spmm_dtype_size(d->type);
    return d->data == NULL ? NULL : (char *)d->data + bytes;
}

/* Is the row stride in bytes of a row-major matrix below 2^32, as some kernels need? */
static inline int spmmi_has_short_rows(const spmm_dense_t *d)
{
    return d->layout != SPMM_ROW_MAJOR || d->ld <= UINT32_MAX / 8;
}

/* The same product of columns first, first + 1 .. of B and C, at most `most` of them. */
static inline struct spmmi_product spmmi_product_columns(const struct spmmi_product *product, int64_t first,
                                                         int64_t most)
{
    struct spmmi_product part = *product;
    const int64_t left = product->b.cols - first;
    part.b.cols = part.c.cols = left < most ? left : most;
    part.b.data = spmmi_column(&product->b, first);
    part.c.data = spmmi_column(&product->c, first);
    return part;
}

#endif
