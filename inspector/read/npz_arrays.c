/* SPDX-License-Identifier: Apache-2.0 */
/* See npz_arrays.h. */
#include "npz_arrays.h"

#include "format/base/diag.h"

/* Opens an array with one dimension. whole: its elements must be integers. */
static spmm_status_t open_list(struct spmmi_zip *zip, const char *member, bool whole, struct spmmi_npy *npy)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_npy_open(zip, member, npy));
    SPMM_TRY(spmmi_npy_expect(npy, whole, 1));
cleanup:
    return status;
}

static spmm_status_t check_count(struct spmmi_npy *npy, int64_t count)
{
    if (npy->count != count)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX, "expected %lld numbers, found %lld",
                              (long long)count, (long long)npy->count);
    return SPMM_OK;
}

spmm_status_t spmmi_npz_indices(struct spmmi_zip *zip, const char *member, int64_t count, int64_t limit,
                                int32_t *to)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    SPMM_TRY(open_list(zip, member, true, &npy));
    SPMM_TRY(check_count(&npy, count));
    SPMM_TRY(spmmi_npy_indices(&npy, to, count, limit));
    SPMM_TRY(spmmi_npy_close(&npy));
cleanup:
    return status;
}

spmm_status_t spmmi_npz_starts(struct spmmi_zip *zip, const char *member, int64_t count, int64_t entries,
                               int64_t **starts)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    SPMM_TRY(open_list(zip, member, true, &npy));
    SPMM_TRY(check_count(&npy, count + 1));
    SPMM_TRY(spmmi_reader_alloc(zip->reader, "offsets", (uint64_t)count + 1, sizeof **starts, starts));
    SPMM_TRY(spmmi_npy_integers(&npy, *starts, count + 1));
    const int64_t *to = *starts;
    for (int64_t i = 0; i <= count; i++) {
        const int64_t low = i == count ? entries : i > 0 ? to[i - 1] : 0;
        const int64_t high = i == 0 ? 0 : entries;
        if (to[i] < low || to[i] > high) {
            status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX,
                                    "expected an offset from %lld to %lld, found %lld as number %lld",
                                    (long long)low, (long long)high, (long long)to[i], (long long)i);
            goto cleanup;
        }
    }
    SPMM_TRY(spmmi_npy_close(&npy));
cleanup:
    return status;
}

spmm_status_t spmmi_npz_length(struct spmmi_zip *zip, const char *member, int64_t *length)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    SPMM_TRY(open_list(zip, member, true, &npy));
    *length = npy.count;
cleanup:
    return status;
}

spmm_status_t spmmi_npz_open_data(struct spmmi_zip *zip, int dims, spmm_matrix_t *matrix,
                                  struct spmmi_npy *npy)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_npy_open(zip, "data.npy", npy));
    SPMM_TRY(spmmi_npy_expect(npy, false, dims));
    spmmi_matrix_describe(matrix, npy->kind == 'f' ? SPMMI_FIELD_REAL : SPMMI_FIELD_INTEGER, SPMMI_GENERAL,
                          npy->count);
cleanup:
    return status;
}

spmm_status_t spmmi_npz_values(struct spmmi_zip *zip, int64_t count, spmm_matrix_t *matrix, double *to)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    SPMM_TRY(spmmi_npz_open_data(zip, 1, matrix, &npy));
    SPMM_TRY(check_count(&npy, count));
    SPMM_TRY(spmmi_npy_reals(&npy, to, count, &matrix->info.integers_inexact));
    SPMM_TRY(spmmi_npy_close(&npy));
cleanup:
    return status;
}
