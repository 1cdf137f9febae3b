/* SPDX-License-Identifier: Apache-2.0 */
/* See prepared_text.h. */
#include "prepared_text.h"

#include <stdio.h>

#include "tools/cli/print_text.h"

static const char *how_text(spmm_prepared_t how)
{
    static const char *const texts[] = {[SPMM_PREPARED_NOT] = "not prepared",
                                        [SPMM_PREPARED_BEFORE] = "prepared before",
                                        [SPMM_PREPARED_LOADED] = "loaded",
                                        [SPMM_PREPARED_COMPILED] = "compiled",
                                        [SPMM_PREPARED_STALE] = "stale"};
    return texts[how];
}

void prepared_text(const spmm_preparation_t *prepared)
{
    char text[PRINT_UNITS_BYTES];
    printf("%s in %s", how_text(prepared->how), print_seconds(text, prepared->seconds));
    if (prepared->note[0] != '\0') {
        fputs(": ", stdout);
        print_escaped(stdout, prepared->note);
    }
    putchar('\n');
}

void prepared_json(struct json *j, const spmm_preparation_t *prepared)
{
    json_text(j, "prepared", how_text(prepared->how));
    json_double(j, "prepare_ms", 1e3 * prepared->seconds);
    json_text(j, "prepare_note", prepared->note);
}
