/* SPDX-License-Identifier: Apache-2.0 */
/* Bad golden plans made from the good plan "decimal". */
#ifndef TEST_GOLDEN_DECIMAL_H
#define TEST_GOLDEN_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* The last code has 23 digits, or a reserved bit; values of 4 bytes claim to be decimals. Free each with
 * free(). */
uint8_t *golden_decimal_digits(size_t *size);
uint8_t *golden_decimal_reserved(size_t *size);
uint8_t *golden_decimal_f32(size_t *size);

#endif
