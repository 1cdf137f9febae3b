/* SPDX-License-Identifier: Apache-2.0 */
/* See cusparse_product.h. */
#include "cusparse_product.h"

#include "tools/cli/fail.h"

/* Returns 1 for Blocked-ELL, which has no preprocessing. */
static int is_blocked_ell(const struct cusparse_stored *stored)
{
    return stored->block > 0 && stored->width > 0;
}

cusparseStatus_t cusparse_stored_describe(const struct cusparse_stored *s, cudaDataType type,
                                          cusparseSpMatDescr_t *a)
{
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    if (s->slice > 0)
        return cusparseCreateSlicedEll(a, s->rows, s->cols, s->nnz, s->width, s->slice, s->row_ptr.data,
                                       s->col_ind.data, s->values.data, index, index, base, type);
    if (is_blocked_ell(s))
        return cusparseCreateBlockedEll(a, s->rows * s->block, s->cols * s->block, s->block,
                                        s->width * s->block, s->col_ind.data, s->values.data, index, base,
                                        type);
    if (s->block > 0)
        return cusparseCreateBsr(a, s->rows, s->cols, s->nnz, s->block, s->block, s->row_ptr.data,
                                 s->col_ind.data, s->values.data, index, index, base, type,
                                 CUSPARSE_ORDER_ROW);
    if (s->row_ind.data != NULL)
        return cusparseCreateCoo(a, s->rows, s->cols, s->nnz, s->row_ind.data, s->col_ind.data,
                                 s->values.data, index, base, type);
    return cusparseCreateCsr(a, s->rows, s->cols, s->nnz, s->row_ptr.data, s->col_ind.data, s->values.data,
                             index, index, base, type);
}

/* Creates the descriptor of B or C. rows may exceed the matrix: a blocked format needs the rows of whole
 * blocks, which the padding of the case provides. */
static cusparseStatus_t describe_dense(const spmm_dense_t *view, int64_t rows, cusparseDnMatDescr_t *dense)
{
    const cusparseOrder_t order = view->layout == SPMM_ROW_MAJOR ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    return cusparseCreateDnMat(dense, rows, view->cols, view->ld, view->data, cuda_type(view->type), order);
}

static spmm_status_t describe(struct cusparse_product *p, const struct cusparse_stored *stored,
                              const spmm_dense_t *b, const spmm_dense_t *c, spmm_diag_t *diag)
{
    const int is_op_t = p->op == CUSPARSE_OPERATION_TRANSPOSE;
    const int64_t scale = stored->block > 0 ? stored->block : 1;
    const int64_t b_rows = (is_op_t ? stored->rows : stored->cols) * scale;
    const int64_t c_rows = (is_op_t ? stored->cols : stored->rows) * scale;
    spmm_status_t status = SPMM_OK;
    TRY(cusparse_check(cusparse_stored_describe(stored, p->factors.type, &p->a), "describing A failed",
                       diag));
    TRY(cusparse_check(describe_dense(b, b_rows, &p->b), "describing B failed", diag));
    TRY(cusparse_check(describe_dense(c, c_rows, &p->c), "describing C failed", diag));
cleanup:
    return status;
}

spmm_status_t cusparse_product_begin(struct cusparse_product *p, const struct cusparse_stored *stored,
                                     const spmm_dense_t *b, const spmm_dense_t *c, int device,
                                     struct device_block *buffer, spmm_diag_t *diag)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const struct cusparse_factors *f = &p->factors;
    spmm_status_t status = SPMM_OK;
    TRY(describe(p, stored, b, c, diag));
    TRY(cusparse_check(cusparseSpMM_bufferSize(p->handle, p->op, plain, f->one, p->a, p->b, f->zero, p->c,
                                               f->compute, p->algorithm, &p->buffer_bytes),
                       "cusparseSpMM_bufferSize failed", diag));
    TRY(device_block_reserve(buffer, device, p->buffer_bytes, diag));
    p->buffer = buffer->data;
    if (!is_blocked_ell(stored))
        TRY(cusparse_check(cusparseSpMM_preprocess(p->handle, p->op, plain, f->one, p->a, p->b, f->zero, p->c,
                                                   f->compute, p->algorithm, p->buffer),
                           "cusparseSpMM_preprocess failed", diag));
cleanup:
    return status;
}

void cusparse_product_end(struct cusparse_product *p)
{
    if (p->c != NULL)
        (void)cusparseDestroyDnMat(p->c);
    if (p->b != NULL)
        (void)cusparseDestroyDnMat(p->b);
    if (p->a != NULL)
        (void)cusparseDestroySpMat(p->a);
    p->a = NULL;
    p->b = p->c = NULL;
}

spmm_status_t cusparse_product_run(void *context, spmm_diag_t *diag)
{
    const struct cusparse_product *p = context;
    return cusparse_check(cusparseSpMM(p->handle, p->op, CUSPARSE_OPERATION_NON_TRANSPOSE, p->factors.one,
                                       p->a, p->b, p->factors.zero, p->c, p->factors.compute, p->algorithm,
                                       p->buffer),
                          "cusparseSpMM failed", diag);
}
