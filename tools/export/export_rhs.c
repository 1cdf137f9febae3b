/* SPDX-License-Identifier: Apache-2.0 */
/* See export_rhs.h. */
#include "export_rhs.h"

#include <stdlib.h>
#include <string.h>

#include "export_dense.h"
#include "format/base/file_ending.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

static bool is_npy(const char *path)
{
    const size_t length = strlen(path); /* a file that is named only .npy would be hidden */
    return length > strlen(".npy") && spmmi_has_ending(path, length, ".npy");
}

bool export_rhs_has_form(const char *path)
{
    return is_npy(path) || export_dense_is_text(path);
}

static double sum_of_row(const spmm_csr_t *a, int64_t row)
{
    const int64_t *row_ptr = a->row_ptr;
    long double sum = 0;
    for (int64_t p = row_ptr[row]; p < row_ptr[row + 1]; p++)
        sum += a->values != NULL ? (long double)value_get(a->value_type, a->values, p) : 1;
    return (double)sum;
}

spmm_status_t export_rhs(const char *path, const spmm_csr_t *a, int threads, spmm_diag_t *diag)
{
    double *const sums = calloc((size_t)a->rows + 1, sizeof *sums);
    const spmm_dense_t b = {sums, a->rows, 1, 1, SPMM_ROW_MAJOR, SPMM_F64};
    if (sums == NULL)
        return fail_memory(diag, ((uint64_t)a->rows + 1) * sizeof *sums, "the right-hand side");
    for (int64_t i = 0; i < a->rows; i++)
        sums[i] = sum_of_row(a, i);
    const spmm_status_t status = export_dense(path, &b, "% A x for x = 1\n", threads, diag);
    free(sums);
    return status;
}
