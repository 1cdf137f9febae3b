/* SPDX-License-Identifier: Apache-2.0 */
/* Golden plans whose metadata break a rule. */
#ifndef TEST_GOLDEN_METADATA_H
#define TEST_GOLDEN_METADATA_H

#include <stddef.h>
#include <stdint.h>

/* The good plan "metadata" with these bytes as its metadata; free with free(). */
uint8_t *golden_metadata(const char *text, size_t bytes, size_t *size);

/* With one pair more than is allowed. */
uint8_t *golden_metadata_many(size_t *size);

#endif
