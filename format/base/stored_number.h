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
    case SPMM_F32:
        return (double)((const float *)numbers)[p];
    case SPMM_F64:
        return ((const double *)numbers)[p];
    case SPMM_F16:
        return (double)spmmi_f32_from_f16(((const uint16_t *)numbers)[p]);
    case SPMM_BF16:
        return (double)spmmi_f32_from_bf16(((const uint16_t *)numbers)[p]);
    }
    return 0;
}

/* Number p of an array becomes this one, rounded once to the type. */
static inline void spmmi_number_store(void *numbers, spmm_dtype_t type, int64_t p, double number)
{
    switch (type) {
    case SPMM_F32:
        ((float *)numbers)[p] = (float)number;
        break;
    case SPMM_F64:
        ((double *)numbers)[p] = number;
        break;
    case SPMM_F16:
        ((uint16_t *)numbers)[p] = spmmi_f16_from_f64(number);
        break;
    case SPMM_BF16:
        ((uint16_t *)numbers)[p] = spmmi_bf16_from_f64(number);
        break;
    }
}

#endif
