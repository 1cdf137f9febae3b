/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan on the CPU with B = 1 and compares C with the row sums of the matrix in the plan. */
#ifndef CONSUMER_CHECK_PRODUCT_H
#define CONSUMER_CHECK_PRODUCT_H

#include <float.h>
#include <math.h>
#include <spmm/executor.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_info.h"

static int compare_rows(const spmm_csr_t *a, const float *c, int64_t n)
{
    const int64_t *row_ptr = (const int64_t *)a->row_ptr;
    const float *values = (const float *)a->values;
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
            sum += (double)values[q];
            magnitude += fabs((double)values[q]);
        }
        const double bound = (double)(row_ptr[i + 1] - row_ptr[i] + 2) * (double)FLT_EPSILON * magnitude;
        for (int64_t j = 0; j < n; j++)
            if (!(fabs((double)c[i * n + j] - sum) <= bound))
                return 1;
    }
    return 0;
}

static int check_plan_info(const spmm_plan_t *plan, const spmm_csr_t *a)
{
    unsigned char *block = guarded_new(sizeof(spmm_plan_info_t));
    spmm_plan_info_t *info = (spmm_plan_info_t *)(void *)block;
    const int bad = spmm_plan_info(plan, info) != SPMM_OK || info->nnz != a->nnz || info->variant_count < 1 ||
                    !guard_is_whole(block, sizeof *info);
    free(block);
    return bad;
}

static int check_executor_info(const spmm_executor_t *executor, const spmm_dense_t *b, const spmm_dense_t *c)
{
    unsigned char *block = guarded_new(sizeof(spmm_executor_info_t));
    spmm_executor_info_t *info = (spmm_executor_info_t *)(void *)block;
    const int bad = spmm_executor_info(executor, SPMM_OP_N, b, c, info, NULL) != SPMM_OK ||
                    info->host_bytes == 0 || strncmp(info->kernel, "cpu/", 4) != 0 ||
                    !guard_is_whole(block, sizeof *info);
    free(block);
    return bad;
}

static int check_product(const spmm_plan_t *plan)
{
    const int64_t n = 3;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    spmm_csr_t a;
    if (spmm_plan_csr(plan, &a) != SPMM_OK || a.value_type != SPMM_F32 || a.values == NULL)
        return 1;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    float *b_data = (float *)malloc((size_t)(a.cols * n) * sizeof(float));
    float *c_data = (float *)malloc((size_t)(a.rows * n) * sizeof(float));
    const spmm_dense_t b = {b_data, a.cols, n, n, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {c_data, a.rows, n, n, SPMM_ROW_MAJOR, SPMM_F32};
    uint64_t bytes = 0;
    int bad = b_data == NULL || c_data == NULL;
    for (int64_t i = 0; !bad && i < a.cols * n; i++)
        b_data[i] = 1;
    bad = bad || check_plan_info(plan, &a) || check_executor_info(executor, &b, &c);
    bad = bad || spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL) != SPMM_OK;
    char *block = (char *)malloc((size_t)bytes + 256); /* C99 has no aligned_alloc */
    void *workspace = block + (256 - (uintptr_t)block % 256) % 256;
    bad = bad || block == NULL;
    bad = bad || spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, workspace, bytes, NULL,
                              NULL) != SPMM_OK;
    bad = bad || compare_rows(&a, c_data, n);
    printf("%s: %lld nonzeros\n", bad ? "wrong" : "right", (long long)a.nnz);
    free(block);
    free(c_data);
    free(b_data);
    spmm_executor_destroy(executor);
    return bad;
}

#endif
