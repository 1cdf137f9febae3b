/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a product, C = alpha * op(A) * B + beta * C, for all families and devices. */
#ifndef SPMMI_PRODUCT_H
#define SPMMI_PRODUCT_H

#include <spmm/common.h>

/* op(A) has as many rows as C and as many columns as B has rows; n, the columns of B and C, is b.cols. */
struct spmmi_product {
    spmm_op_t op;
    spmm_dtype_t a_type; /* type of the values of A; b and c have types of their own */
    int a_is_uniform;    /* each value of A is a_value, so that kernels need not read the values */
    double a_value;
    spmm_compute_t compute; /* sums are double for f64, else float */
    double alpha, beta;
    spmm_dense_t b, c; /* b.data may be NULL if alpha is 0; both may be NULL if only sizes are computed */
};

/* Returns the number of elements from one row to the next; spmmi_column_step: from one column to the next. */
static inline int64_t spmmi_row_step(const spmm_dense_t *d)
{
    return d->layout == SPMM_ROW_MAJOR ? d->ld : 1;
}

static inline int64_t spmmi_column_step(const spmm_dense_t *d)
{
    return d->layout == SPMM_ROW_MAJOR ? 1 : d->ld;
}

/* Returns the address of column j; NULL if d has no data. */
static inline void *spmmi_column(const spmm_dense_t *d, int64_t j)
{
    const int64_t bytes = j * spmmi_column_step(d) * (int64_t)spmm_dtype_size(d->type);
    return d->data == NULL ? NULL : (char *)d->data + bytes;
}

/* Returns true unless d is row-major with a row stride that may be 2^32 bytes or more, which
 * some kernels cannot address. */
static inline int spmmi_has_short_rows(const spmm_dense_t *d)
{
    return d->layout != SPMM_ROW_MAJOR || d->ld <= UINT32_MAX / 8;
}

/* Returns the same product restricted to at most `most` columns of B and C, from column `first` on. */
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
