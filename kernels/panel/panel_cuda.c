/* SPDX-License-Identifier: Apache-2.0 */
/* The panel family on a GPU. */
#include "format/base/diag.h"
#include "kernels/tcblock/tcblock_cuda.h"
#include "panel_instances.h"
#include "panel_pack.h"
#include "panel_shape.h"

#define UNIT_ROWS_MAX 128u

static spmm_status_t supports(const struct spmmi_part_source *source, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(source->part->block_rows <= UNIT_ROWS_MAX, SPMM_ERR_UNSUPPORTED, diag,
                 "GPU kernels support row blocks of at most %u rows, found %u", UNIT_ROWS_MAX,
                 source->part->block_rows);
cleanup:
    return status;
}

/* Checks that the stage fits. A stage holds one step of a row block, which the kernels cannot split. */
static spmm_status_t fits(const struct spmmi_tcblocks *layout, uint32_t value_bytes, uint32_t shared_max,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t bytes = spmmi_panel_stage(SPMMI_PANEL_B_MIN, value_bytes, (int)layout->is_packed,
                                             layout->step_blocks_max, layout->step_values_max)
                               .bytes;
    SPMM_REQUIRE(
        bytes <= shared_max, SPMM_ERR_UNSUPPORTED, diag,
        "row blocks of %u rows need %u bytes of shared memory, but a thread block of this GPU can use at "
        "most %u: inspect with a smaller tcblock.block_rows, packed blocks, or the family window",
        layout->unit_rows, bytes, shared_max);
cleanup:
    return status;
}

static const struct spmmi_tcblock_gpu gpu = {
    .kind = &spmmi_panel_kind, .launch = spmmi_panel_cuda_launch, .stores_columns = 1, .fits = fits};

const struct spmmi_backend spmmi_panel_cuda = {SPMMI_CUDA_TCBLOCKS, .supports = supports, .kind = &gpu};
