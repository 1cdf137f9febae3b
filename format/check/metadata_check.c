/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the section metadata (docs/plan-format.md section 6.14). */
#include <string.h>

#include "format/base/diag.h"
#include "format/base/text.h"
#include "format/metadata.h"
#include "plan_check.h"

/* Checks the pair at *at and sets *at to the offset of the next one. text ends with a zero byte. before is
 * the key of the previous pair, or "". */
static spmm_status_t check_pair(const char *text, uint64_t bytes, uint64_t *at, const char *before,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *const key = text + *at;
    const size_t key_bytes = strlen(key);
    SPMM_RULE(spmmi_metadata_is_key(key, key_bytes), METADATA, *at,
              "the metadata have an invalid key at byte %llu", (unsigned long long)*at);
    SPMM_RULE(strcmp(before, key) < 0, METADATA, *at, "the metadata key %s does not follow %s", key, before);
    *at += key_bytes + 1;
    SPMM_RULE(*at < bytes, METADATA, *at, "the metadata key %s has no value", key);
    const size_t value_bytes = strlen(text + *at);
    SPMM_RULE(value_bytes > 0, METADATA, *at, "the value of the metadata key %s is empty", key);
    SPMM_RULE(spmmi_text_wrong(text + *at, value_bytes) == value_bytes, METADATA, *at,
              "the value of the metadata key %s is not printable UTF-8", key);
    *at += value_bytes + 1;
cleanup:
    return status;
}

spmm_status_t spmmi_check_metadata(const char *text, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *before = "";
    uint64_t at = 0;
    uint32_t pairs = 0;
    SPMM_RULE(bytes <= SPMMI_METADATA_BYTES, METADATA, 0, "the metadata take %llu bytes",
              (unsigned long long)bytes);
    SPMM_RULE(bytes == 0 || text[bytes - 1] == '\0', METADATA, 0, "the metadata do not end with a zero byte");
    while (at < bytes) {
        const char *const key = text + at;
        SPMM_RULE(pairs++ < SPMMI_METADATA_PAIRS, METADATA, at, "the metadata have more than %u pairs",
                  SPMMI_METADATA_PAIRS);
        SPMM_TRY(check_pair(text, bytes, &at, before, diag));
        before = key;
    }
cleanup:
    return status;
}
