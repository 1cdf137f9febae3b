/* SPDX-License-Identifier: Apache-2.0 */
/* See permutation.h. */
#include "permutation.h"

#include <assert.h>
#include <string.h>

#include "format/base/options.h"

#define WORD(name, id, number, ...) static_assert((int)(id) == (number), "the public enum copies the list");
#define PERMUTATION(name, id, number, ...) \
    static_assert((int)(id) == (number), "the public enum copies the list");
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION

static const struct spmmi_permutation permutations[SPMMI_PERMUTATION_ROWS] = {
#define WORD(name, id, number, text) {(spmm_reorder_t)(number), #name, text, 0, 0, 0, 0},
#define PERMUTATION(name, id, number, feature, matrices, units_max, instead, text) \
    {(spmm_reorder_t)(number), #name, text, feature, 1, SPMMI_MATRICES_##matrices, units_max},
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION
};

const struct spmmi_permutation *spmmi_permutation_at(int index)
{
    return index >= 0 && index < SPMMI_PERMUTATION_ROWS ? &permutations[index] : NULL;
}

const struct spmmi_permutation *spmmi_permutation_of(spmm_reorder_t kind)
{
    for (int i = 0; i < SPMMI_PERMUTATION_ROWS; i++)
        if (permutations[i].id == kind)
            return &permutations[i];
    return NULL;
}

int spmmi_permutation_is_kind(spmm_reorder_t kind)
{
    return kind != SPMM_REORDER_AUTO && spmmi_permutation_of(kind) != NULL;
}

const char *spmm_reorder_name(spmm_reorder_t kind)
{
    const struct spmmi_permutation *row = spmmi_permutation_of(kind);
    return row != NULL ? row->name : "?";
}

spmm_status_t spmm_reorder_at(int index, spmm_reorder_info_t *info)
{
    const struct spmmi_permutation *const row = spmmi_permutation_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_reorder_info_t full;
    memset(&full, 0, sizeof full);
    full.kind = row->id;
    full.name = row->name;
    full.text = row->text;
    full.is_made = row->is_made;
    full.needs_square = row->needs_square;
    full.units_max = row->units_max;
    return spmmi_info_write(info, &full, sizeof full);
}
