/* SPDX-License-Identifier: Apache-2.0 */
/* From CSR arrays to a product on the CPU, without a file. Link spmm::inspector and spmm::executor.
 *
 *         ( 4 1 0 )       ( 1 10 )       (  6 60 )
 *     A = ( 0 0 0 )   B = ( 2 20 )   C = (  0  0 )
 *         ( 0 2 5 )       ( 3 30 )       ( 19 190) */
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char *what, spmm_status_t status, const spmm_diag_t *diag)
{
    if (status == SPMM_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", what, diag->text[0] != '\0' ? diag->text : spmm_status_text(status));
    return 1;
}

/* Print C; 1 where it is not what it should be. */
static int is_wrong(const float c[6])
{
    static const float expected[] = {6, 60, 0, 0, 19, 190};
    int wrong = 0;
    for (int i = 0; i < 6; i++) {
        printf("%g%c", (double)c[i], i % 2 == 1 ? '\n' : ' ');
        wrong |= c[i] != expected[i];
    }
    return wrong;
}

int main(void)
{
    static const int32_t row_ptr[] = {0, 2, 2, 4};
    static const int32_t col_ind[] = {0, 1, 1, 2};
    static const float values[] = {4, 1, 2, 5};
    static float b_data[] = {1, 10, 2, 20, 3, 30}; /* row-major */
    float c_data[6];
    const spmm_dense_t b = {b_data, 3, 2, 2, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {c_data, 3, 2, 2, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_csr_t csr = {.rows = 3,
                            .cols = 3,
                            .nnz = 4,
                            .row_ptr_type = SPMM_I32,
                            .col_ind_type = SPMM_I32,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind,
                            .value_type = SPMM_F32,
                            .values = values};
    spmm_status_t status = SPMM_OK;
    void *workspace = NULL;
    uint64_t workspace_bytes = 0;
    int wrong = 1;
    spmm_diag_t diag = {0};
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_executor_t *executor = NULL;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;

    /* Once a matrix: copy it, analyse it, make it ready to run. Each step may drop what it was made from. */
    if (failed("matrix", spmm_matrix_from_csr(&csr, &matrix, &diag), &diag) ||
        failed("inspect", spmm_inspect(matrix, NULL, &plan, &diag), &diag))
        goto cleanup;
    if (failed("executor", spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag), &diag))
        goto cleanup;

    /* As often as there are new B: C = 1 * A * B + 0 * C. */
    status = spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &workspace_bytes, NULL);
    if (failed("workspace", status, &diag))
        goto cleanup;
    if (workspace_bytes > 0) {
        workspace = aligned_alloc(256, (size_t)(workspace_bytes + 255) / 256 * 256);
        if (workspace == NULL)
            goto cleanup;
    }
    status = spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, workspace, workspace_bytes,
                          NULL, NULL);
    if (failed("execute", status, &diag))
        goto cleanup;
    wrong = is_wrong(c_data);

cleanup:
    free(workspace);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return wrong;
}
