/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the planners of all families. It is generated from the family list, so no other file of the
 * inspector names a family. */
#include <stddef.h>

#include "planner.h"

#define FAMILY(name, ...) extern const struct spmmi_planner spmmi_##name##_planner;
#define SCHEDULE(...)
#include "format/family_list.def"
#undef FAMILY

static const struct spmmi_planner *const planners[] = {
#define FAMILY(name, ...) &spmmi_##name##_planner,
#include "format/family_list.def"
#undef FAMILY
#undef SCHEDULE
};

const struct spmmi_planner *spmmi_planner_of(spmm_family_t family)
{
    for (size_t i = 0; i < sizeof planners / sizeof planners[0]; i++)
        if (planners[i]->family == family)
            return planners[i];
    return NULL;
}

struct spmmi_prediction spmmi_predict(const struct spmmi_device_profile *profile,
                                      const struct spmmi_model_matrix *matrix,
                                      const struct spmmi_model_candidate *candidate, int64_t n,
                                      uint32_t layout, spmm_dtype_t dtype)
{
    const struct spmmi_planner *const planner = spmmi_planner_of(candidate->family);
    return spmmi_model_predict(planner->cost, profile, matrix, candidate, n, layout, dtype);
}
