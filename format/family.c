/* SPDX-License-Identifier: Apache-2.0 */
/* See family.h. */
#include "family.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"

#define FAMILY(name, id, number, ...) static_assert((int)(id) == (number), "the public enum copies the list");
#define SCHEDULE(family, id, number, ...) \
    static_assert((int)(id) == (number), "the public enum copies the list");
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE

/* The number of each family by its name, for the rows of its schedules. */
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

int spmmi_is_tcblocks(spmm_family_t family)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    return row != NULL && row->compute == SPMMI_COMPUTE_TENSOR;
}

int spmmi_takes_long_rows(const struct spmmi_schedule *schedule)
{
    return schedule->family == families[0].id && schedule->items == SPMMI_ITEMS_NONZERO_SPLIT;
}

int spmmi_is_power_within(int64_t value, uint32_t min, uint32_t max)
{
    return value >= min && value <= max && (value & (value - 1)) == 0;
}

static int is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

int spmmi_kernel_parse(const char *name, size_t length, const struct spmmi_family **family,
                       const struct spmmi_schedule **schedule)
{
    const char *const slash = memchr(name, '/', length);
    const size_t head = slash != NULL ? (size_t)(slash - name) : length;
    *family = NULL;
    *schedule = NULL;
    for (int i = 0; i < COUNT(families); i++)
        if (is_name(families[i].name, name, head))
            *family = &families[i];
    for (int i = 0; i < COUNT(schedules) && slash != NULL && *family != NULL; i++)
        if (schedules[i].family == (*family)->id && is_name(schedules[i].name, slash + 1, length - head - 1))
            *schedule = &schedules[i];
    return *family != NULL && (slash == NULL || *schedule != NULL);
}

const struct spmmi_schedule *spmmi_schedule_alone(spmm_schedule_t schedule)
{
    const struct spmmi_schedule *found = NULL;
    int count = 0;
    for (int i = 0; i < COUNT(schedules); i++) {
        if (schedules[i].id != schedule)
            continue;
        found = &schedules[i];
        count++;
    }
    return count == 1 ? found : NULL;
}

/* What stands before name i of count in a list. */
static const char *before_name(int i, int count)
{
    if (i == 0)
        return "";
    return i + 1 < count ? ", " : " or ";
}

void spmmi_kernel_names(char text[SPMMI_KERNEL_NAMES_BYTES])
{
    const size_t size = SPMMI_KERNEL_NAMES_BYTES;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < COUNT(families) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", before_name(i, COUNT(families)),
                                 families[i].name);
    for (int i = 0; i < COUNT(schedules) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s/%s",
                                 i == 0 ? ", alone or as " : before_name(i, COUNT(schedules)),
                                 spmm_family_name(schedules[i].family), schedules[i].name);
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
