/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor keeps for a GPU, shared by the files of the CUDA side. */
#ifndef SPMMI_CUDA_STATE_H
#define SPMMI_CUDA_STATE_H

#include "cuda_backend.h"
#include "kernels/tcblock/fragment_cuda.h"
#include "kernels/rows/rows_run_cuda.h"
#include "kernels/tiled/tiled_cuda.h"
#include "kernels/rows/rows_kernel.h"

#define SPMMI_OP_COUNT 2

/* op(A) on the device. The values of op = N are kept whenever A has a transposed part: set_values fills
 * them and gathers the others through the map. */
struct spmmi_operand {
    int is_used; /* a part of the rows family needs the pattern */
    int64_t rows, cols;
    struct spmmi_stream stream;
    void *values;  /* the same as stream.values, to write */
    uint32_t *map; /* op = T: position in A's order of each nonzero */
};

/* What a name of the catalogue says. */
struct spmmi_cuda_name {
    spmm_family_t family;
    spmm_schedule_t schedule; /* 0: there is no such name */
    uint32_t register_tile;   /* of a tiled kernel whose name ends in /r1, /r2, /r4 .. /r32; else 0 */
};
struct spmmi_cuda_name spmmi_cuda_name_of(const char *name);

struct spmmi_cuda {
    int device;
    struct spmmi_rows_device figures;
    spmm_dtype_t dtype;
    uint32_t nnz;
    uint32_t part_count;
    struct spmmi_variant variants[SPMMI_VARIANT_MAX];
    struct spmmi_part parts[SPMMI_PART_MAX]; /* without items */
    int part_is_used[SPMMI_PART_MAX];        /* a variant runs it */
    struct spmmi_operand operands[SPMMI_OP_COUNT];
    struct spmmi_stream_items items[SPMMI_PART_MAX];
    const struct spmmi_block *blocks[SPMMI_PART_MAX][SPMMI_ROWS_GRIDS]; /* nonzero split */
    struct spmmi_cuda_tiled tiled[SPMMI_PART_MAX];                      /* of the used parts of that family */
    struct spmmi_cuda_fragments fragments[SPMMI_PART_MAX];              /* of window, panel and bcsr parts */
    struct spmmi_cuda_name forced;                                      /* schedule 0 = the variant's part */
    char *memory;
    uint64_t memory_bytes;
    uint32_t *arrivals;
};

/* The part that runs a variant of op: its first, or one of the same op with the forced schedule. */
uint32_t spmmi_cuda_part_of(const struct spmmi_cuda *cuda, int variant, spmm_op_t op);

/* Copy the streams and items of the rows family to the device addresses that cuda holds. */
spmm_status_t spmmi_cuda_upload(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_diag_t *diag);

/* Is this part what the name says? Peeled rows are no part that could run by itself. */
static inline int spmmi_cuda_is_named(const struct spmmi_cuda_name *name, const struct spmmi_part *part)
{
    return part->family == name->family && part->schedule == name->schedule &&
           (part->flags & SPMMI_PART_PEELED) == 0;
}

#endif
