/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that the library is compared with: the CUDA baseline with both orders of its threads, and the
 * CSR algorithms of cuSPARSE. */
#include "method.h"
#include "naive_spmm.h"
#include "tools/bench/cusparse_product.h"
#include "tools/cli/fail.h"

enum { NAIVE_AS_PRINTED, NAIVE_COALESCED, CUSPARSE }; /* CUSPARSE plus the number of the algorithm */

static cusparseHandle_t handle;

struct peer {
    struct cusparse_stored a; /* CSR */
    struct device_block buffer;
    struct naive_product naive;
    struct cusparse_product cusparse;
};

spmm_status_t method_peers_open(spmm_diag_t *diag)
{
    return cusparse_check(cusparseCreate(&handle), "starting cuSPARSE failed", diag);
}

void method_peers_close(void)
{
    if (handle != NULL)
        (void)cusparseDestroy(handle);
    handle = NULL;
}

static spmm_status_t upload(struct device_block *block, const void *from, int64_t count, size_t size,
                            spmm_diag_t *diag)
{
    const uint64_t bytes = (uint64_t)count * size;
    spmm_status_t status = SPMM_OK;
    TRY(device_block_reserve(block, 0, bytes, diag));
    TRY(device_upload(block, from, bytes, diag));
cleanup:
    return status;
}

static spmm_status_t upload_a(const struct method_case *of, struct cusparse_stored *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    TRY(upload(&a->row_ptr, of->row_ptr, of->rows + 1, 4, diag));
    TRY(upload(&a->col_ind, of->col_ind, of->nnz, 4, diag));
    TRY(upload(&a->values, of->values, of->nnz, spmm_dtype_size(of->dtype), diag));
    a->rows = of->rows;
    a->cols = of->cols;
    a->nnz = of->nnz;
cleanup:
    return status;
}

static spmm_status_t make_naive(int kind, const struct method_case *of, void *state, spmm_diag_t *diag)
{
    struct peer *peer = state;
    if (of->dtype != SPMM_F32 && of->dtype != SPMM_F64)
        return fail(diag, SPMM_ERR_UNSUPPORTED, "it is of f32 and f64");
    const spmm_status_t status = upload_a(of, &peer->a, diag);
    peer->naive = (struct naive_product){.rows = (int32_t)of->rows,
                                         .n = (int32_t)of->c->cols,
                                         .row_ptr = peer->a.row_ptr.data,
                                         .col_ind = peer->a.col_ind.data,
                                         .values = peer->a.values.data,
                                         .b = of->b->data,
                                         .c = of->c->data,
                                         .ldb = of->b->ld,
                                         .ldc = of->c->ld,
                                         .is_double = of->dtype == SPMM_F64,
                                         .is_coalesced = kind == NAIVE_COALESCED};
    return status;
}

static spmm_status_t run_naive(void *context, spmm_diag_t *diag)
{
    const struct peer *peer = context;
    const char *failure = naive_spmm(&peer->naive);
    return failure == NULL ? SPMM_OK : fail(diag, SPMM_ERR_DEVICE, "the naive kernel failed: %s", failure);
}

static spmm_status_t make_cusparse(int kind, const struct method_case *of, void *state, spmm_diag_t *diag)
{
    static const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2,
                                                   CUSPARSE_SPMM_CSR_ALG3};
    struct peer *peer = state;
    spmm_status_t status = SPMM_OK;
    TRY(upload_a(of, &peer->a, diag));
    peer->cusparse = (struct cusparse_product){.handle = handle,
                                               .op = CUSPARSE_OPERATION_NON_TRANSPOSE,
                                               .factors = cusparse_factors_of(of->dtype),
                                               .algorithm = algorithms[kind - CUSPARSE]};
    TRY(cusparse_product_begin(&peer->cusparse, &peer->a, of->b, of->c, 0, &peer->buffer, diag));
cleanup:
    return status;
}

static spmm_status_t run_cusparse(void *context, spmm_diag_t *diag)
{
    struct peer *peer = context;
    return cusparse_product_run(&peer->cusparse, diag);
}

static void describe(const void *state, struct method_facts *facts)
{
    const struct peer *peer = state;
    facts->held_bytes =
        peer->a.row_ptr.bytes + peer->a.col_ind.bytes + peer->a.values.bytes + peer->buffer.bytes;
}

static void drop(void *state)
{
    struct peer *peer = state;
    cusparse_product_end(&peer->cusparse);
    device_block_free(&peer->buffer);
    device_block_free(&peer->a.values);
    device_block_free(&peer->a.col_ind);
    device_block_free(&peer->a.row_ptr);
}

#define NAIVE sizeof(struct peer), make_naive, run_naive, describe, drop
#define VENDOR sizeof(struct peer), make_cusparse, run_cusparse, describe, drop

const struct method method_peers[] = {
    {"naive", NAIVE_AS_PRINTED, NAIVE},          {"naive-coalesced", NAIVE_COALESCED, NAIVE},
    {"cusparse-csr-alg1", CUSPARSE, VENDOR},     {"cusparse-csr-alg2", CUSPARSE + 1, VENDOR},
    {"cusparse-csr-alg3", CUSPARSE + 2, VENDOR},
};
const int method_peers_count = sizeof method_peers / sizeof *method_peers;
