/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of .npz files that scipy.sparse.save_npz writes: a zip archive of NumPy arrays. format.npy names
 * the layout and shape.npy the size; the layout determines which other arrays there are. Arrays are converted
 * to numbers during unpacking, so that only one block of unpacked bytes is in memory at a time. */
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "npy_array.h"
#include "npz_layouts.h"

#define ZIP_MEMBER "PK\x03\x04"
#define ZIP_EMPTY "PK\x05\x06"
#define MAGIC_BYTES 4u

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    if (spmmi_head_starts(head, ZIP_MEMBER, MAGIC_BYTES) || spmmi_head_starts(head, ZIP_EMPTY, MAGIC_BYTES))
        return SPMMI_PROBE_CONTENT;
    return spmmi_head_named(head, ".npz") ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected a zip archive, as scipy.sparse.save_npz writes it, found %s",
                   spmmi_token(head->bytes, head->bytes + head->size, token));
}

static spmm_status_t read_layout(struct spmmi_zip *zip, const struct spmmi_npz_layout **layout)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    char name[8];
    char shown[sizeof name * 4];
    if (!spmmi_zip_has(zip, "format.npy")) {
        status =
            spmmi_reader_fail(zip->reader, SPMM_ERR_MATRIX_SYNTAX, 0,
                              "expected an archive of scipy.sparse.save_npz, found a zip archive without "
                              "format.npy; unpack archives of other files");
        goto cleanup;
    }
    SPMM_TRY(spmmi_npy_open(zip, "format.npy", &npy));
    SPMM_TRY(spmmi_npy_text(&npy, name, sizeof name));
    SPMM_TRY(spmmi_npy_close(&npy));
    *layout = spmmi_npz_layout_of(name);
    if (*layout == NULL) {
        spmmi_escape(name, strlen(name), shown, sizeof shown);
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                                "expected csr, csc, coo, bsr or dia, found \"%s\"", shown);
    }
cleanup:
    return status;
}

static spmm_status_t read_shape(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    int64_t shape[2] = {0, 0};
    SPMM_TRY(spmmi_npy_open(zip, "shape.npy", &npy));
    SPMM_TRY(spmmi_npy_expect(&npy, true, 1));
    if (npy.count != 2) {
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX, "expected rows and columns, found %lld numbers",
                                (long long)npy.count);
        goto cleanup;
    }
    SPMM_TRY(spmmi_npy_integers(&npy, shape, 2));
    SPMM_TRY(spmmi_npy_close(&npy));
    for (int i = 0; i < 2; i++) {
        if (shape[i] < 0 || shape[i] > SPMMI_DIM_MAX) {
            status = spmmi_zip_fail(zip, shape[i] < 0 ? SPMM_ERR_MATRIX_SYNTAX : SPMM_ERR_MATRIX_TOO_LARGE,
                                    "expected sizes from 0 to %lld, found %lld", (long long)SPMMI_DIM_MAX,
                                    (long long)shape[i]);
            goto cleanup;
        }
    }
    matrix->rows = shape[0];
    matrix->cols = shape[1];
cleanup:
    return status;
}

static spmm_status_t read_npz(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                              spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_npz_layout *layout = NULL;
    struct spmmi_zip zip;
    memset(&zip, 0, sizeof zip);
    SPMM_TRY(spmmi_zip_open(reader, bytes, size, &zip));
    SPMM_TRY(read_layout(&zip, &layout));
    SPMM_TRY(read_shape(&zip, matrix));
    SPMM_TRY(layout->read(&zip, matrix));
cleanup:
    spmmi_zip_close(&zip);
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_npz;
const struct spmmi_reader_ops spmmi_reader_npz = {".npz", "npz", probe, refuse, read_npz};
