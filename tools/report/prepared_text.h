/* SPDX-License-Identifier: Apache-2.0 */
/* The result of spmm_executor_prepare as text and as JSON. */
#ifndef SPMM_TOOLS_PREPARED_TEXT_H
#define SPMM_TOOLS_PREPARED_TEXT_H

#include <spmm/executor.h>

#include "tools/cli/json.h"

/* Prints "compiled in 120 ms" or "not prepared in 2 us: ...", and a newline. */
void prepared_text(const spmm_preparation_t *prepared);
/* Writes the members prepared, prepare_ms and prepare_note. */
void prepared_json(struct json *j, const spmm_preparation_t *prepared);

#endif
