/* SPDX-License-Identifier: Apache-2.0 */
/* Golden plans with metadata that break a rule. */
#ifndef TEST_GOLDEN_METADATA_H
#define TEST_GOLDEN_METADATA_H

#include <stddef.h>
#include <stdint.h>

/* Returns the good plan "metadata" with these bytes as its metadata. Free it with free(). */
uint8_t *golden_metadata(const char *text, size_t bytes, size_t *size);

/* Returns the plan with one pair more than allowed. Free it with free(). */
uint8_t *golden_metadata_many(size_t *size);

#endif
