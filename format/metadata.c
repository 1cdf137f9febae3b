/* SPDX-License-Identifier: Apache-2.0 */
/* See metadata.h. */
#include "metadata.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/text.h"
#include "format/plan.h"

bool spmmi_metadata_is_key(const char *key, size_t bytes)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    return bytes >= 1 && bytes <= SPMMI_METADATA_KEY_BYTES && key[0] >= 'a' && key[0] <= 'z' &&
           strspn(key, letters) == bytes;
}

spmm_metadata_t spmmi_metadata_next(const char *text, uint64_t *at)
{
    const char *const key = text + *at, *const value = key + strlen(key) + 1;
    *at += (uint64_t)(value - key) + strlen(value) + 1;
    return (spmm_metadata_t){key, value};
}

static spmm_status_t check_pair(const spmm_metadata_t *pair, int64_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(pair->key != NULL && pair->value != NULL, SPMM_ERR_ARGUMENT, diag,
                 "key or value of metadata pair %lld is NULL", (long long)index);
    SPMM_REQUIRE(
        spmmi_metadata_is_key(pair->key, strlen(pair->key)), SPMM_ERR_ARGUMENT, diag,
        "'%.80s' is not a key of metadata: expected 1 to %u of a to z, 0 to 9, '.', '_', '-', a letter first",
        pair->key, SPMMI_METADATA_KEY_BYTES);
    const size_t bytes = strlen(pair->value), wrong = spmmi_text_wrong(pair->value, bytes);
    SPMM_REQUIRE(bytes > 0, SPMM_ERR_ARGUMENT, diag, "the metadata key %s has no value", pair->key);
    SPMM_REQUIRE(wrong == bytes, SPMM_ERR_ARGUMENT, diag,
                 "the value of the metadata key %s is not printable UTF-8 from byte %zu on", pair->key,
                 wrong);
cleanup:
    return status;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const spmm_metadata_t *)a)->key, ((const spmm_metadata_t *)b)->key);
}

/* Computes the size of sorted pairs in bytes. Fails if a key occurs twice or the pairs are too large. */
static spmm_status_t measure(const spmm_metadata_t *sorted, int64_t count, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        SPMM_REQUIRE(i == 0 || strcmp(sorted[i - 1].key, sorted[i].key) != 0, SPMM_ERR_ARGUMENT, diag,
                     "the metadata key %s is there twice", sorted[i].key);
        *bytes += strlen(sorted[i].key) + strlen(sorted[i].value) + 2;
    }
    SPMM_REQUIRE(*bytes <= SPMMI_METADATA_BYTES, SPMM_ERR_ARGUMENT, diag,
                 "the metadata take %llu bytes, at most %llu are allowed", (unsigned long long)*bytes,
                 (unsigned long long)SPMMI_METADATA_BYTES);
cleanup:
    return status;
}

static void write_pairs(const spmm_metadata_t *sorted, int64_t count, char *text)
{
    for (int64_t i = 0; i < count; i++) {
        text = stpcpy(text, sorted[i].key) + 1;
        text = stpcpy(text, sorted[i].value) + 1;
    }
}

spmm_status_t spmmi_metadata_pack(const spmm_metadata_t *pairs, int64_t count, char **text, uint64_t *bytes,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_metadata_t sorted[SPMMI_METADATA_PAIRS];
    *text = NULL;
    *bytes = 0;
    if (count == 0)
        return SPMM_OK;
    SPMM_REQUIRE(pairs != NULL && count > 0 && count <= SPMMI_METADATA_PAIRS, SPMM_ERR_ARGUMENT, diag,
                 "%lld pairs of metadata%s, expected 0 to %u", (long long)count,
                 pairs == NULL ? " at NULL" : "", SPMMI_METADATA_PAIRS);
    for (int64_t i = 0; i < count; i++)
        SPMM_TRY(check_pair(&pairs[i], i, diag));
    memcpy(sorted, pairs, (size_t)count * sizeof *pairs);
    qsort(sorted, (size_t)count, sizeof *sorted, by_key);
    SPMM_TRY(measure(sorted, count, bytes, diag));
    *text = spmmi_alloc(*bytes, 1);
    SPMM_TRY_ALLOC(*text, diag);
    write_pairs(sorted, count, *text);
cleanup:
    return status;
}

static spmm_status_t copy_values(const spmm_plan_t *from, spmm_plan_t *to, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t size = spmm_dtype_size(from->dtype);
    if (from->values == NULL)
        return SPMM_OK;
    to->values = spmmi_alloc((uint64_t)from->nnz, size);
    SPMM_TRY_ALLOC(to->values, diag);
    memcpy(to->values, from->values, (size_t)from->nnz * size);
    memcpy(to->values_digest, from->values_digest, sizeof to->values_digest);
cleanup:
    return status;
}

spmm_status_t spmm_plan_with_metadata(const spmm_plan_t *plan, const spmm_metadata_t *pairs, int64_t count,
                                      spmm_plan_t **updated, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(updated != NULL, SPMM_ERR_ARGUMENT, diag, "updated is NULL");
    *updated = NULL;
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    SPMM_TRY(spmmi_plan_copy_pattern(plan, &p, diag));
    SPMM_TRY(copy_values(plan, p, diag));
    spmmi_free(p->metadata);
    p->metadata = NULL;
    SPMM_TRY(spmmi_metadata_pack(pairs, count, &p->metadata, &p->metadata_bytes, diag));
    *updated = p;
    p = NULL;
cleanup:
    spmm_plan_destroy(p);
    return status;
}

spmm_status_t spmm_plan_metadata(const spmm_plan_t *plan, int index, spmm_metadata_t *pair)
{
    uint64_t at = 0;
    if (plan == NULL || pair == NULL || index < 0)
        return SPMM_ERR_ARGUMENT;
    *pair = (spmm_metadata_t){NULL, NULL};
    for (int i = 0; i <= index && at < plan->metadata_bytes; i++) {
        const spmm_metadata_t next = spmmi_metadata_next(plan->metadata, &at);
        if (i == index)
            *pair = next;
    }
    return pair->key != NULL ? SPMM_OK : SPMM_ERR_ARGUMENT;
}
