/* SPDX-License-Identifier: Apache-2.0 */
/* The transform decimal of f64 values, before and after byte planes. */
#ifndef SPMMI_TRANSFORM_DECIMAL_H
#define SPMMI_TRANSFORM_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Codes of the elements. False where one is not the f64 nearest to a number of up to 15 or 16 digits, such
 * as NaN and infinity. */
bool spmmi_decimals_pack(uint64_t count, const void *elements, uint64_t *codes);

/* Codes become elements, in place. False where a code has reserved bits or too many digits. */
bool spmmi_decimals_unpack(uint64_t count, void *elements);

#endif
