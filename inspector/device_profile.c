/* SPDX-License-Identifier: Apache-2.0 */
/* See device_profile.h. */
#include "device_profile.h"

#include <stddef.h>
#include <string.h>

static const struct spmmi_device_profile profiles[] = {
    {"any", SPMMI_TARGET_ANY, 0},
    {"cpu", SPMMI_TARGET_CPU, 0},
    {"a100", 80, 108},
    {"h100", 90, 132},
    {"h200", 90, 132},
};
#define PROFILE_COUNT (sizeof profiles / sizeof profiles[0])

const struct spmmi_device_profile *spmmi_device_profile_find(const char *name)
{
    if (name == NULL)
        return &profiles[0];
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}

const struct spmmi_device_profile *spmmi_device_profile_at(size_t index)
{
    return index < PROFILE_COUNT ? &profiles[index] : NULL;
}
