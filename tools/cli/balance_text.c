/* SPDX-License-Identifier: Apache-2.0 */
/* See balance_text.h. */
#include "balance_text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    spmm_balance_t mode;
} balances[] = {{"auto", SPMM_BALANCE_AUTO},
                {"chart", SPMM_BALANCE_CHART},
                {"none", SPMM_BALANCE_NONE},
                {"segments", SPMM_BALANCE_SEGMENTS}};

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
    for (size_t i = 0; i < sizeof balances / sizeof *balances; i++) {
        if (strlen(balances[i].word) != size || strncmp(balances[i].word, text, size) != 0)
            continue;
        *mode = balances[i].mode;
        return text[size] == '\0' || (*mode == SPMM_BALANCE_SEGMENTS && is_length(text + size + 1, length));
    }
    return false;
}
