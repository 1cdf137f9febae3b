/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_copy_cuda.h. */
#include "rows_copy_cuda.h"

#include <string.h>

#include "format/base/alloc.h"

void spmmi_rows_copy_destroy(void *object)
{
    struct spmmi_rows_copy *copy = object;
    if (copy != NULL) {
        spmmi_value_memory_free(&copy->new_values);
        spmmi_device_release(&copy->memory);
    }
    spmmi_free(copy);
}

struct spmmi_value_memory *spmmi_rows_copy_value_memory(void *object, int index)
{
    return index == 0 ? &((struct spmmi_rows_copy *)object)->new_values : NULL;
}

int spmmi_rows_copy_is_named(const struct spmmi_part_source *source, const char *way)
{
    return strstr(source->suffix, way) != NULL;
}
