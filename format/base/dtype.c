/* SPDX-License-Identifier: Apache-2.0 */
/* See dtype.h. */
#include "dtype.h"

#include <assert.h>
#include <string.h>

#include "options.h"

#define DTYPE(name, id, number, compute, ...) \
    static_assert((int)(id) == (number) && (int)(compute) == (number), "the public enums copy the list");
#define COMPUTE(name, id, number, values) \
    static_assert((int)(id) == (number), "the public enum copies the list");
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE

static const struct spmmi_dtype dtypes[] = {
#define DTYPE(name, id, number, compute, stored, sums, feature, load, store) \
    {(spmm_dtype_t)(number), #name, sizeof(stored), sums, feature},
#define COMPUTE(...)
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
};

/* The compute types: one per value type, and the rows COMPUTE of the list. */
static const struct {
    spmm_compute_t id;
    const char *name;
    spmm_dtype_t values;
} computes[] = {
#define DTYPE(name, id, number, compute, ...) {compute, #name, id},
#define COMPUTE(name, id, number, values) {id, name, values},
#include "dtype_list.def"
#undef DTYPE
#undef COMPUTE
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

const struct spmmi_dtype *spmmi_dtype_at(int index)
{
    return index >= 0 && index < COUNT(dtypes) ? &dtypes[index] : NULL;
}

const struct spmmi_dtype *spmmi_dtype_of(spmm_dtype_t dtype)
{
    for (int i = 0; i < COUNT(dtypes); i++)
        if (dtypes[i].id == dtype)
            return &dtypes[i];
    return NULL;
}

const char *spmm_dtype_name(spmm_dtype_t dtype)
{
    const struct spmmi_dtype *row = spmmi_dtype_of(dtype);
    return row != NULL ? row->name : "?";
}

size_t spmm_dtype_size(spmm_dtype_t dtype)
{
    const struct spmmi_dtype *row = spmmi_dtype_of(dtype);
    return row != NULL ? row->bytes : 0;
}

const char *spmm_compute_name(spmm_compute_t compute)
{
    for (int i = 0; i < COUNT(computes); i++)
        if (computes[i].id == compute)
            return computes[i].name;
    return "?";
}

spmm_dtype_t spmmi_compute_values(spmm_compute_t compute)
{
    for (int i = 0; i < COUNT(computes); i++)
        if (computes[i].id == compute)
            return computes[i].values;
    return (spmm_dtype_t)0;
}

int spmmi_dtype_is_narrower(spmm_dtype_t dtype, spmm_dtype_t than)
{
    return spmm_dtype_size(dtype) > 0 && spmm_dtype_size(dtype) < spmm_dtype_size(than);
}

spmm_status_t spmm_dtype_at(int index, spmm_dtype_info_t *info)
{
    const struct spmmi_dtype *const row = spmmi_dtype_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_dtype_info_t full;
    memset(&full, 0, sizeof full);
    full.dtype = row->id;
    full.name = row->name;
    full.bytes = row->bytes;
    full.sum_type = row->sums;
    return spmmi_info_write(info, &full, sizeof full);
}
