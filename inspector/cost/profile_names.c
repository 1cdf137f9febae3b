/* SPDX-License-Identifier: Apache-2.0 */
/* Names of constants and risks in device profiles, and access to them by name (device_profile.h). */
#include <string.h>

#include "device_profile.h"
#include "format/family.h"

static const char *const extras[SPMMI_PROFILE_EXTRAS] = {"shared", "order", "long-rows", "against-chart"};
static const char *const types[SPMMI_MODEL_TYPES] = {"f32", "f64", "tf32", "3xtf32", "f16"};

static int family_count(void)
{
    int count = 0;
    while (spmmi_family_at(count) != NULL)
        count++;
    return count;
}

const char *spmmi_profile_name(int index)
{
    const int families = family_count();
    if (index >= SPMMI_PROFILE_KERNELS)
        return index < SPMMI_PROFILE_NAMES ? extras[index - SPMMI_PROFILE_KERNELS] : NULL;
    return index < families ? spmmi_family_at(index)->name : spmmi_schedule_at(index - families)->name;
}

int spmmi_profile_index(const char *name, size_t length)
{
    for (int i = 0; i < SPMMI_PROFILE_NAMES; i++) {
        const char *const known = spmmi_profile_name(i);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

const char *spmmi_profile_type_name(int type)
{
    return types[type];
}

static int index_of(const char *name)
{
    return spmmi_profile_index(name, strlen(name));
}

int spmmi_profile_kernel(const struct spmmi_device_profile *profile, spmm_family_t family,
                         spmm_schedule_t schedule, enum spmmi_model_type type)
{
    const int own = index_of(spmm_schedule_name(schedule));
    return own >= 0 && profile->is_fitted[own][type] != 0 ? own : index_of(spmm_family_name(family));
}

/* Returns the risk with this index: for the type, else for all types, else 1. */
static double risk_of(const struct spmmi_device_profile *profile, int index, enum spmmi_model_type type,
                      enum spmmi_risk_of of)
{
    const double own = index >= 0 ? profile->risk[index][type][of] : 0;
    const double any = index >= 0 ? profile->risk[index][SPMMI_MODEL_TYPES][of] : 0;
    return own > 0 ? own : any > 0 ? any : 1;
}

double spmmi_profile_risk(const struct spmmi_device_profile *profile, spmm_family_t family,
                          spmm_schedule_t schedule, enum spmmi_model_type type, enum spmmi_risk_of of)
{
    return risk_of(profile, index_of(spmm_family_name(family)), type, of) *
           risk_of(profile, index_of(spmm_schedule_name(schedule)), type, of);
}

double spmmi_profile_extra(const struct spmmi_device_profile *profile, enum spmmi_profile_extra extra,
                           enum spmmi_model_type type, enum spmmi_risk_of of)
{
    return risk_of(profile, SPMMI_PROFILE_KERNELS + (int)extra, type, of);
}

void spmmi_profile_fill_narrow(struct spmmi_device_profile *profile)
{
    for (int kernel = 0; kernel < SPMMI_PROFILE_MODELS; kernel++) {
        uint8_t *const is_fitted = profile->is_fitted[kernel];
        if (is_fitted[SPMMI_MODEL_F16] == 0 && is_fitted[SPMMI_MODEL_F32] != 0) {
            profile->model[kernel][SPMMI_MODEL_F16] = profile->model[kernel][SPMMI_MODEL_F32];
            is_fitted[SPMMI_MODEL_F16] = 1;
        }
    }
}
