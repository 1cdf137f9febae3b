/* SPDX-License-Identifier: Apache-2.0 */
/* See family.h. */
#include "family.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/types.h"
#include "plan.h"

#define FAMILY(name, id, number, ...) static_assert((int)(id) == (number), "the public enum copies the list");
#define SCHEDULE(family, id, number, ...) \
    static_assert((int)(id) == (number), "the public enum copies the list");
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE

/* FAMILY_NUMBER_name is the number of a family. The rows SCHEDULE name their family this way. */
enum {
#define FAMILY(name, id, number, ...) FAMILY_NUMBER_##name = (number),
#define SCHEDULE(...)
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE
};

static const struct spmmi_family families[] = {
#define FAMILY(name, id, number, feature, types, compute, n_min, long_rows, unit_min, unit_max, slots_min, \
               slots_max, step, item, unit)                                                                \
    {(spmm_family_t)(number),                                                                              \
     #name,                                                                                                \
     feature,                                                                                              \
     types,                                                                                                \
     SPMMI_COMPUTE_##compute,                                                                              \
     n_min,                                                                                                \
     long_rows,                                                                                            \
     unit_min,                                                                                             \
     unit_max,                                                                                             \
     slots_min,                                                                                            \
     slots_max,                                                                                            \
     step,                                                                                                 \
     item,                                                                                                 \
     unit},
#define SCHEDULE(...)
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE
};

static const struct spmmi_schedule schedules[] = {
#define FAMILY(...)
#define SCHEDULE(family, id, number, name, item_sizes, item_size_min, item_size_max, items, permutation) \
    {(spmm_family_t)FAMILY_NUMBER_##family,                                                              \
     (spmm_schedule_t)(number),                                                                          \
     name,                                                                                               \
     SPMMI_ITEM_SIZE_##item_sizes,                                                                       \
     item_size_min,                                                                                      \
     item_size_max,                                                                                      \
     SPMMI_ITEMS_##items,                                                                                \
     SPMMI_PERMUTATION_##permutation},
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

const struct spmmi_family *spmmi_family_at(int index)
{
    return index >= 0 && index < COUNT(families) ? &families[index] : NULL;
}

const struct spmmi_schedule *spmmi_schedule_at(int index)
{
    return index >= 0 && index < COUNT(schedules) ? &schedules[index] : NULL;
}

const struct spmmi_family *spmmi_family_of(spmm_family_t family)
{
    for (int i = 0; i < COUNT(families); i++)
        if (families[i].id == family)
            return &families[i];
    return NULL;
}

const struct spmmi_schedule *spmmi_schedule_of(spmm_family_t family, spmm_schedule_t schedule)
{
    for (int i = 0; i < COUNT(schedules); i++)
        if (schedules[i].family == family && schedules[i].id == schedule)
            return &schedules[i];
    return NULL;
}

int spmmi_family_computes(spmm_family_t family, spmm_dtype_t dtype, spmm_compute_t compute)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    const enum spmmi_compute_rule rule = row != NULL ? row->compute : SPMMI_COMPUTE_VALUES;
    if (dtype == SPMM_F32 && rule != SPMMI_COMPUTE_VALUES && spmmi_is_tf32(compute))
        return 1;
    return (int)compute == (int)dtype && (dtype != SPMM_F32 || rule != SPMMI_COMPUTE_TENSOR);
}

int spmmi_is_on_tensor_cores(spmm_family_t family, spmm_compute_t compute)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    if (row == NULL || row->compute == SPMMI_COMPUTE_VALUES)
        return 0;
    return row->compute == SPMMI_COMPUTE_TENSOR || spmmi_is_tf32(compute) || compute == SPMM_COMPUTE_F16 ||
           compute == SPMM_COMPUTE_BF16;
}

int spmmi_family_takes(const struct spmmi_family *family, spmm_dtype_t a, spmm_dtype_t b, spmm_dtype_t c)
{
    if ((family->types & SPMMI_TYPE_BIT(a)) == 0)
        return 0;
    return (a == b && a == c) || ((family->types & SPMMI_TYPES_MIXED) != 0 &&
                                  spmmi_types_find((struct spmmi_types){a, b, c, (spmm_dtype_t)0}) != NULL);
}

int spmmi_takes_long_rows(const struct spmmi_schedule *schedule)
{
    return schedule->family == families[0].id && schedule->items == SPMMI_ITEMS_NONZERO_SPLIT;
}

int spmmi_is_power_within(int64_t value, uint32_t min, uint32_t max)
{
    return value >= min && value <= max && (value & (value - 1)) == 0;
}

