/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any type in arrays, read and written as f64, which represents every value of every type. */
#ifndef SPMMI_STORED_VALUE_H
#define SPMMI_STORED_VALUE_H

#include <string.h>

#include <spmm/common.h>

#include "half.h"

/* Value p of an array; the type is known. */
static inline double spmmi_value_load(const void *values, spmm_dtype_t type, int64_t p)
{
    switch (type) {
#define DTYPE(name, id, value, compute, stored, sums, feature, load, store) \
    case id:                                                                \
        return (double)load(((const stored *)values)[p]);
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
    }
    return 0;
}

/* Writes value p of an array, rounded once to the type. */
static inline void spmmi_value_store(void *values, spmm_dtype_t type, int64_t p, double value)
{
    switch (type) {
#define DTYPE(name, id, number_of_id, compute, stored, sums, feature, load, store) \
    case id:                                                                       \
        ((stored *)values)[p] = store(value);                                      \
        break;
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
    }
}

/* The value, rounded once to the type. */
static inline double spmmi_value_round(spmm_dtype_t type, double value)
{
    switch (type) {
#define DTYPE(name, id, number_of_id, compute, stored, sums, feature, load, store) \
    case id: {                                                                     \
        const stored rounded = store(value);                                       \
        return (double)load(rounded);                                              \
    }
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
    }
    return 0;
}

/* Are they all the same? Then each has the bytes of the one before it. No for none. */
static inline int spmmi_values_are_equal(const void *values, spmm_dtype_t type, int64_t count)
{
    const size_t size = spmm_dtype_size(type);
    return count > 0 && memcmp(values, (const char *)values + size, (size_t)(count - 1) * size) == 0;
}

#endif
