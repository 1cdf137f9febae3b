/* SPDX-License-Identifier: Apache-2.0 */
/* The transform decimal of f64 values, before and after byte planes. */
#ifndef SPMMI_TRANSFORM_DECIMAL_H
#define SPMMI_TRANSFORM_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Codes of the elements. False where one is not m / 10^k with m < 2^53 and k <= 22: NaN, infinity, 2^53 and
 * above, most of more than 16 digits. */
bool spmmi_decimals_pack(uint64_t count, const void *elements, uint64_t *codes);

/* Codes become elements, in place. False where a code has reserved bits or too large a power of ten. */
bool spmmi_decimals_unpack(uint64_t count, void *elements);

#endif
