/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of scipy.sparse: converts the arrays of an archive to CSR rows that are not yet sorted. */
#ifndef SPMMI_NPZ_LAYOUTS_H
#define SPMMI_NPZ_LAYOUTS_H

#include "npz_zip.h"

struct spmmi_npz_layout {
    const char *name; /* as in format.npy */
    /* Fills in nnz, the arrays and the metrics of info. rows and cols are already set. */
    spmm_status_t (*read)(struct spmmi_zip *zip, spmm_matrix_t *matrix);
};

spmm_status_t spmmi_npz_read_bsr(struct spmmi_zip *zip, spmm_matrix_t *matrix);
/* Returns NULL for an unknown layout. */
const struct spmmi_npz_layout *spmmi_npz_layout_of(const char *name);

#endif
