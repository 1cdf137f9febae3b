/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that every product passes before anything runs; see executor_state.h. */
#include <stdio.h>

#include "executor_state.h"
#include "parts.h"
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "format/base/types.h"

/* Computes the bytes from the first to past the last element; 0 for an empty matrix. Returns false on
 * overflow of the address space. */
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

/* Checks a dense matrix by itself; name is "B" or "C" and is used in messages. */
static spmm_status_t dense_check(const spmm_dense_t *d, const char *name, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(d != NULL, SPMM_ERR_ARGUMENT, diag, "%s is NULL", name);
    SPMM_REQUIRE(d->layout == SPMM_ROW_MAJOR || d->layout == SPMM_COL_MAJOR, SPMM_ERR_ARGUMENT, diag,
                 "the layout of %s is %d, expected 0 (row-major) or 1 (column-major)", name, (int)d->layout);
    SPMM_REQUIRE(spmm_dtype_size(d->type) != 0, SPMM_ERR_ARGUMENT, diag,
                 "the type of %s is %d, which is not a type of spmm_dtype_t", name, (int)d->type);
    SPMM_REQUIRE(d->rows >= 0 && d->cols >= 0, SPMM_ERR_ARGUMENT, diag, "%s is %lld x %lld", name,
                 (long long)d->rows, (long long)d->cols);
    SPMM_REQUIRE(d->ld >= (d->layout == SPMM_ROW_MAJOR ? d->cols : d->rows), SPMM_ERR_ARGUMENT, diag,
                 "the leading dimension of %s is %lld, less than the %lld elements of a %s", name,
                 (long long)d->ld, (long long)(d->layout == SPMM_ROW_MAJOR ? d->cols : d->rows),
                 d->layout == SPMM_ROW_MAJOR ? "row" : "column");
cleanup:
    return status;
}

#define TYPES_BYTES 128

/* Lists the types of B and C that products accept with this type of A: "f32 f32, f16 f16". */
static void types_list(spmm_dtype_t a, char text[TYPES_BYTES])
{
    spmm_types_info_t types = {.struct_size = sizeof types};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; spmm_types_at(i, &types) == SPMM_OK; i++)
        if (types.a_type == a && used < TYPES_BYTES)
            used += (size_t)snprintf(text + used, TYPES_BYTES - used, "%s%s %s", used == 0 ? "" : ", ",
                                     spmm_dtype_name(types.b_type), spmm_dtype_name(types.c_type));
}

/* Finds the first type of A with which products accept these types of B and C. Returns
 * false if there is none. */
static bool find_a_type(spmm_dtype_t b, spmm_dtype_t c, spmm_dtype_t *a)
{
    spmm_types_info_t types = {.struct_size = sizeof types};
    for (int i = 0; spmm_types_at(i, &types) == SPMM_OK; i++)
        if (types.b_type == b && types.c_type == c) {
            *a = types.a_type;
            return true;
        }
    return false;
}

static spmm_status_t types_check(const struct spmm_plan *shape, const spmm_dense_t *b, const spmm_dense_t *c,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char known[TYPES_BYTES];
    spmm_dtype_t a_type = shape->dtype;
    if ((b->type == shape->dtype && c->type == shape->dtype) ||
        spmmi_types_find((struct spmmi_types){shape->dtype, b->type, c->type, 0}) != NULL)
        return SPMM_OK;
    types_list(shape->dtype, known);
    SPMM_REQUIRE(!find_a_type(b->type, c->type, &a_type), SPMM_ERR_TYPE, diag,
                 "the values of A are %s, so B and C are of types %s; found B %s and C %s, which need values "
                 "of A of %s: inspect for these",
                 spmm_dtype_name(shape->dtype), known, spmm_dtype_name(b->type), spmm_dtype_name(c->type),
                 spmm_dtype_name(a_type));
    SPMM_TRY(spmmi_types_require((struct spmmi_types){shape->dtype, b->type, c->type, 0}, diag));
cleanup:
    return status;
}

/* Checks that a loaded part can run the product: if B or C have other types than A, not every part can. */
static spmm_status_t part_check(const spmm_executor_t *executor, const struct spmmi_choice *choice,
                                spmm_op_t op, const spmm_dense_t *b, const spmm_dense_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_product product = spmmi_product_of(executor, choice, op, b, c);
    const struct spmmi_parts *parts =
        executor->cuda != NULL ? spmmi_cuda_parts(executor->cuda) : spmmi_cpu_parts(executor->cpu);
    SPMM_REQUIRE(spmmi_parts_for(parts, choice->variant, &product) != NULL, SPMM_ERR_NO_VARIANT, diag,
                 "no part of the plan for op %s multiplies A %s, B %s, C %s: %s", spmm_op_name(op),
                 spmm_dtype_name(product.a_type), spmm_dtype_name(b->type), spmm_dtype_name(c->type),
                 executor->given_up != 0 ? "the memory budget is too small for all parts"
                                         : "inspect for these types");
cleanup:
    return status;
}

