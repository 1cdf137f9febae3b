/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow matrices: one full row, one full column and the diagonal. */
#include "generate.h"

static int64_t arrow_length(const void *context, int64_t row)
{
    const int64_t side = *(const int64_t *)context;
    return row == 0 ? side : 2;
}

static int64_t arrow_row(const void *context, int64_t row, int32_t *out)
{
    const int64_t length = arrow_length(context, row);
    for (int64_t j = 0; j < length; j++)
        out[j] = (int32_t)j;
    if (row > 0)
        out[1] = (int32_t)row;
    return length;
}

spmm_status_t spmmi_generate_arrow(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const struct spmmi_row_source source = {
        .rows = args[0],
        .cols = args[0],
        .nnz_bound = 3 * args[0],
        .row_bound = args[0] > 2 ? args[0] : 2,
        .fill = arrow_row,
        .length = arrow_length,
        .context = args,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}
