/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_kind.h. */
#include "tcblock_kind.h"

static uint32_t windows_of(uint32_t unit_rows)
{
    return unit_rows / SPMMI_WINDOW_ROWS;
}

uint32_t spmmi_window_block_columns(uint32_t value_bytes)
{
    (void)value_bytes;
    return SPMMI_TCBLOCK_BLOCK;
}

uint64_t spmmi_windows_bytes(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols)
{
    return spmmi_tcblock_unit_bytes(windows_of(unit_rows), nonzeros, cols);
}

spmm_status_t spmmi_windows_make(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols, void *unit,
                                 spmm_diag_t *diag)
{
    return spmmi_tcblock_unit_make(windows_of(unit_rows), nonzeros, cols, unit, diag);
}

void spmmi_windows_read(const struct spmmi_tcblock_frame *f, void *unit, const uint32_t *rows,
                        uint32_t row_count)
{
    spmmi_tcblock_unit_read(unit, f->row_ptr, f->col_ind, rows, row_count);
}