void spmmi_type_names(uint32_t types, char text[SPMMI_TYPE_NAMES_BYTES])
{
    const struct spmmi_dtype *row;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; (row = spmmi_dtype_at(i)) != NULL && used < SPMMI_TYPE_NAMES_BYTES; i++) {
        const char *const between = used == 0 ? "" : types >> (row->id + 1) != 0 ? ", " : " and ";
        if ((types & SPMMI_TYPE_BIT(row->id)) != 0)
            used += (size_t)snprintf(text + used, SPMMI_TYPE_NAMES_BYTES - used, "%s%s", between, row->name);
    }
}

/* Returns true and moves *at to the end of the word if the text at *at, up to the next slash, equals word. */
static int take_word(const char **at, const char *word)
{
    const size_t length = strcspn(*at, "/");
    if (strlen(word) != length || memcmp(word, *at, length) != 0)
        return 0;
    *at += length;
    return 1;
}

static const char *const target_names[] = {
    [SPMMI_KERNEL_CPU] = "cpu",
    [SPMMI_KERNEL_CUDA] = "cuda",
};

const char *spmmi_kernel_target_name(enum spmmi_kernel_target target)
{
    return target_names[target];
}

/* Moves *at after "cpu/" or "cuda/" and returns the target, or ANYWHERE if *at does not start with one. */
static enum spmmi_kernel_target take_target(const char **at)
{
    for (int t = SPMMI_KERNEL_CPU; t <= SPMMI_KERNEL_CUDA; t++) {
        if (!take_word(at, target_names[t]))
            continue;
        *at += **at == '/';
        return (enum spmmi_kernel_target)t;
    }
    return SPMMI_KERNEL_ANYWHERE;
}

/* Returns the schedule at *at, or NULL, and moves *at to the end of its name. An item size may follow the
 * name, as in "segmented-48"; then *at points to "-48". */
static const struct spmmi_schedule *take_schedule(const char **at, spmm_family_t family)
{
    const size_t length = strcspn(*at, "/");
    for (int i = 0; i < COUNT(schedules); i++) {
        const size_t name = strlen(schedules[i].name);
        if (schedules[i].family != family || length < name || memcmp(schedules[i].name, *at, name) != 0)
            continue;
        const size_t digits = length > name ? strspn(*at + name + 1, "0123456789") : 0;
        const int has_size = (*at)[name] == '-' && digits > 0 && name + 1 + digits == length;
        if (length > name && !has_size)
            continue;
        *at += name;
        return &schedules[i];
    }
    return NULL;
}

int spmmi_kernel_parse(const char *name, struct spmmi_kernel_ref *ref)
{
    const char *at = name;
    *ref = (struct spmmi_kernel_ref){.target = take_target(&at), .instance = ""};
    for (int i = 0; i < COUNT(families) && ref->family == NULL; i++)
        if (take_word(&at, families[i].name))
            ref->family = &families[i];
    if (ref->family == NULL || *at == '\0')
        return ref->family != NULL;
    at++; /* skips the slash */
    ref->schedule = take_schedule(&at, ref->family->id);
    if (ref->schedule == NULL || *at == '\0')
        return ref->schedule != NULL;
    ref->instance = *at == '/' ? at + 1 : at;
    return ref->instance[0] != '\0';
}

/* Appends one name to a list. left is the number of names that are still missing, including this one. */
static void add_name(char text[SPMMI_KERNEL_NAMES_BYTES], int left, const char *family, const char *schedule)
{
    const size_t used = strlen(text);
    const char *const before = used == 0 ? "" : left > 1 ? ", " : " or ";
    (void)snprintf(text + used, SPMMI_KERNEL_NAMES_BYTES - used, "%s%s%s%s", before, family,
                   schedule[0] != '\0' ? "/" : "", schedule);
}

void spmmi_kernel_names(const char *name, char text[SPMMI_KERNEL_NAMES_BYTES])
{
    struct spmmi_kernel_ref ref;
    int left = 0;
    text[0] = '\0';
    (void)spmmi_kernel_parse(name, &ref);
    if (ref.family == NULL) {
        for (int i = 0; i < COUNT(families); i++)
            add_name(text, COUNT(families) - i, families[i].name, "");
        return;
    }
    for (int i = 0; i < COUNT(schedules); i++)
        left += schedules[i].family == ref.family->id;
    add_name(text, left + 1, ref.family->name, "");
    for (int i = 0; i < COUNT(schedules); i++)
        if (schedules[i].family == ref.family->id)
            add_name(text, left--, ref.family->name, schedules[i].name);
}

const char *spmm_family_name(spmm_family_t family)
{
    const struct spmmi_family *row = spmmi_family_of(family);
    return row != NULL ? row->name : "?";
}

const char *spmm_schedule_name(spmm_schedule_t schedule)
{
    for (int i = 0; i < COUNT(schedules); i++)
        if (schedules[i].id == schedule)
            return schedules[i].name;
    return "?";
}
