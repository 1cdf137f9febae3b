/* SPDX-License-Identifier: Apache-2.0 */
/* See balance_text.h. */
#include "balance_text.h"

#include <stdlib.h>
#include <string.h>

const struct cli_choice balance_words[] = {{"auto", SPMM_BALANCE_AUTO},
                                           {"chart", SPMM_BALANCE_CHART},
                                           {"none", SPMM_BALANCE_NONE},
                                           {"segments", SPMM_BALANCE_SEGMENTS},
                                           {NULL, 0}};

static bool is_length(const char *number, int64_t *length)
{
    char *end = NULL;
    *length = strtol(number, &end, 10);
    return *number >= '0' && *number <= '9' && *end == '\0' && *length >= 1 && *length <= INT32_MAX / 2;
}

bool balance_text_read(const char *text, spmm_balance_t *mode, int64_t *length)
{
    const size_t size = strcspn(text, ":");
    *length = 0;
    for (const struct cli_choice *c = balance_words; c->word != NULL; c++) {
        if (strlen(c->word) != size || strncmp(c->word, text, size) != 0)
            continue;
        *mode = (spmm_balance_t)c->value;
        return text[size] == '\0' || (*mode == SPMM_BALANCE_SEGMENTS && is_length(text + size + 1, length));
    }
    return false;
}

enum cli_result balance_text_check(const struct cli_program *program, const char *text, spmm_balance_t *mode,
                                   int64_t *length)
{
    if (text == NULL || balance_text_read(text, mode, length))
        return CLI_RUN;
    return cli_complain(
        program, "--balance: expected auto, chart, none, segments or segments:LENGTH, found '%s'", text);
}
