/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that every product passes before anything runs; see executor_state.h. */
#include "executor_state.h"
#include "format/base/checked.h"

/* Bytes from the first to past the last element; 0 for an empty matrix. False when they pass the address space. */
static bool extent_bytes(const spmm_dense_t *d, uint64_t *bytes)
{
    const bool is_rows = d->layout == SPMM_ROW_MAJOR;
    const uint64_t lines = (uint64_t)(is_rows ? d->rows : d->cols);
    const uint64_t length = (uint64_t)(is_rows ? d->cols : d->rows);
    *bytes = 0;
    if (lines == 0 || length == 0)
        return true;
    return spmmi_mul_u64(lines - 1, (uint64_t)d->ld, bytes) && spmmi_add_u64(*bytes, length, bytes) &&
           spmmi_mul_u64(*bytes, spmm_dtype_size(d->type), bytes) && *bytes <= PTRDIFF_MAX;
}

static bool dense_is_valid(const spmm_dense_t *d)
{
    if (d->layout != SPMM_ROW_MAJOR && d->layout != SPMM_COL_MAJOR)
        return false;
    return d->rows >= 0 && d->cols >= 0 && d->ld >= (d->layout == SPMM_ROW_MAJOR ? d->cols : d->rows);
}

spmm_status_t spmmi_product_check(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c, struct spmmi_choice *choice)
{
    if (executor == NULL || b == NULL || c == NULL || (op != SPMM_OP_N && op != SPMM_OP_T))
        return SPMM_ERR_ARGUMENT;
    if (!dense_is_valid(b) || !dense_is_valid(c))
        return SPMM_ERR_ARGUMENT;
    const struct spmm_plan *shape = &executor->shape;
    if (b->type != shape->dtype || c->type != shape->dtype)
        return SPMM_ERR_TYPE;
    const int64_t m = op == SPMM_OP_N ? shape->rows : shape->cols;
    const int64_t k = op == SPMM_OP_N ? shape->cols : shape->rows;
    if (b->rows != k || c->rows != m || b->cols != c->cols)
        return SPMM_ERR_SHAPE;
    uint64_t b_bytes, c_bytes;
    if (b->cols > SPMMI_N_MAX || !extent_bytes(b, &b_bytes) || !extent_bytes(c, &c_bytes))
        return SPMM_ERR_TOO_LARGE;
    int fits = 0;
    const uint32_t layout = b->layout == SPMM_ROW_MAJOR ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
    choice->variant = spmmi_variant_pick(shape, op, executor->target, b->cols, layout, &fits);
    choice->fits = fits != 0;
    return choice->variant < 0 ? SPMM_ERR_NO_VARIANT : SPMM_OK;
}

/* A pointer that can hold the matrix: there, aligned to its element, and not past the end of memory. */
static bool data_is_valid(const spmm_dense_t *d, uint64_t bytes)
{
    const uintptr_t begin = (uintptr_t)d->data;
    uint64_t end;
    return bytes == 0 || (begin != 0 && begin % spmm_dtype_size(d->type) == 0 &&
                          spmmi_add_u64((uint64_t)begin, bytes, &end));
}

spmm_status_t spmmi_product_data_check(const spmm_dense_t *b, const spmm_dense_t *c, bool reads_b)
{
    uint64_t b_bytes = 0, c_bytes = 0;
    if (!extent_bytes(b, &b_bytes) || !extent_bytes(c, &c_bytes))
        return SPMM_ERR_TOO_LARGE;
    if (!reads_b)
        b_bytes = 0;
    if (!data_is_valid(b, b_bytes) || !data_is_valid(c, c_bytes))
        return SPMM_ERR_ARGUMENT;
    const uint64_t b_begin = (uintptr_t)b->data;
    const uint64_t c_begin = (uintptr_t)c->data;
    const bool overlap =
        b_bytes > 0 && c_bytes > 0 && b_begin < c_begin + c_bytes && c_begin < b_begin + b_bytes;
    return overlap ? SPMM_ERR_OVERLAP : SPMM_OK;
}

struct spmmi_product spmmi_product_of(const spmm_executor_t *executor, const struct spmmi_choice *choice,
                                      spmm_op_t op, const spmm_dense_t *b, const spmm_dense_t *c)
{
    return (struct spmmi_product){.op = op,
                                  .a_type = executor->shape.dtype,
                                  .compute = executor->shape.variants[choice->variant].compute,
                                  .alpha = 1,
                                  .b = *b,
                                  .c = *c};
}

uint64_t spmmi_product_workspace(const spmm_executor_t *executor, int variant,
                                 const struct spmmi_product *product)
{
    return executor->cuda != NULL ? spmmi_cuda_workspace_bytes(executor->cuda, variant, product)
                                  : spmmi_cpu_workspace_bytes(executor->cpu, variant, product);
}
