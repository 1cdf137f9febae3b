/* SPDX-License-Identifier: Apache-2.0 */
/* See cublas_product.h. */
#include "cublas_product.h"

#include "tools/cli/fail.h"

spmm_status_t cublas_check(cublasStatus_t error, const char *what, spmm_diag_t *diag)
{
    if (error == CUBLAS_STATUS_SUCCESS)
        return SPMM_OK;
    fail(diag, SPMM_ERR_DEVICE, "%s: %s", what, cublasGetStatusString(error));
    diag->native_error = (int)error;
    return SPMM_ERR_DEVICE;
}

/* alpha and beta in the type of the sums. */
struct factors {
    cudaDataType type;
    const void *one, *zero;
};

static struct factors factors_of(const struct cublas_product *p)
{
    static const double one_f64 = 1.0, zero_f64 = 0.0;
    static const float one_f32 = 1.0f, zero_f32 = 0.0f;
    return p->type == CUDA_R_64F ? (struct factors){CUDA_R_64F, &one_f64, &zero_f64}
                                 : (struct factors){CUDA_R_32F, &one_f32, &zero_f32};
}

static spmm_status_t describe(struct cublas_product *p, spmm_diag_t *diag)
{
    static const char what[] = "describing the product to cuBLASLt failed";
    const uint64_t rows = (uint64_t)(p->op_left == CUBLAS_OP_N ? p->m : p->k);
    const uint64_t cols = (uint64_t)(p->op_left == CUBLAS_OP_N ? p->k : p->m);
    spmm_status_t status = SPMM_OK;
    TRY(cublas_check(cublasLtMatmulDescCreate(&p->about, p->compute, factors_of(p).type), what, diag));
    TRY(cublas_check(
        cublasLtMatmulDescSetAttribute(p->about, CUBLASLT_MATMUL_DESC_TRANSA, &p->op_left, sizeof p->op_left),
        what, diag));
    TRY(cublas_check(cublasLtMatrixLayoutCreate(&p->left_layout, p->type, rows, cols, p->ld_left), what,
                     diag));
    TRY(cublas_check(
        cublasLtMatrixLayoutCreate(&p->right_layout, p->type, (uint64_t)p->k, (uint64_t)p->n, p->ld_right),
        what, diag));
    TRY(cublas_check(
        cublasLtMatrixLayoutCreate(&p->c_layout, p->c_type, (uint64_t)p->m, (uint64_t)p->n, p->ld_c), what,
        diag));
cleanup:
    return status;
}

spmm_status_t cublas_product_begin(struct cublas_product *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    cublasLtMatmulPreference_t wish = NULL;
    p->algorithm = -1;
    TRY(describe(p, diag));
    TRY(cublas_check(cublasLtMatmulPreferenceCreate(&wish), "asking cuBLASLt failed", diag));
    TRY(cublas_check(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                          &p->workspace_bytes, sizeof p->workspace_bytes),
                     "asking cuBLASLt failed", diag));
    /* Partial sums are added in the type of the sums, not in the type of C. */
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    TRY(cublas_check(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                          &reductions, sizeof reductions),
                     "asking cuBLASLt failed", diag));
    /* It is not an error if there is no algorithm. */
    if (cublasLtMatmulAlgoGetHeuristic(p->lt, p->about, p->left_layout, p->right_layout, p->c_layout,
                                       p->c_layout, wish, CUBLAS_ALGORITHMS, p->algorithms,
                                       &p->algorithm_count) != CUBLAS_STATUS_SUCCESS)
        p->algorithm_count = 0;
cleanup:
    if (wish != NULL)
        (void)cublasLtMatmulPreferenceDestroy(wish);
    return status;
}

void cublas_product_end(struct cublas_product *p)
{
    const cublasLtMatrixLayout_t layouts[] = {p->left_layout, p->right_layout, p->c_layout};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i] != NULL)
            (void)cublasLtMatrixLayoutDestroy(layouts[i]);
    if (p->about != NULL)
        (void)cublasLtMatmulDescDestroy(p->about);
}

spmm_status_t cublas_product_run(void *context, spmm_diag_t *diag)
{
    const struct cublas_product *p = context;
    const struct factors f = factors_of(p);
    if (p->algorithm < 0)
        return cublas_check(cublasGemmEx_64(p->handle, p->op_left, CUBLAS_OP_N, p->m, p->n, p->k, f.one,
                                            p->left, p->type, p->ld_left, p->right, p->type, p->ld_right,
                                            f.zero, p->c, p->c_type, p->ld_c, p->compute,
                                            CUBLAS_GEMM_DEFAULT),
                            "cublasGemmEx failed", diag);
    return cublas_check(cublasLtMatmul(p->lt, p->about, f.one, p->left, p->left_layout, p->right,
                                       p->right_layout, f.zero, p->c, p->c_layout, p->c, p->c_layout,
                                       &p->algorithms[p->algorithm].algo, p->workspace, p->workspace_bytes,
                                       0),
                        "cublasLtMatmul failed", diag);
}
