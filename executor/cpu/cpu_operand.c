/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_operand.h. */
#include "cpu_operand.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

static uint64_t operand_bytes(const struct spmmi_cpu_operand *o, spmm_op_t op)
{
    const uint64_t map = op == SPMM_OP_T ? sizeof *o->map : 0;
    return sizeof *o + ((uint64_t)o->rows + 1) * sizeof *o->row_ptr +
           (uint64_t)o->nnz * (sizeof *o->col_ind + spmm_dtype_size(o->dtype) + map);
}

static spmm_status_t arrays_make(struct spmmi_cpu_operand *o, const spmm_plan_t *plan, spmm_op_t op,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t nnz = (uint64_t)o->nnz;
    SPMM_TRY_ALLOC(o->row_ptr = spmmi_alloc((uint64_t)o->rows + 1, sizeof *o->row_ptr), diag);
    SPMM_TRY_ALLOC(o->col_ind = spmmi_alloc(nnz, sizeof *o->col_ind), diag);
    SPMM_TRY_ALLOC(o->values = spmmi_alloc(nnz, spmm_dtype_size(o->dtype)), diag);
    if (op == SPMM_OP_T) {
        SPMM_TRY_ALLOC(o->map = spmmi_alloc(nnz, sizeof *o->map), diag);
        status = spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, o->row_ptr, o->col_ind,
                                 o->map);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory while transposing the pattern");
    } else {
        memcpy(o->row_ptr, plan->row_ptr, ((size_t)o->rows + 1) * sizeof *o->row_ptr);
        if (nnz > 0)
            memcpy(o->col_ind, plan->col_ind, (size_t)nnz * sizeof *o->col_ind);
    }
cleanup:
    return status;
}

/* Samples pieces of A and counts the nonzeros that would miss a small direct-mapped cache of rows of B. The
 * successor of the previous row counts as a miss too: rows of nw04 follow each other, and f32 with n = 128
 * takes 11 ms if they are prefetched, else 15; a diagonal matrix is as fast either way. Meshes and a web
 * graph have a miss rate of up to 0.1; qp_CONT-300_A has 0.35 and is faster with prefetches
 * (docs/decisions/0107, 0109). */
bool spmmi_is_scattered(const int32_t *col_ind, int64_t nnz)
{
    enum { PIECES = 16, PIECE = 4096, CACHED = 8192 };
    int32_t last[CACHED];
    int64_t misses = 0, seen = 0;
    const int64_t step = nnz < PIECES ? nnz : nnz / PIECES, length = step < PIECE ? step : PIECE;
    memset(last, 0xff, sizeof last);
    for (int64_t begin = 0; length > 0 && begin + length <= nnz; begin += step) {
        for (int64_t p = begin; p < begin + length; p++, seen++) {
            int32_t *at = &last[col_ind[p] % CACHED];
            misses += *at != col_ind[p];
            *at = col_ind[p];
        }
    }
    return misses > seen * 3 / 10;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = source->plan;
    const spmm_op_t op = source->part->op;
    struct spmmi_cpu_operand *made = NULL;
    const struct spmmi_cpu_operand o = {.rows = op == SPMM_OP_N ? plan->rows : plan->cols,
                                        .cols = op == SPMM_OP_N ? plan->cols : plan->rows,
                                        .nnz = plan->nnz,
                                        .dtype = plan->dtype};
    *bytes += operand_bytes(&o, op);
    if (op == SPMM_OP_T) /* temporary row pointers of the transposition */
        spmmi_scratch_is(source, ((uint64_t)o.rows + 1) * sizeof *o.row_ptr);
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(made = spmmi_alloc(1, sizeof *made), diag);
    *made = o;
    *object = made;
    SPMM_TRY(arrays_make(made, plan, op, diag));
    made->is_scattered = spmmi_is_scattered(made->col_ind, made->nnz);
cleanup:
    return status;
}

static void destroy(void *object)
{
    struct spmmi_cpu_operand *o = object;
    spmmi_free(o->map);
    spmmi_free(o->values);
    spmmi_free(o->col_ind);
    spmmi_free(o->row_ptr);
    spmmi_free(o);
}

static void values_permute(const struct spmmi_cpu_operand *o, const void *values)
{
    switch (spmm_dtype_size(o->dtype)) {
    case sizeof(uint16_t):
        for (int64_t q = 0; q < o->nnz; q++)
            ((uint16_t *)o->values)[q] = ((const uint16_t *)values)[o->map[q]];
        break;
    case sizeof(uint32_t):
        for (int64_t q = 0; q < o->nnz; q++)
            ((uint32_t *)o->values)[q] = ((const uint32_t *)values)[o->map[q]];
        break;
    default:
        for (int64_t q = 0; q < o->nnz; q++)
            ((uint64_t *)o->values)[q] = ((const uint64_t *)values)[o->map[q]];
    }
}

static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_cpu_operand *o = object;
    (void)stream;
    if (o->map != NULL)
        values_permute(o, values);
    else if (o->nnz > 0)
        memcpy(o->values, values, (size_t)o->nnz * spmm_dtype_size(o->dtype));
    return SPMM_OK;
}

const struct spmmi_shared_kind spmmi_cpu_operand_kind = {
    .create = create, .set_values = set_values, .destroy = destroy};
