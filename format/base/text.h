/* SPDX-License-Identifier: Apache-2.0 */
/* Text that a terminal may show: UTF-8 without control characters. */
#ifndef SPMMI_TEXT_H
#define SPMMI_TEXT_H

#include <stddef.h>

/* Returns the length in bytes of the printable UTF-8 character at the start of text (size bytes), or 0 if
 * text does not start with one. */
size_t spmmi_text_character(const char *text, size_t size);

/* Returns the index of the first byte at which no printable
 * character starts, or size if the whole text is printable. */
size_t spmmi_text_wrong(const char *text, size_t size);

#endif
