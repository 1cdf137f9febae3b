/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dtype_list.def as a table: what all libraries know of each value type. Conversions of single values are
 * in stored_value.h. */
#ifndef SPMMI_DTYPE_H
#define SPMMI_DTYPE_H

#include <spmm/common.h>

struct spmmi_dtype {
    spmm_dtype_t id;
    const char *name;
    size_t bytes;
    spmm_dtype_t sums; /* the type of products and sums */
    uint64_t feature;  /* incompat bit of plan files; 0: none */
};

/* Incompat bits of plan files that value types have. */
enum {
    SPMMI_DTYPE_FEATURES = 0
#define DTYPE(name, id, number, compute, stored, sums, feature, ...) | (feature)
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
};

/* NULL past the last row, and where there is no such type. */
const struct spmmi_dtype *spmmi_dtype_at(int index);
const struct spmmi_dtype *spmmi_dtype_of(spmm_dtype_t dtype);

/* The type of the values that a compute type multiplies; 0: there is no such compute type. */
spmm_dtype_t spmmi_compute_values(spmm_compute_t compute);

/* Are values of this type rounded from those of the other one? Types of equally many bytes are not. */
int spmmi_dtype_is_narrower(spmm_dtype_t dtype, spmm_dtype_t than);

#endif
