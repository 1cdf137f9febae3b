/* SPDX-License-Identifier: Apache-2.0 */
/* The transform DECIMAL of f64 values, without the byte planes. */
#ifndef SPMMI_TRANSFORM_DECIMAL_H
#define SPMMI_TRANSFORM_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Converts count f64 elements to codes. Returns false if an element is not m / 10^k with m < 2^53 and k <=
 * 22: NaN, infinity, values from 2^53 on, and most values with more than 16 digits. */
bool spmmi_decimals_pack(uint64_t count, const void *elements, uint64_t *codes);

/* Converts count codes to f64 elements, in place. Returns false if a code has reserved bits set or an
 * exponent above 22. */
bool spmmi_decimals_unpack(uint64_t count, void *elements);

#endif
