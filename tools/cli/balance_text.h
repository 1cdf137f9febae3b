/* SPDX-License-Identifier: Apache-2.0 */
/* The value of the --balance option. */
#ifndef SPMM_TOOLS_BALANCE_TEXT_H
#define SPMM_TOOLS_BALANCE_TEXT_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "cli.h"

extern const struct cli_choice balance_words[]; /* words to suggest */

/* Parses "auto", "chart", "none", "segments" or "segments:64". *length is the number after the colon, or 0
 * without one. Returns false if text is none of these. */
bool balance_text_read(const char *text, spmm_balance_t *mode, int64_t *length);
/* Like balance_text_read, but complains about a wrong text. text may be NULL: nothing changes. */
enum cli_result balance_text_check(const struct cli_program *program, const char *text, spmm_balance_t *mode,
                                   int64_t *length);

#endif
