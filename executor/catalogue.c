/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels; see backend.h. */
#include <string.h>

#include "backend.h"
#include "format/family.h"

int spmmi_kernels_count(const struct spmmi_kernel *kernels)
{
    int count = 0;
    while (kernels[count].name != NULL)
        count++;
    return count;
}

static int is_target(const struct spmmi_kernel *kernel, enum spmmi_kernel_target target)
{
    const char *const name = spmmi_kernel_target_name(target);
    return name == NULL || strncmp(kernel->name, name, strlen(name)) == 0;
}

const struct spmmi_kernel *spmmi_kernel_find(const struct spmmi_kernel *kernels, const char *name)
{
    struct spmmi_kernel_ref ref;
    if (!spmmi_kernel_parse(name, &ref))
        return NULL;
    for (const struct spmmi_kernel *k = kernels; k->name != NULL; k++)
        if (k->family == ref.family->id && (ref.schedule == NULL || k->schedule == ref.schedule->id))
            return is_target(k, ref.target) ? k : NULL;
    return NULL;
}

const struct spmmi_kernel *spmmi_kernel_of(const struct spmmi_kernel *kernels, const struct spmmi_part *part)
{
    for (const struct spmmi_kernel *k = kernels; k->name != NULL; k++)
        if (k->family == part->family && k->schedule == part->schedule)
            return k;
    return NULL;
}
