/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes values of any type in arrays as f64,
 * which represents every value of every type exactly. */
#ifndef SPMMI_STORED_VALUE_H
#define SPMMI_STORED_VALUE_H

#include <string.h>

#include <spmm/common.h>

#include "half.h"

/* Returns value p of an array. type must be a known type. */
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

/* Returns the value, rounded once to the type. */
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

/* Returns true if all values have the same bytes:
 * each is compared with its successor. False if count is 0. */
static inline int spmmi_values_are_equal(const void *values, spmm_dtype_t type, int64_t count)
{
    const size_t size = spmm_dtype_size(type);
    return count > 0 && memcmp(values, (const char *)values + size, (size_t)(count - 1) * size) == 0;
}

#endif
