/* SPDX-License-Identifier: Apache-2.0 */
/* See read_check.h. */
#include "read_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"

#define BUDGET_BYTES (UINT64_C(64) << 20)

static void path_of(const char *file, char path[512])
{
    (void)snprintf(path, 512, "%s/tests/data/formats/%s", SPMM_SOURCE_DIR, file);
}

unsigned char *bytes_of(const char *file, size_t *size)
{
    char path[512];
    path_of(file, path);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    unsigned char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, stream);
    (void)fclose(stream);
    return bytes;
}

spmm_matrix_t *must_read_by(const char *file, const void *bytes, size_t size,
                            const spmm_read_options_t *options)
{
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    if (spmm_matrix_read(bytes, size, file, options, &matrix, &diag) != SPMM_OK)
        fail_msg("%s: %s", file, diag.text);
    return matrix;
}

spmm_matrix_t *must_read(const char *file, const void *bytes, size_t size)
{
    return must_read_by(file, bytes, size, NULL);
}

spmm_matrix_t *must_load(const char *file)
{
    char path[512];
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    path_of(file, path);
    if (spmm_matrix_load(path, NULL, &matrix, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return matrix;
}

static spmm_plan_info_t info_of_plan(const spmm_matrix_t *matrix)
{
    spmm_plan_t *plan = NULL;
    spmm_plan_info_t info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    assert_int_equal(spmm_inspect(matrix, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    spmm_plan_destroy(plan);
    return info;
}

void assert_same_matrix(const char *what, const spmm_matrix_t *a, const spmm_matrix_t *b)
{
    spmm_csr_t x;
    spmm_csr_t y;
    assert_int_equal(spmm_matrix_csr(a, &x), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(b, &y), SPMM_OK);
    if (x.rows != y.rows || x.cols != y.cols || x.nnz != y.nnz || (x.values == NULL) != (y.values == NULL))
        fail_msg("%s: %lld x %lld, %lld nonzeros and %lld x %lld, %lld nonzeros", what, (long long)x.rows,
                 (long long)x.cols, (long long)x.nnz, (long long)y.rows, (long long)y.cols, (long long)y.nnz);
    assert_memory_equal(x.row_ptr, y.row_ptr, ((size_t)x.rows + 1) * sizeof(int64_t));
    assert_memory_equal(x.col_ind, y.col_ind, (size_t)x.nnz * sizeof(int32_t));
    if (x.values != NULL)
        assert_memory_equal(x.values, y.values, (size_t)x.nnz * sizeof(double));
    const spmm_plan_info_t p = info_of_plan(a);
    const spmm_plan_info_t q = info_of_plan(b);
    assert_memory_equal(p.pattern_digest, q.pattern_digest, sizeof p.pattern_digest);
    assert_memory_equal(p.values_digest, q.values_digest, sizeof p.values_digest);
}

void check_refusal(const struct refusal *refusal, const char *file, const void *bytes, size_t size)
{
    check_refusal_by(refusal, file, bytes, size, NULL);
}

void check_refusal_by(const struct refusal *refusal, const char *file, const void *bytes, size_t size,
                      const spmm_read_options_t *options)
{
    spmm_diag_t diag;
    spmm_matrix_t *matrix = (spmm_matrix_t *)&diag; /* the read must set it to NULL */
    char *copy = malloc(size + (size == 0));        /* has exactly the size of the file for the sanitizers */
    memcpy(copy, bytes, size);
    const spmm_status_t status = spmm_matrix_read(copy, size, file, options, &matrix, &diag);
    free(copy);
    if (status == SPMM_OK)
        spmm_matrix_destroy(matrix);
    if (status != refusal->status || diag.line != refusal->line ||
        strstr(diag.text, refusal->excerpt) == NULL)
        fail_msg("%s: expected %s at line %llu with \"%s\", found %s at line %llu: %s", refusal->name,
                 spmm_status_name(refusal->status), (unsigned long long)refusal->line, refusal->excerpt,
                 spmm_status_name(status), (unsigned long long)diag.line, diag.text);
    assert_null(matrix);
    for (const char *p = diag.text; *p != '\0'; p++)
        assert_true(isprint((unsigned char)*p));
    assert_int_equal(spmmi_alloc_live(), 0);
}

static spmm_status_t read_in_good_order(const char *file, const void *bytes, size_t size)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    options.threads = 1;
    options.budget_bytes = BUDGET_BYTES;
    const spmm_status_t status = spmm_matrix_read(bytes, size, file, &options, &matrix, &diag);
    assert_int_equal(status == SPMM_OK, matrix != NULL);
    assert_int_not_equal(status, SPMM_ERR_INTERNAL);
    assert_int_equal(status == SPMM_OK, diag.text[0] == '\0');
    spmm_matrix_destroy(matrix);
    if (spmmi_alloc_live() != 0)
        fail_msg("%s: %lld blocks are left", diag.text, (long long)spmmi_alloc_live());
    return status;
}

void survive_truncations(const char *file, const void *bytes, size_t size, size_t must_fail)
{
    for (size_t length = 0; length < size; length++) {
        unsigned char *copy = malloc(length + (length == 0));
        memcpy(copy, bytes, length);
        const spmm_status_t status = read_in_good_order(file, copy, length);
        free(copy);
        if (length < must_fail)
            assert_int_not_equal(status, SPMM_OK);
    }
}

void survive_changes(const char *file, const void *bytes, size_t size, unsigned step)
{
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    for (size_t i = 0; i < size; i++) {
        for (unsigned change = 1; change < 256; change += step) {
            copy[i] ^= (unsigned char)change;
            (void)read_in_good_order(file, copy, size);
            copy[i] ^= (unsigned char)change;
        }
    }
    free(copy);
}

void survive_failing_allocations(const char *file, const void *bytes, size_t size)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 0);
        status = read_in_good_order(file, bytes, size);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        assert_true(k < 100);
    }
}
