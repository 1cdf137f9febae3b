/* SPDX-License-Identifier: Apache-2.0 */
/* Text and numbers for human readers. */
#ifndef SPMM_TOOLS_PRINT_TEXT_H
#define SPMM_TOOLS_PRINT_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Prints text from a file or a command line. Control characters and bytes that are not UTF-8 are printed as
 * \xNN, so that a file cannot control the terminal. */
void print_escaped(FILE *out, const char *text);

#define PRINT_UNITS_BYTES 48
/* Writes "1.23 MB" or "532 bytes", with powers of 1000. Returns text. */
const char *print_bytes(char text[PRINT_UNITS_BYTES], uint64_t bytes);
/* Writes "12.3 ms" or "4.56 s". Returns text. */
const char *print_seconds(char text[PRINT_UNITS_BYTES], double seconds);
/* Writes "62,451": digits in groups of three. Returns text. */
const char *print_count(char text[PRINT_UNITS_BYTES], int64_t count);
/* Writes "1 item" or "62,451 items", for a noun whose plural adds an s. Returns text. */
const char *print_plural(char text[PRINT_UNITS_BYTES], int64_t count, const char *noun);

/* Returns the length of the UTF-8 character at text, or 0 if it is not valid. *printable is 0 for control
 * characters. */
int print_character(const char *text, int *printable);

#endif
