/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_targets.h. */
#include "plan_targets.h"

#include <stdbool.h>
#include <string.h>

#include "plan_report.h"

#define TARGET_ANY 0u
#define TARGET_CPU 1u
#define NAME_BYTES 8
#define ONE_DEVICE 2 /* number of targets of a plan for one device: the device and the CPU */

static bool variant_at(const spmm_plan_t *plan, int i, spmm_variant_info_t *v)
{
    v->struct_size = sizeof *v;
    return spmm_plan_variant(plan, i, v) == SPMM_OK;
}

/* Gets variant i. Returns false if it is not the first variant of its target. */
static bool first_at(const spmm_plan_t *plan, int i, spmm_variant_info_t *v)
{
    spmm_variant_info_t earlier;
    if (!variant_at(plan, i, v))
        return false;
    for (int k = 0; k < i; k++)
        if (variant_at(plan, k, &earlier) && earlier.target == v->target)
            return false;
    return true;
}

/* Returns true if the plan's values or a variant with an index below `before` have this type. */
static bool has_type(const spmm_plan_t *plan, int before, spmm_dtype_t type)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_variant_info_t v;
    if (spmm_plan_info(plan, &info) != SPMM_OK || info.a_type == type)
        return true;
    for (int k = 0; k < before; k++)
        if (variant_at(plan, k, &v) && v.a_type == type)
            return true;
    return false;
}

void plan_types_text(const spmm_plan_t *plan, char text[PLAN_TYPES_BYTES])
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_variant_info_t v;
    text[0] = '\0';
    if (spmm_plan_info(plan, &info) != SPMM_OK)
        return;
    size_t used = (size_t)snprintf(text, PLAN_TYPES_BYTES, "%s", spmm_dtype_name(info.a_type));
    for (int i = 0; variant_at(plan, i, &v) && used < PLAN_TYPES_BYTES; i++)
        if (!has_type(plan, i, v.a_type))
            used += (size_t)snprintf(text + used, PLAN_TYPES_BYTES - used, ",%s", spmm_dtype_name(v.a_type));
}

static int variant_count(const spmm_plan_t *plan)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    return spmm_plan_info(plan, &info) == SPMM_OK ? info.variant_count : 0;
}

/* Returns "cpu", "any" or, for example, "9.0". */
static const char *short_name(uint32_t target, char name[NAME_BYTES])
{
    if (target == TARGET_ANY || target == TARGET_CPU)
        return target == TARGET_CPU ? "cpu" : "any";
    snprintf(name, NAME_BYTES, "%u.%u", target / 10 % 100, target % 10);
    return name;
}

void plan_target_print(FILE *out, uint32_t target)
{
    char name[NAME_BYTES];
    if (target == TARGET_ANY || target == TARGET_CPU)
        fputs(target == TARGET_CPU ? "CPU" : "any device", out);
    else
        fprintf(out, "compute capability %s", short_name(target, name));
}

void plan_targets_text(const spmm_plan_t *plan, char text[PLAN_TARGETS_BYTES])
{
    spmm_variant_info_t v;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < variant_count(plan) && used < PLAN_TARGETS_BYTES; i++) {
        char name[NAME_BYTES];
        if (first_at(plan, i, &v))
            used += (size_t)snprintf(text + used, PLAN_TARGETS_BYTES - used, "%s%s", used > 0 ? "," : "",
                                     short_name(v.target, name));
    }
}

/* Returns the first part of variant i, which has the family and the schedule. */
static spmm_part_info_t kernel_of(const spmm_plan_t *plan, int i)
{
    spmm_part_info_t part = {.struct_size = sizeof part};
    spmm_variant_info_t v;
    if (variant_at(plan, i, &v))
        (void)spmm_plan_part(plan, v.part_first, &part);
    return part;
}

/* Prints the kernels of a target, each once. */
static void print_kernels(FILE *out, const spmm_plan_t *plan, uint32_t target)
{
    spmm_variant_info_t v;
    const char *before = " of ";
    for (int i = 0; variant_at(plan, i, &v); i++) {
        const spmm_part_info_t part = kernel_of(plan, i);
        bool is_told = v.target != target;
        for (int k = 0; k < i && !is_told; k++) {
            const spmm_part_info_t earlier = kernel_of(plan, k);
            is_told = variant_at(plan, k, &v) && v.target == target && earlier.family == part.family &&
                      earlier.schedule == part.schedule;
        }
        if (is_told)
            continue;
        fprintf(out, "%s%s/%s", before, spmm_family_name(part.family), spmm_schedule_name(part.schedule));
        before = ", ";
    }
}

/* Prints " for f32, f16", the types of a target, if the plan has several types. */
static void print_types(FILE *out, const spmm_plan_t *plan, uint32_t target, bool has_types)
{
    spmm_variant_info_t v, earlier;
    const char *before = " for ";
    for (int i = 0; has_types && variant_at(plan, i, &v); i++) {
        bool is_told = v.target != target;
        for (int k = 0; k < i && !is_told; k++)
            is_told = variant_at(plan, k, &earlier) && earlier.target == target && earlier.a_type == v.a_type;
        if (!is_told)
            fprintf(out, "%s%s", before, spmm_dtype_name(v.a_type));
        before = is_told ? before : ", ";
    }
}

static int count_of(const spmm_plan_t *plan, uint32_t target)
{
    spmm_variant_info_t v;
    int count = 0;
    for (int i = 0; variant_at(plan, i, &v); i++)
        count += v.target == target;
    return count;
}

void plan_text_targets(FILE *out, const spmm_plan_t *plan)
{
    spmm_variant_info_t v;
    char types[PLAN_TYPES_BYTES];
    int targets = 0;
    plan_types_text(plan, types);
    const bool has_types = strchr(types, ',') != NULL;
    for (int i = 0; i < variant_count(plan); i++)
        targets += first_at(plan, i, &v);
    if (targets <= ONE_DEVICE && !has_types)
        return;
    for (int i = 0; i < variant_count(plan); i++) {
        if (!first_at(plan, i, &v))
            continue;
        const int count = count_of(plan, v.target);
        fprintf(out, "%-*s", PLAN_REPORT_LABEL, "target");
        plan_target_print(out, v.target);
        fprintf(out, ": %d %s", count, count == 1 ? "variant" : "variants");
        print_kernels(out, plan, v.target);
        print_types(out, plan, v.target, has_types);
        fputc('\n', out);
    }
}

void plan_json_targets(struct json *j, const spmm_plan_t *plan)
{
    spmm_variant_info_t v, other;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    json_array(j, "types");
    if (spmm_plan_info(plan, &info) == SPMM_OK)
        json_text(j, NULL, spmm_dtype_name(info.a_type));
    for (int i = 0; variant_at(plan, i, &v); i++)
        if (!has_type(plan, i, v.a_type))
            json_text(j, NULL, spmm_dtype_name(v.a_type));
    json_end(j);
    json_array(j, "targets");
    for (int i = 0; i < variant_count(plan); i++) {
        char name[NAME_BYTES];
        if (!first_at(plan, i, &v))
            continue;
        json_object(j, NULL);
        json_int(j, "target", v.target);
        json_text(j, "name", short_name(v.target, name));
        json_array(j, "variants");
        for (int k = i; variant_at(plan, k, &other); k++)
            if (other.target == v.target)
                json_int(j, NULL, k);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}
