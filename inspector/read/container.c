/* SPDX-License-Identifier: Apache-2.0 */
/* See container.h. */
#include "container.h"

#include "format/base/file_ending.h"

static const struct spmmi_container containers[] = {
    {"\x1f\x8b", ".gz", spmmi_gunzip},
    {"\x28\xb5\x2f\xfd", ".zst", spmmi_unzstd},
    {"\xfd"
     "7zXZ",
     ".xz", spmmi_unxz},
    {"BZh", ".bz2", spmmi_bunzip2},
};
#define CONTAINERS (sizeof containers / sizeof *containers)

const struct spmmi_container *spmmi_container_of(const char *bytes, uint64_t size)
{
    for (size_t i = 0; i < CONTAINERS; i++) {
        const size_t length = strlen(containers[i].magic);
        if (size >= length && memcmp(bytes, containers[i].magic, length) == 0)
            return &containers[i];
    }
    return NULL;
}

size_t spmmi_container_name_length(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < CONTAINERS; i++)
        if (spmmi_has_ending(name, length, containers[i].ending))
            return length - strlen(containers[i].ending);
    return length;
}
