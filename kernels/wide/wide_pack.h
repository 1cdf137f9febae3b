/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the wide family (wide_kernel.h), built on the host from a CSR pattern. */
#ifndef SPMMI_WIDE_PACK_H
#define SPMMI_WIDE_PACK_H

#include "format/base/diag.h"
#include "wide_kernel.h"

struct spmmi_wide_layout {
    struct spmmi_wide view;
    uint32_t *slice_start, *phase_end, *row_of, *value_map; /* value_map: entry of each nonzero */
    uint16_t *ring_row;
};

/* Builds the layout. Errors: MEMORY; TOO_LARGE: the entries with padding do not fit 32 bits; UNSUPPORTED:
 * there are more phases than nonzeros. Free with spmmi_wide_free. */
spmm_status_t spmmi_wide_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                               struct spmmi_wide_layout *layout, spmm_diag_t *diag);
void spmmi_wide_free(struct spmmi_wide_layout *layout);

/* Computes only the counts of that layout; its pointers are NULL. Errors: as spmmi_wide_build. */
spmm_status_t spmmi_wide_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                               struct spmmi_wide *counts, spmm_diag_t *diag);

/* Returns the bytes of all arrays of a layout with these counts, except values and value_map. */
uint64_t spmmi_wide_bytes(const struct spmmi_wide *counts);
/* Returns the temporary bytes of building the layout. */
uint64_t spmmi_wide_scratch(const struct spmmi_wide *counts);

#endif
