/* SPDX-License-Identifier: Apache-2.0 */
/* One workspace for all products of up to n_max columns. The variant, the shape of a kernel and its scratch depend on n
 * in steps, so that more columns may need less. Every n is asked for: nothing of a family has to be known here. */
#include "executor_state.h"
#include "format/base/diag.h"

#define WORD_BYTES 16 /* kernels tell operands apart that are aligned to this */

/* What of a product is the same for all n. */
struct products {
    const spmm_executor_t *executor;
    spmm_op_t op;
    int64_t m, k; /* of op(A) */
    spmm_layout_t b_layout, c_layout;
};

/* n columns, of which each row or column and the first element begin with a word, or none of them does. */
static spmm_dense_t operand(int64_t rows, int64_t n, spmm_layout_t layout, spmm_dtype_t type, bool is_aligned)
{
    const int64_t least = layout == SPMM_ROW_MAJOR ? n : rows;
    const int64_t word = (least + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    void *const data = is_aligned ? NULL : (void *)(uintptr_t)spmm_dtype_size(type); /* never read */
    return (spmm_dense_t){data, rows, n, is_aligned ? word : word + 1, layout, type};
}

/* The most that a product of n columns needs, however B and C are aligned. */
static spmm_status_t bytes_of(const struct products *of, int64_t n, uint64_t *most, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_dtype_t type = of->executor->shape.dtype;
    for (int turn = 0; turn < 4; turn++) {
        struct spmmi_choice choice;
        const spmm_dense_t b = operand(of->k, n, of->b_layout, type, (turn & 1) == 0);
        const spmm_dense_t c = operand(of->m, n, of->c_layout, type, (turn & 2) == 0);
        SPMM_TRY(spmmi_product_check(of->executor, of->op, &b, &c, &choice, diag));
        const struct spmmi_product product = spmmi_product_of(of->executor, &choice, of->op, &b, &c);
        const uint64_t bytes = spmmi_product_workspace(of->executor, choice.variant, &product);
        *most = bytes > *most ? bytes : *most;
    }
cleanup:
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
    const struct products of = {.executor = executor,
                                .op = op,
                                .m = op == SPMM_OP_T ? shape->cols : shape->rows,
                                .k = op == SPMM_OP_T ? shape->rows : shape->cols,
                                .b_layout = b_layout,
                                .c_layout = c_layout};
    for (int64_t n = 0; n <= n_max; n++)
        SPMM_TRY(bytes_of(&of, n, &most, diag));
    *bytes = most;
cleanup:
    return status;
}
