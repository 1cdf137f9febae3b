/* SPDX-License-Identifier: Apache-2.0 */
/* One workspace for all products of up to n_max columns. The variant, the shape of a kernel and its
 * scratch depend on n in steps, so that more columns may need less; they also depend on the types of
 * B and C. This file computes the maximum over every n and every pair of types, so it needs no
 * knowledge of the families. */
#include "executor_state.h"
#include "format/base/diag.h"

/* Kernels distinguish operands that are aligned to 16 bytes, to two elements, or to one. Multiples of these
 * numbers of elements have exactly these alignments. */
static const int64_t alignments[] = {16, 2, 1};
#define ALIGNMENTS 3

/* The properties of a product that do not depend on n. b_type and c_type are from a row of
 * format/base/types_list.def with the executor's type of A. */
struct products {
    const spmm_executor_t *executor;
    spmm_op_t op;
    int64_t m, k; /* rows and columns of op(A) */
    spmm_layout_t b_layout, c_layout;
    spmm_dtype_t b_type, c_type;
};

/* Describes a matrix of n columns whose first element and whose rows or columns are aligned
 * to `alignment` elements. */
static spmm_dense_t operand(int64_t rows, int64_t n, spmm_layout_t layout, spmm_dtype_t type,
                            int64_t alignment)
{
    const int64_t least = layout == SPMM_ROW_MAJOR ? n : rows;
    const int64_t ld = (least + alignments[0] - 1) / alignments[0] * alignments[0] + alignment;
    void *const data = (void *)((uintptr_t)alignment * spmm_dtype_size(type)); /* never read */
    return (spmm_dense_t){data, rows, n, ld, layout, type};
}

/* Raises *most to the workspace that a product of n columns needs with any alignment of B and C. */
static spmm_status_t bytes_of(const struct products *of, int64_t n, uint64_t *most, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int turn = 0; turn < ALIGNMENTS * ALIGNMENTS; turn++) {
        struct spmmi_choice choice;
        const spmm_dense_t b = operand(of->k, n, of->b_layout, of->b_type, alignments[turn % ALIGNMENTS]);
        const spmm_dense_t c = operand(of->m, n, of->c_layout, of->c_type, alignments[turn / ALIGNMENTS]);
        SPMM_TRY(spmmi_product_check(of->executor, of->op, &b, &c, &choice, diag));
        const struct spmmi_product product = spmmi_product_of(of->executor, &choice, of->op, &b, &c);
        const uint64_t bytes = spmmi_product_workspace(of->executor, choice.variant, &product);
        *most = bytes > *most ? bytes : *most;
    }
cleanup:
    return status;
}

/* Raises *most to the maximum over all widths. NO_VARIANT is no error for mixed types:
 * such products do not run. */
static spmm_status_t widths_bytes(const struct products *of, int64_t n_max, uint64_t *most, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_dtype_t a_type = of->executor->shape.dtype;
    const bool is_mixed = of->b_type != a_type || of->c_type != a_type;
    for (int64_t n = 0; n <= n_max && status == SPMM_OK; n++) {
        status = bytes_of(of, n, most, diag);
        if (status == SPMM_ERR_NO_VARIANT && is_mixed) {
            spmmi_diag_clear(diag);
            status = SPMM_OK;
        }
    }
    return status;
}

spmm_status_t spmm_executor_workspace_max(const spmm_executor_t *executor, spmm_op_t op, int64_t n_max,
                                          spmm_layout_t b_layout, spmm_layout_t c_layout, uint64_t *bytes,
                                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t most = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(bytes != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the bytes is NULL");
    *bytes = 0;
    SPMM_REQUIRE(executor != NULL, SPMM_ERR_ARGUMENT, diag, "the executor is NULL");
    SPMM_REQUIRE(n_max >= 0 && n_max <= SPMM_WORKSPACE_N_MAX, SPMM_ERR_ARGUMENT, diag,
                 "n_max is %lld, expected 0 to %d", (long long)n_max, SPMM_WORKSPACE_N_MAX);
    const struct spmm_plan *shape = &executor->shape;
    struct products of = {.executor = executor,
                          .op = op,
                          .m = op == SPMM_OP_T ? shape->cols : shape->rows,
                          .k = op == SPMM_OP_T ? shape->rows : shape->cols,
                          .b_layout = b_layout,
                          .c_layout = c_layout};
    spmm_types_info_t types = {.struct_size = sizeof types};
    for (int i = 0; spmm_types_at(i, &types) == SPMM_OK; i++)
        if (types.a_type == shape->dtype) {
            of.b_type = types.b_type;
            of.c_type = types.c_type;
            SPMM_TRY(widths_bytes(&of, n_max, &most, diag));
        }
    *bytes = most;
cleanup:
    return status;
}
