/* SPDX-License-Identifier: Apache-2.0 */
/* See families.h. */
#include "families.h"

#include <stdio.h>
#include <string.h>

int families_has_word(const char *name, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = name; *at != '\0'; at += at[0] == '/') {
        const size_t here = strcspn(at, "/");
        if (here == length && memcmp(at, word, length) == 0)
            return 1;
        at += here;
    }
    return 0;
}

int families_at(int index, spmm_family_info_t *family)
{
    *family = (spmm_family_info_t){.struct_size = sizeof *family};
    return spmm_family_at(index, family) == SPMM_OK;
}

static const spmm_family_info_t no_family = {.name = "?", .item = "", .unit = ""};

spmm_family_info_t families_find(spmm_family_t family)
{
    spmm_family_info_t info;
    for (int i = 0; families_at(i, &info); i++)
        if (info.family == family)
            return info;
    return no_family;
}

spmm_family_info_t families_of_kernel(const char *kernel)
{
    spmm_family_info_t info;
    for (int i = 0; families_at(i, &info); i++)
        if (families_has_word(kernel, info.name))
            return info;
    return no_family;
}

int families_kernel_at(int index, struct families_kernel *kernel)
{
    kernel->schedule = (spmm_schedule_info_t){.struct_size = sizeof kernel->schedule};
    if (spmm_schedule_at(index, &kernel->schedule) != SPMM_OK)
        return 0;
    kernel->family = families_find(kernel->schedule.family);
    snprintf(kernel->name, sizeof kernel->name, "%s/%s", kernel->family.name, kernel->schedule.name);
    return 1;
}

static int has_choice(const struct cli_choice *choices, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (choices[i].value == value)
            return 1;
    return 0;
}

void families_schedules(struct cli_choice choices[FAMILIES_CHOICES])
{
    struct families_kernel kernel;
    int count = 0;
    choices[count++] = (struct cli_choice){"auto", 0};
    for (int i = 0; families_kernel_at(i, &kernel) && count + 1 < FAMILIES_CHOICES; i++)
        if (!has_choice(choices, count, (int)kernel.schedule.schedule))
            choices[count++] = (struct cli_choice){kernel.schedule.name, (int)kernel.schedule.schedule};
    choices[count] = (struct cli_choice){NULL, 0};
}

void families_names(struct cli_choice choices[FAMILIES_CHOICES])
{
    spmm_family_info_t family;
    int count = 0;
    for (int i = 0; families_at(i, &family) && count + 1 < FAMILIES_CHOICES; i++)
        choices[count++] = (struct cli_choice){family.name, 0};
    choices[count] = (struct cli_choice){NULL, 0};
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Returns the number of kernels that have the schedule and a family named in name (NULL: any family). *found
 * becomes the last of them. */
static int kernels_of(const char *name, spmm_schedule_t schedule, struct families_kernel *found)
{
    struct families_kernel kernel;
    int count = 0;
    for (int i = 0; families_kernel_at(i, &kernel); i++) {
        if (kernel.schedule.schedule != schedule ||
            (name != NULL && !families_has_word(name, kernel.family.name)))
            continue;
        *found = kernel;
        count++;
    }
    return count;
}

int families_join(const char *kernel, spmm_schedule_t schedule, char *name, size_t size)
{
    struct families_kernel found;
    if (kernels_of(kernel, schedule, &found) != 1)
        return 0;
    const int has_schedule = kernel != NULL && families_has_word(kernel, found.schedule.name);
    if (kernel != NULL && !has_schedule && !ends_with(kernel, found.family.name))
        return 0;
    const int length = snprintf(name, size, "%s%s%s", kernel == NULL ? found.family.name : kernel,
                                has_schedule ? "" : "/", has_schedule ? "" : found.schedule.name);
    return length >= 0 && (size_t)length < size;
}
