/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of any type in arrays, as f64: which holds every number of every type. */
#ifndef SPMMI_STORED_NUMBER_H
#define SPMMI_STORED_NUMBER_H

#include <spmm/common.h>

#include "half.h"

/* Number p of an array; the type is known. */
static inline double spmmi_number_load(const void *numbers, spmm_dtype_t type, int64_t p)
{
    switch (type) {
#define DTYPE(name, id, number, compute, stored, sums, feature, load, store) \
    case id:                                                                 \
        return (double)load(((const stored *)numbers)[p]);
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
    }
    return 0;
}

/* Number p of an array becomes this one, rounded once to the type. */
static inline void spmmi_number_store(void *numbers, spmm_dtype_t type, int64_t p, double number)
{
    switch (type) {
#define DTYPE(name, id, number_of_id, compute, stored, sums, feature, load, store) \
    case id:                                                                       \
        ((stored *)numbers)[p] = store(number);                                    \
        break;
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
    }
}

#endif
