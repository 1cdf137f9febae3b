/* SPDX-License-Identifier: Apache-2.0 */
/* See specialised_problem.h. */
#include "specialised_problem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator_matrix.h"
#include "random_matrix.h"
#include "tools/cli/fail.h"

#define SIDE_MAX (65535 * 16) /* maximum rows and n, by the grid of the naive kernel */

/* Reads what follows the last colon. */
static int read_columns(const char *at, struct problem *problem)
{
    for (;;) {
        char *end = NULL;
        const int64_t n = strtoll(at, &end, 10);
        if (n < 1 || n > SIDE_MAX || (*end != ',' && *end != '\0') || problem->n_count == PROBLEM_N_MAX)
            return 0;
        problem->n[problem->n_count++] = n;
        if (*end == '\0')
            return 1;
        at = end + 1;
    }
}

static spmm_status_t read_case(const char *text, struct problem *problem, spmm_diag_t *diag)
{
    const char *colon = strrchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= sizeof problem->name || !read_columns(colon + 1, problem))
        return fail(diag, SPMM_ERR_ARGUMENT,
                    "expected NAME:N[,N], such as 16384:0.1:128, hex:3:65536 or "
                    "gen:rmat:14:8:33");
    memcpy(problem->name, text, length);
    return SPMM_OK;
}

static spmm_status_t make_random(struct problem *problem, spmm_diag_t *diag)
{
    char *end = NULL;
    const int64_t rows = strtoll(problem->name, &end, 10);
    if (rows >= 1 && rows <= SIDE_MAX && *end == ':')
        problem->percent = strtod(end + 1, &end);
    if (!(problem->percent > 0 && problem->percent < 100) || *end != '\0')
        return fail(diag, SPMM_ERR_ARGUMENT, "expected ROWS:PERCENT, such as 16384:0.1, not %s",
                    problem->name);
    return random_matrix(rows, problem->percent / 100, &problem->matrix, diag);
}

static spmm_status_t make_matrix(struct problem *problem, spmm_diag_t *diag)
{
    if (operator_matrix_is(problem->name))
        return operator_matrix(problem->name, &problem->matrix, diag);
    if (strncmp(problem->name, "gen:", 4) == 0)
        return spmm_matrix_generate(problem->name, &problem->matrix, diag);
    return make_random(problem, diag);
}

spmm_status_t problem_make(const char *text, spmm_dtype_t dtype, struct problem *problem, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_csr_t view;
    TRY(read_case(text, problem, diag));
    TRY(make_matrix(problem, diag));
    TRY(spmm_matrix_csr(problem->matrix, &view));
    TRY(host_csr_make(&view, dtype, &problem->a, diag));
    if (problem->a.nnz >= INT32_MAX)
        return fail(diag, SPMM_ERR_TOO_LARGE, "the matrix has too many nonzeros");
    if (problem->percent == 0)
        problem->percent = 100.0 * (double)view.nnz / ((double)view.rows * (double)view.cols);
    problem->values = host_csr_typed_values(&problem->a);
    problem->row_ptr = malloc(((size_t)view.rows + 1) * sizeof *problem->row_ptr);
    if (problem->values == NULL || problem->row_ptr == NULL)
        return fail_memory(diag, (uint64_t)(view.nnz + view.rows) * 4, "the matrix");
    for (int64_t i = 0; i <= view.rows; i++)
        problem->row_ptr[i] = (int32_t)problem->a.row_ptr[i];
cleanup:
    return status;
}

void problem_free(struct problem *problem)
{
    free(problem->row_ptr);
    free(problem->values);
    host_csr_free(&problem->a);
    spmm_matrix_destroy(problem->matrix);
}

spmm_status_t problem_write(const struct problem *problem, const char *folder, spmm_diag_t *diag)
{
    const struct host_csr *a = &problem->a;
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s.mtx", folder, problem->name);
    FILE *file = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (file == NULL)
        return fail(diag, SPMM_ERR_IO, "%s cannot be written", path);
    (void)fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
                  (long long)a->rows, (long long)a->cols, (long long)a->nnz);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++)
            (void)fprintf(file, "%lld %d %.17g\n", (long long)i + 1, a->col_ind[q] + 1, a->values[q]);
    const int is_written = !ferror(file);
    if (fclose(file) != 0 || !is_written)
        return fail(diag, SPMM_ERR_IO, "%s cannot be written", path);
    return SPMM_OK;
}
