/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dtype_list.def as a table: the properties of each value type.
 * stored_value.h converts single values. */
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

/* The incompat feature bits of all value types together (docs/plan-format.md). */
enum {
    SPMMI_DTYPE_FEATURES = 0
#define DTYPE(name, id, number, compute, stored, sums, feature, ...) | (feature)
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
};

/* Both return NULL if there is no such row: an index out of range, or an unknown type. */
const struct spmmi_dtype *spmmi_dtype_at(int index);
const struct spmmi_dtype *spmmi_dtype_of(spmm_dtype_t dtype);

/* Returns the type of the values that a compute type multiplies, or 0 if the compute type is unknown. */
spmm_dtype_t spmmi_compute_values(spmm_compute_t compute);

/* Returns true if dtype has fewer bytes than `than`, so that values of type `than` are rounded to it. Types
 * of equal size (f16 and bf16) are not narrower than each other. */
int spmmi_dtype_is_narrower(spmm_dtype_t dtype, spmm_dtype_t than);

#endif
