/* SPDX-License-Identifier: Apache-2.0 */
/* Text that a terminal may show: UTF-8 without control characters. */
#ifndef SPMMI_TEXT_H
#define SPMMI_TEXT_H

#include <stddef.h>

/* Bytes of the printable UTF-8 character at text, of which size bytes are there; 0 if there is none. */
size_t spmmi_text_character(const char *text, size_t size);

/* Index of the first byte that starts no printable character; size if there is none. */
size_t spmmi_text_wrong(const char *text, size_t size);

#endif
