/* SPDX-License-Identifier: Apache-2.0 */
/* Turns lists of the libraries into choices and help texts of options. A permutation, value type or generator
 * that is added to a library becomes a word here. */
#ifndef SPMM_TOOLS_LISTED_CHOICES_H
#define SPMM_TOOLS_LISTED_CHOICES_H

#include "cli.h"

#define LISTED_CHOICES_MAX 32
#define LISTED_HELP_BYTES 1024

/* Makes a choice of each permutation, with its spmm_reorder_t, and the help text "HEAD auto (..), none, .. or
 * rcm (..)". */
void listed_permutations(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                         char help[LISTED_HELP_BYTES]);

/* Makes a choice of each value type, with its spmm_dtype_t, and the help text "HEAD f32 (default), f64, f16
 * or bf16; ..". */
void listed_dtypes(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                   char help[LISTED_HELP_BYTES]);
/* Like listed_dtypes, with the bit 1 << spmm_dtype_t as the value; adds "both" (f32 and f64) and "all". */
void listed_dtype_masks(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                        char help[LISTED_HELP_BYTES]);

/* Names of the built-in device profiles, to suggest. Other values of the option are files. */
extern const struct cli_choice listed_devices[];

/* Writes the heading "Synthetic matrices" and one line per generator. */
void listed_generators(char *text, size_t size);

#endif