static spmm_status_t shapes_check(const struct spmm_plan *shape, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t b_bytes, c_bytes;
    const int64_t m = op == SPMM_OP_N ? shape->rows : shape->cols;
    const int64_t k = op == SPMM_OP_N ? shape->cols : shape->rows;
    SPMM_REQUIRE(b->rows == k && c->rows == m && b->cols == c->cols, SPMM_ERR_SHAPE, diag,
                 "op(A) is %lld x %lld, B is %lld x %lld, C is %lld x %lld", (long long)m, (long long)k,
                 (long long)b->rows, (long long)b->cols, (long long)c->rows, (long long)c->cols);
    SPMM_REQUIRE(b->cols <= SPMMI_N_MAX && extent_bytes(b, &b_bytes) && extent_bytes(c, &c_bytes),
                 SPMM_ERR_TOO_LARGE, diag, "B or C is too large: n is %lld, leading dimensions %lld and %lld",
                 (long long)b->cols, (long long)b->ld, (long long)c->ld);
cleanup:
    return status;
}

spmm_status_t spmmi_product_check(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c, struct spmmi_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor != NULL, SPMM_ERR_ARGUMENT, diag, "the executor is NULL");
    SPMM_REQUIRE(op == SPMM_OP_N || op == SPMM_OP_T, SPMM_ERR_ARGUMENT, diag,
                 "op is %d, expected SPMM_OP_N or SPMM_OP_T", (int)op);
    SPMM_TRY(dense_check(b, "B", diag));
    SPMM_TRY(dense_check(c, "C", diag));
    const struct spmm_plan *shape = &executor->shape;
    SPMM_TRY(types_check(shape, b, c, diag));
    SPMM_TRY(shapes_check(shape, op, b, c, diag));
    int fits = 0;
    const uint32_t layout = b->layout == SPMM_ROW_MAJOR ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
    choice->variant = spmmi_variant_pick(shape, op, executor->target, b->cols, layout, &fits);
    SPMM_REQUIRE(shape->variant_count > 0, SPMM_ERR_NO_VARIANT, diag,
                 "the plan has no variants, like every plan of a product of sparse matrices");
    SPMM_REQUIRE(choice->variant >= 0, SPMM_ERR_NO_VARIANT, diag,
                 "the plan has no variant for op %s, or the executor's options exclude this op",
                 spmm_op_name(op));
    choice->fits = fits != 0 && !spmmi_is_given_up(executor, choice->variant);
    SPMM_TRY(part_check(executor, choice, op, b, c, diag));
cleanup:
    return status;
}

/* Checks that the pointer can hold the matrix: not NULL, aligned to an element, and
 * not past the last address. */
static spmm_status_t data_check(const spmm_dense_t *d, uint64_t bytes, const char *name, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uintptr_t begin = (uintptr_t)d->data;
    uint64_t end;
    if (bytes == 0)
        return SPMM_OK;
    SPMM_REQUIRE(begin != 0, SPMM_ERR_ARGUMENT, diag, "the data of %s are NULL", name);
    SPMM_REQUIRE(begin % spmm_dtype_size(d->type) == 0, SPMM_ERR_ARGUMENT, diag,
                 "the data of %s are not aligned to an element of %zu bytes", name, spmm_dtype_size(d->type));
    SPMM_REQUIRE(spmmi_add_u64((uint64_t)begin, bytes, &end), SPMM_ERR_ARGUMENT, diag,
                 "%s ends past the last address", name);
cleanup:
    return status;
}

spmm_status_t spmmi_product_data_check(const spmm_dense_t *b, const spmm_dense_t *c, bool reads_b,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t b_bytes = 0, c_bytes = 0;
    /* These do not overflow: spmmi_product_check has checked the extents. */
    (void)extent_bytes(b, &b_bytes);
    (void)extent_bytes(c, &c_bytes);
    if (!reads_b)
        b_bytes = 0;
    SPMM_TRY(data_check(b, b_bytes, "B", diag));
    SPMM_TRY(data_check(c, c_bytes, "C", diag));
    const uint64_t b_begin = (uintptr_t)b->data;
    const uint64_t c_begin = (uintptr_t)c->data;
    const bool overlap =
        b_bytes > 0 && c_bytes > 0 && b_begin < c_begin + c_bytes && c_begin < b_begin + b_bytes;
    SPMM_REQUIRE(!overlap, SPMM_ERR_OVERLAP, diag, "B and C overlap in memory");
cleanup:
    return status;
}

struct spmmi_product spmmi_product_of(const spmm_executor_t *executor, const struct spmmi_choice *choice,
                                      spmm_op_t op, const spmm_dense_t *b, const spmm_dense_t *c)
{
    return (struct spmmi_product){.op = op,
                                  .a_type = executor->shape.dtype,
                                  .a_is_uniform = executor->has_unit_values,
                                  .a_value = 1,
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
