/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels; see backend.h. */
#include <string.h>

#include "backend.h"

int spmmi_kernels_count(const struct spmmi_kernel *kernels)
{
    int count = 0;
    while (kernels[count].name != NULL)
        count++;
    return count;
}

const struct spmmi_kernel *spmmi_kernel_find(const struct spmmi_kernel *kernels, const char *name,
                                             const char **suffix)
{
    for (const struct spmmi_kernel *k = kernels; k->name != NULL; k++) {
        const size_t length = strlen(k->name);
        if (strncmp(k->name, name, length) != 0)
            continue;
        *suffix = name + length;
        if (name[length] == '\0' || (k->backend->has_suffix != NULL && k->backend->has_suffix(*suffix)))
            return k;
    }
    return NULL;
}

const struct spmmi_kernel *spmmi_kernel_of(const struct spmmi_kernel *kernels, const struct spmmi_part *part)
{
    for (const struct spmmi_kernel *k = kernels; k->name != NULL; k++)
        if (k->family == part->family && k->schedule == part->schedule)
            return k;
    return NULL;
}
