/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of scipy.sparse: arrays of an archive -> rows of a CSR, not yet sorted. */
#ifndef SPMMI_NPZ_LAYOUTS_H
#define SPMMI_NPZ_LAYOUTS_H

#include "npz_zip.h"

struct spmmi_npz_layout {
    const char *name; /* as format.npy says */
    /* rows and cols are set. Fills nnz, the arrays and the metrics of info. */
    spmm_status_t (*read)(struct spmmi_zip *zip, spmm_matrix_t *matrix);
};

spmm_status_t spmmi_npz_read_bsr(struct spmmi_zip *zip, spmm_matrix_t *matrix);
/* NULL for another one. */
const struct spmmi_npz_layout *spmmi_npz_layout_of(const char *name);

#endif
