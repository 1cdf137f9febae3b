/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the digest of the matrix file to its metadata, see metadata_input.h. */
#include <sys/stat.h>

#include "metadata_input.h"

#define DIGEST_KEY "source-sha256"

static spmm_status_t add_digest(struct metadata_input *in, const char *matrix, spmm_diag_t *diag)
{
    struct stat st;
    if (in->count == 0 || metadata_input_has(in, in->count, DIGEST_KEY) || stat(matrix, &st) != 0 ||
        !S_ISREG(st.st_mode))
        return SPMM_OK;
    const spmm_status_t status = file_digest(matrix, in->digest, diag);
    return status == SPMM_OK ? metadata_input_add(in, (spmm_metadata_t){DIGEST_KEY, in->digest}, diag)
                             : status;
}

spmm_status_t metadata_input_read_of(struct metadata_input *in, const char *matrix, const char **what,
                                     spmm_diag_t *diag)
{
    const spmm_status_t status = metadata_input_read(in, what, diag);
    if (status != SPMM_OK)
        return status;
    *what = matrix;
    return add_digest(in, matrix, diag);
}
