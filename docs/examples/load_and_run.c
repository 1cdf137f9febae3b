/* SPDX-License-Identifier: Apache-2.0 */
/* A program that only runs plans needs one header, one library (spmm::executor) and no matrix file. "load_and_run
 * A.plan [columns]" multiplies A with a matrix of ones on the CPU and prints the sum of C. It needs a plan for f64:
 * spmm-inspect --dtype f64 A.mtx -o A.plan */
#include <spmm/executor.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(uint64_t bytes)
{
    return aligned_alloc(256, (size_t)(bytes / 256 + 1) * 256);
}

static int multiply(const spmm_executor_t *executor, const spmm_plan_info_t *info, int64_t n,
                    spmm_diag_t *diag)
{
    const uint64_t b_count = (uint64_t)info->cols * (uint64_t)n;
    const uint64_t c_count = (uint64_t)info->rows * (uint64_t)n;
    double *b_data = allocate(b_count * sizeof(double));
    double *c_data = allocate(c_count * sizeof(double));
    const spmm_dense_t b = {b_data, info->cols, n, n, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t c = {c_data, info->rows, n, n, SPMM_ROW_MAJOR, SPMM_F64};
    uint64_t bytes = 0;
    void *workspace = NULL;
    double sum = 0;
    for (uint64_t i = 0; b_data != NULL && i < b_count; i++)
        b_data[i] = 1;
    if (b_data != NULL && c_data != NULL &&
        spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, diag) == SPMM_OK)
        workspace = allocate(bytes);
    const int is_done = workspace != NULL && spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0),
                                                          &c, workspace, bytes, NULL, diag) == SPMM_OK;
    for (uint64_t i = 0; is_done && i < c_count; i++)
        sum += c_data[i];
    if (is_done)
        printf("%.17g\n", sum);
    free(workspace);
    free(c_data);
    free(b_data);
    return is_done ? 0 : 1;
}

int main(int argc, char **argv)
{
    const long n = argc > 2 ? strtol(argv[2], NULL, 10) : 8;
    spmm_diag_t diag = {0};
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_plan_t *plan = NULL;
    spmm_executor_t *executor = NULL;
    int result = 1;
    if (argc < 2 || n < 1) {
        fprintf(stderr, "usage: load_and_run A.plan [columns]\n");
        return 2;
    }
    if (spmm_plan_load(argv[1], NULL, &plan, &diag) == SPMM_OK && spmm_plan_info(plan, &info) == SPMM_OK &&
        spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &executor, &diag) == SPMM_OK)
        result = multiply(executor, &info, n, &diag);
    if (result != 0)
        fprintf(stderr, "%s\n", diag.text);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    return result;
}
