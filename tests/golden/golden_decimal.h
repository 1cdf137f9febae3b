/* SPDX-License-Identifier: Apache-2.0 */
/* Bad golden plans of the plan "decimal". */
#ifndef TEST_GOLDEN_DECIMAL_H
#define TEST_GOLDEN_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* The last code with 23 digits, and with a reserved bit; values of 4 bytes that claim to be decimals. */
uint8_t *golden_decimal_digits(size_t *size);
uint8_t *golden_decimal_reserved(size_t *size);
uint8_t *golden_decimal_f32(size_t *size);

#endif
