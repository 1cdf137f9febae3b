/* SPDX-License-Identifier: Apache-2.0 */
/* Golden plans that store one triangle. All are of the 130 x 130 arrow, whose first row, first column and
 * diagonal are full. */
#ifndef TEST_GOLDEN_TRIANGLE_H
#define TEST_GOLDEN_TRIANGLE_H

#include <stddef.h>
#include <stdint.h>

uint8_t *golden_triangle(size_t *size);         /* f32, equal values in both triangles */
uint8_t *golden_triangle_skew(size_t *size);    /* f64, values of opposite sign, with zeros and NaNs */
uint8_t *golden_triangle_values(size_t *size);  /* bf16, different values in the two triangles */
uint8_t *golden_triangle_pattern(size_t *size); /* without values */

/* Returns the plan golden_triangle with one value less than columns. */
uint8_t *golden_triangle_value_less(size_t *size);

#endif
