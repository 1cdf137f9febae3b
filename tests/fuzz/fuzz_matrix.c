/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: any bytes as a matrix file. What is accepted must be a valid CSR, the same at one and at three threads;
 * what is refused must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#define BUDGET_BYTES (UINT64_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static spmm_status_t read_matrix(const uint8_t *data, size_t size, int threads, spmm_matrix_t **matrix)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_diag_t diag;
    options.threads = threads;
    options.budget_bytes = BUDGET_BYTES;
    /* The first byte chooses the name, so that every reader of names is met. */
    static const char *const names[] = {"a.smtx", "a.mtx", "a.rb", "a.npz"};
    const char *name = names[size > 0 ? data[0] % 4 : 1];
    const spmm_status_t status = spmm_matrix_read(data, size, name, &options, matrix, &diag);
    require((status == SPMM_OK) == (*matrix != NULL));
    require(diag.status == status && status != SPMM_ERR_INTERNAL &&
            (status == SPMM_OK) == (diag.text[0] == '\0'));
    return status;
}

static void check_csr(const spmm_csr_t *a)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    require(row_ptr[0] == 0 && row_ptr[a->rows] == a->nnz);
    for (int64_t i = 0; i < a->rows; i++) {
        require(row_ptr[i] <= row_ptr[i + 1]);
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            require(col_ind[p] >= 0 && col_ind[p] < a->cols &&
                    (p == row_ptr[i] || col_ind[p - 1] < col_ind[p]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spmm_matrix_t *one = NULL;
    spmm_matrix_t *three = NULL;
    const spmm_status_t status = read_matrix(data, size, 1, &one);
    require(read_matrix(data, size, 3, &three) == status || status == SPMM_ERR_MEMORY);
    if (one != NULL && three != NULL) {
        spmm_csr_t a;
        spmm_csr_t b;
        require(spmm_matrix_csr(one, &a) == SPMM_OK && spmm_matrix_csr(three, &b) == SPMM_OK);
        check_csr(&a);
        require(a.nnz == b.nnz && memcmp(a.row_ptr, b.row_ptr, ((size_t)a.rows + 1) * sizeof(int64_t)) == 0);
        require(memcmp(a.col_ind, b.col_ind, (size_t)a.nnz * sizeof(int32_t)) == 0);
        require(a.values == NULL || memcmp(a.values, b.values, (size_t)a.nnz * sizeof(double)) == 0);
    }
    spmm_matrix_destroy(three);
    spmm_matrix_destroy(one);
    return 0;
}
