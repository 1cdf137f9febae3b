/* SPDX-License-Identifier: Apache-2.0 */
/* What the libraries list, as choices of options and as help: a permutation, a value type or a generator that is added
 * there is a word here. */
#ifndef SPMM_TOOLS_LISTED_CHOICES_H
#define SPMM_TOOLS_LISTED_CHOICES_H

#include "cli.h"

#define LISTED_CHOICES_MAX 32
#define LISTED_HELP_BYTES 1024

/* Words of all permutations with their spmm_reorder_t, and "HEAD: auto (what it is), none, .. or rcm (..)" in lines. */
void listed_permutations(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                         char help[LISTED_HELP_BYTES]);

/* Words of all value types with their spmm_dtype_t, and "f32 (default), f64, f16 or bf16; .." in lines. */
void listed_dtypes(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                   char help[LISTED_HELP_BYTES]);
/* The same with bit 1 << spmm_dtype_t for each, "both" for f32 and f64, and "all". */
void listed_dtype_masks(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                        char help[LISTED_HELP_BYTES]);

/* Names of device profiles, to suggest; others are files. */
extern const struct cli_choice listed_devices[];

/* "Synthetic matrices" and a line for each generator. */
void listed_generators(char *text, size_t size);

#endif
