/* SPDX-License-Identifier: Apache-2.0 */
/* See types.h. */
#include "types.h"

#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "options.h"

static const struct spmmi_types rows[] = {
#define TYPES(a, b, c, sum) {SPMM_##a, SPMM_##b, SPMM_##c, SPMM_##sum},
#include "types_list.def"
#undef TYPES
};

#define ROWS (sizeof rows / sizeof rows[0])
#define TEXT_BYTES 160

const struct spmmi_types *spmmi_types_find(struct spmmi_types types)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].a == types.a && rows[i].b == types.b && rows[i].c == types.c &&
            (types.sum == 0 || rows[i].sum == types.sum))
            return &rows[i];
    return NULL;
}

/* Writes all combinations as "f32 f32 f32 f32, f64 f64 f64 f64, ..". */
static void list_write(char text[TEXT_BYTES])
{
    text[0] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, TEXT_BYTES - used, "%s%s %s %s %s", i > 0 ? ", " : "",
                       spmm_dtype_name(rows[i].a), spmm_dtype_name(rows[i].b), spmm_dtype_name(rows[i].c),
                       spmm_dtype_name(rows[i].sum));
    }
}

spmm_status_t spmmi_types_require(struct spmmi_types types, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char known[TEXT_BYTES];
    if (spmmi_types_find(types) != NULL)
        return SPMM_OK;
    list_write(known);
    SPMM_FAIL(SPMM_ERR_UNSUPPORTED, diag,
              "no kernel has A %s, B %s, C %s, sums %s; expected one of (A B C sums) %s",
              spmm_dtype_name(types.a), spmm_dtype_name(types.b), spmm_dtype_name(types.c),
              types.sum == 0 ? "any" : spmm_dtype_name(types.sum), known);
cleanup:
    return status;
}

spmm_status_t spmm_types_at(int index, spmm_types_info_t *info)
{
    if ((size_t)index >= ROWS) /* also true for a negative index */
        return SPMM_ERR_ARGUMENT;
    spmm_types_info_t full;
    memset(&full, 0, sizeof full);
    full.a_type = rows[index].a;
    full.b_type = rows[index].b;
    full.c_type = rows[index].c;
    full.sum_type = rows[index].sum;
    return spmmi_info_write(info, &full, sizeof full);
}
