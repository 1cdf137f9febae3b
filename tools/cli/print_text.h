/* SPDX-License-Identifier: Apache-2.0 */
/* Text and numbers for people. */
#ifndef SPMM_TOOLS_PRINT_TEXT_H
#define SPMM_TOOLS_PRINT_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Text from a file or a command line: control characters and bytes that are not UTF-8 come out as \xNN, so
 * that a file cannot steer the terminal. */
void print_escaped(FILE *out, const char *text);

#define PRINT_UNITS_BYTES 48
/* "1.23 MB", "532 bytes"; powers of 1000. Returns text, which has PRINT_UNITS_BYTES bytes. */
const char *print_bytes(char text[PRINT_UNITS_BYTES], uint64_t bytes);
/* "12.3 ms", "4.56 s". */
const char *print_seconds(char text[PRINT_UNITS_BYTES], double seconds);
/* "62,451": groups of three. */
const char *print_count(char text[PRINT_UNITS_BYTES], int64_t count);
/* "1 item", "62,451 items": a noun whose plural takes an s. */
const char *print_plural(char text[PRINT_UNITS_BYTES], int64_t count, const char *noun);

/* Length of the UTF-8 character at text, 0 if there is none; *printable = 0 for control characters. */
int print_character(const char *text, int *printable);

#endif
