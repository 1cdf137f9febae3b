/* SPDX-License-Identifier: Apache-2.0 */
/* See forced_kernel.h. */
#include "forced_kernel.h"

#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/family.h"

#define NAME_BYTES 64

void spmmi_forced_read(const struct spmmi_kernel *kernels, const char *name, struct spmmi_forced *forced)
{
    struct spmmi_kernel_ref ref;
    *forced = (struct spmmi_forced){.name = name, .words = "", .suffix = ""};
    if (name == NULL || !spmmi_kernel_parse(name, &ref))
        return;
    forced->kernel = spmmi_kernel_find(kernels, name);
    forced->has_schedule = ref.schedule != NULL;
    forced->words = ref.instance;
    forced->length = strlen(ref.instance);
    const char *const slash = strrchr(ref.instance, '/');
    const char *const last = slash != NULL ? slash + 1 : ref.instance;
    if (forced->kernel == NULL || forced->kernel->backend->has_suffix == NULL ||
        !forced->kernel->backend->has_suffix(last))
        return;
    forced->suffix = last;
    forced->length = slash != NULL ? (size_t)(slash - ref.instance) : 0;
}

/* Writes the name of a part without the words of a launch. */
static void part_name(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                      const struct spmmi_part *part, uint32_t index, spmm_compute_t compute,
                      char text[NAME_BYTES])
{
    const struct spmmi_backend *backend = forced->kernel->backend;
    const int has_long_rows = index != SPMMI_PART_MADE && spmmi_long_rows_of(plan, index) != NULL;
    if (backend->part_name != NULL)
        backend->part_name(part, compute, has_long_rows, text, NAME_BYTES);
    else
        (void)snprintf(text, NAME_BYTES, "%s", forced->kernel->name);
}

/* Returns true if the instance words of the part begin with the words that the caller gave. */
static int has_words(const struct spmmi_forced *forced, const char *part_name)
{
    struct spmmi_kernel_ref own;
    return spmmi_kernel_parse(part_name, &own) && strncmp(own.instance, forced->words, forced->length) == 0 &&
           (own.instance[forced->length] == '\0' || own.instance[forced->length] == '/');
}

int spmmi_forced_fit(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                     const struct spmmi_part *part, uint32_t index)
{
    char own[NAME_BYTES];
    if (part->family != forced->kernel->family || (part->flags & SPMMI_PART_LONG_ROWS) != 0 ||
        (forced->has_schedule && part->schedule != forced->kernel->schedule))
        return 0;
    if (forced->length == 0)
        return 2;
    for (uint32_t i = 0; i < plan->variant_count; i++) { /* only variants have a compute type, not parts */
        part_name(forced, plan, part, index, plan->variants[i].compute, own);
        if (plan->variants[i].op == part->op && has_words(forced, own))
            return 2;
    }
    return 1;
}

uint32_t spmmi_forced_part(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                           const struct spmmi_variant *variant, uint32_t allowed)
{
    uint32_t best = variant->part_first;
    int best_fit = spmmi_forced_fit(forced, plan, &plan->parts[best], best);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        const int fit = part->op == variant->op && (part->flags & ~allowed) == 0
                            ? spmmi_forced_fit(forced, plan, part, i)
                            : 0;
        best = fit > best_fit ? i : best;
        best_fit = fit > best_fit ? fit : best_fit;
    }
    return best_fit > 0 ? best : SPMMI_PART_MADE;
}

spmm_status_t spmmi_forced_check(const struct spmmi_forced *forced, const spmm_plan_t *plan,
                                 const struct spmmi_parts *parts, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char own[NAME_BYTES] = "";
    int fit = forced->kernel == NULL || parts->count == 0 ? 2 : 0;
    for (uint32_t i = 0; i < parts->count && fit < 2; i++) {
        const struct spmmi_loaded *loaded = &parts->list[i];
        fit = spmmi_forced_fit(forced, plan, &loaded->part, loaded->index);
        part_name(forced, plan, &loaded->part, loaded->index, plan->variants[0].compute, own);
    }
    SPMM_REQUIRE(fit == 2, SPMM_ERR_ARGUMENT, diag, "the plan has \"%s\", not \"%.60s\"", own, forced->name);
cleanup:
    return status;
}
