/* SPDX-License-Identifier: Apache-2.0 */
/* See new_metadata.h. */
#include "new_metadata.h"

#include <string.h>

#include "fail.h"

static bool plan_has(const spmm_plan_t *plan, const char *key)
{
    spmm_metadata_t pair;
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        if (strcmp(pair.key, key) == 0)
            return true;
    return false;
}

/* Refuses keys that are given twice. The library does so too, but does not see the pairs without a value. */
static spmm_status_t refuse_repeats(const struct metadata_input *given, spmm_diag_t *diag)
{
    for (int64_t i = 0; i < given->count; i++)
        if (metadata_input_has(given, i, given->pairs[i].key))
            return fail(diag, SPMM_ERR_ARGUMENT, "the metadata key %.80s is there twice",
                        given->pairs[i].key);
    return SPMM_OK;
}

/* Removes the pairs without a value from given: they name the keys that the plan loses. */
static spmm_status_t take_out(const spmm_plan_t *plan, struct metadata_input *given, spmm_diag_t *diag)
{
    int64_t count = 0;
    for (int64_t i = 0; i < given->count; i++) {
        if (given->pairs[i].value[0] != '\0')
            given->pairs[count++] = given->pairs[i];
        else if (!plan_has(plan, given->pairs[i].key))
            return fail(diag, SPMM_ERR_ARGUMENT, "the plan has no metadata key '%.80s' to take out",
                        given->pairs[i].key);
    }
    given->count = count;
    return SPMM_OK;
}

spmm_status_t new_metadata_take(const spmm_plan_t *plan, struct metadata_input *given, spmm_plan_t **updated,
                                spmm_diag_t *diag)
{
    const int64_t of_given = given->count;
    spmm_metadata_t pair;
    spmm_status_t status = refuse_repeats(given, diag);
    if (status != SPMM_OK)
        return status;
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++) /* at most METADATA_INPUT_PAIRS */
        if (!metadata_input_has(given, of_given, pair.key))
            given->pairs[given->count++] = pair;
    status = take_out(plan, given, diag);
    return status == SPMM_OK ? spmm_plan_with_metadata(plan, given->pairs, given->count, updated, diag)
                             : status;
}
