/* SPDX-License-Identifier: Apache-2.0 */
/* From CSR arrays to a product on the CPU, without a file. Link spmm::inspector and spmm::executor.
 *
 *         ( 4 1 0 )       ( 1 10 )       (  6 60 )
 *     A = ( 0 0 0 )   B = ( 2 20 )   C = (  0  0 )
 *         ( 0 2 5 )       ( 3 30 )       ( 19 190) */
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static const int32_t row_ptr[] = {0, 2, 2, 4}, col_ind[] = {0, 1, 1, 2};
    static const float values[] = {4, 1, 2, 5};
    static float b_data[] = {1, 10, 2, 20, 3, 30}, c_data[6];
    const spmm_csr_t a = {3, 3, 4, SPMM_I32, SPMM_I32, row_ptr, col_ind, SPMM_F32, values};
    const spmm_dense_t b = {b_data, 3, 2, 2, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {c_data, 3, 2, 2, SPMM_ROW_MAJOR, SPMM_F32};
    void *workspace = NULL;
    uint64_t workspace_bytes = 0;
    spmm_diag_t diag = {0};
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_executor_t *executor = NULL;
    int result = 1;
    /* Once per matrix: copy it, analyse it, prepare it to run. After each step the source of the step may be freed. */
    if (spmm_matrix_from_csr(&a, &matrix, &diag) != SPMM_OK ||
        spmm_inspect(matrix, NULL, &plan, &diag) != SPMM_OK ||
        spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &executor, &diag) != SPMM_OK ||
        spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &workspace_bytes, &diag) != SPMM_OK)
        goto cleanup;
    workspace = aligned_alloc(256, (size_t)(workspace_bytes / 256 + 1) * 256);
    /* For each new B: C = 1 * A * B + 0 * C. */
    if (workspace == NULL || spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, workspace,
                                          workspace_bytes, NULL, &diag) != SPMM_OK)
        goto cleanup;
    for (int i = 0; i < 3; i++)
        printf("%g %g\n", (double)c_data[2 * i], (double)c_data[2 * i + 1]);
    result = 0;
cleanup:
    if (diag.status != SPMM_OK)
        fprintf(stderr, "%s\n", diag.text);
    free(workspace);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return result;
}
