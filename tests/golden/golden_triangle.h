/* SPDX-License-Identifier: Apache-2.0 */
/* Golden plans of one triangle: all of the arrow of 130 x 130, whose first row and column and diagonal are full. */
#ifndef TEST_GOLDEN_TRIANGLE_H
#define TEST_GOLDEN_TRIANGLE_H

#include <stddef.h>
#include <stdint.h>

uint8_t *golden_triangle(size_t *size);         /* f32, values of both triangles equal */
uint8_t *golden_triangle_skew(size_t *size);    /* f64, of opposite sign, zeros and NaNs among them */
uint8_t *golden_triangle_values(size_t *size);  /* bf16, values of their own */
uint8_t *golden_triangle_pattern(size_t *size); /* without values */

/* The first with one value less than columns. */
uint8_t *golden_triangle_value_less(size_t *size);

#endif
