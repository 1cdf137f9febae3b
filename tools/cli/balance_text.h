/* SPDX-License-Identifier: Apache-2.0 */
/* The value of --balance. */
#ifndef SPMM_TOOLS_BALANCE_TEXT_H
#define SPMM_TOOLS_BALANCE_TEXT_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "cli.h"

extern const struct cli_choice balance_words[]; /* to suggest */

/* "auto", "chart", "none", "segments" or "segments:64", whose length is 0 otherwise. False where it is none of them. */
bool balance_text_read(const char *text, spmm_balance_t *mode, int64_t *length);
/* The same for a command line; text may be NULL. */
enum cli_result balance_text_check(const struct cli_program *program, const char *text, spmm_balance_t *mode,
                                   int64_t *length);

#endif
