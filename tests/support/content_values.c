/* SPDX-License-Identifier: Apache-2.0 */
/* See content_values.h. */
#include "content_values.h"

#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "content_matrix.h"
#include "content_once.h"
#include "content_words.h"
#include "dense.h"
#include "format/base/alloc.h"

#define EXTENT_MAX 20000 /* maximum number of columns of a matrix that is inspected for both ops */

/* Allocates exactly the required size, so that a sanitizer detects accesses beyond the end. */
static void *take(int64_t count, size_t size)
{
    void *block = malloc(count == 0 ? 1 : (size_t)count * size);
    if (block == NULL)
        abort();
    return block;
}

static void any_bits(struct test_stream *stream, void *values, size_t bytes)
{
    const uint64_t seed = test_stream_bits(stream), drawn = bytes / 16;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)values)[i] = (uint8_t)test_hash(seed, i);
    /* Some bytes become all ones or zero, to get NaN, infinity, and the largest and smallest numbers. */
    for (uint64_t k = 0; k < drawn; k++) {
        const uint64_t at = test_stream_below(stream, bytes);
        ((uint8_t *)values)[at] = (uint8_t)(0 - test_stream_below(stream, 2));
    }
}

/* ---- CSR arrays ---- */

static void *indices_of(spmm_itype_t type, const void *from, int is_long, int64_t count)
{
    void *indices = take(count, type == SPMM_I64 ? sizeof(int64_t) : sizeof(int32_t));
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = is_long ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
        if (type == SPMM_I64)
            ((int64_t *)indices)[i] = index;
        else
            ((int32_t *)indices)[i] = (int32_t)index;
    }
    return indices;
}

/* Makes the arrays of a valid matrix, with random types, and with random bits as values or without values. */
static spmm_csr_t csr_draw(struct test_stream *stream)
{
    struct test_matrix *a = test_content_matrix(stream);
    spmm_csr_t csr = {.rows = a->rows, .cols = a->cols, .nnz = a->nnz};
    csr.row_ptr_type = test_stream_chance(stream, 50) ? SPMM_I32 : SPMM_I64;
    csr.col_ind_type = test_stream_chance(stream, 50) ? SPMM_I32 : SPMM_I64;
    csr.value_type = (spmm_dtype_t)(1 + test_stream_below(stream, 4));
    csr.row_ptr = indices_of(csr.row_ptr_type, a->row_ptr, 1, a->rows + 1);
    csr.col_ind = indices_of(csr.col_ind_type, a->col_ind, 0, a->nnz);
    if (test_stream_chance(stream, 85)) {
        void *values = take(a->nnz, spmm_dtype_size(csr.value_type));
        any_bits(stream, values, (size_t)a->nnz * spmm_dtype_size(csr.value_type));
        csr.values = values;
    }
    test_matrix_free(a);
    return csr;
}

static void csr_free(const spmm_csr_t *csr)
{
    free((void *)(uintptr_t)csr->row_ptr);
    free((void *)(uintptr_t)csr->col_ind);
    free((void *)(uintptr_t)csr->values);
}

/* Changes an entry of an array, or a member that does not determine the lengths of the arrays. */
static void csr_change(struct test_stream *stream, spmm_csr_t *csr)
{
    const spmm_plan_t sizes = {.rows = csr->rows, .cols = csr->cols, .nnz = csr->nnz};
    const size_t of_ptr = csr->row_ptr_type == SPMM_I64 ? 8 : 4,
                 of_col = csr->col_ind_type == SPMM_I64 ? 8 : 4;
    const uint64_t row = test_stream_below(stream, (uint64_t)csr->rows + 1);
    const uint64_t entry = test_stream_below(stream, (uint64_t)csr->nnz);
    switch (test_stream_below(stream, 6)) {
    case 0:
    case 1:
        test_word_change(stream, &sizes, (char *)(uintptr_t)csr->row_ptr + row * of_ptr, of_ptr);
        break;
    case 2:
    case 3:
        if (csr->nnz > 0)
            test_word_change(stream, &sizes, (char *)(uintptr_t)csr->col_ind + entry * of_col, of_col);
        break;
    case 4:
        test_word_change(stream, &sizes, &csr->cols, sizeof csr->cols);
        break;
    default: { /* only invalid types, because valid ones would need arrays of another length */
        uint32_t *const types[] = {(uint32_t *)&csr->row_ptr_type, (uint32_t *)&csr->col_ind_type,
                                   (uint32_t *)&csr->value_type};
        const uint64_t which = test_stream_below(stream, 3);
        *types[which] = (uint32_t)test_stream_below(stream, 2) * 7;
        break;
    }
    }
}

/* ---- Descriptions of B and C ---- */

static void view_change(struct test_stream *stream, const spmm_plan_t *plan, spmm_dense_t *view)
{
    int64_t *const sizes[] = {&view->rows, &view->cols, &view->ld};
    uint32_t *const words[] = {(uint32_t *)&view->layout, (uint32_t *)&view->type};
    const uint64_t which = test_stream_below(stream, 6);
    if (which < 3)
        test_word_change(stream, plan, sizes[which], sizeof *sizes[0]);
    else if (which < 5)
        test_word_change(stream, plan, words[which - 3], sizeof *words[0]);
    else
        view->data = NULL;
}

/* Runs a product with a changed description. If the query for its workspace is refused, the product must be
 * refused too. C must never change. */
static void described_wrongly(struct test_stream *stream, const spmm_plan_t *plan,
                              const spmm_executor_t *executor)
{
    const spmm_op_t op = plan->variants[0].op;
    const int64_t m = op == SPMM_OP_N ? plan->rows : plan->cols,
                  k = op == SPMM_OP_N ? plan->cols : plan->rows;
    struct test_dense b = test_dense_make((struct test_dense_shape){k, 3, SPMM_ROW_MAJOR, plan->dtype, 0, 0});
    struct test_dense c = test_dense_make((struct test_dense_shape){m, 3, SPMM_ROW_MAJOR, plan->dtype, 0, 0});
    struct test_dense before = test_dense_copy(&c);
    spmm_diag_t diag;
    uint64_t bytes = 0;
    view_change(stream, plan, test_stream_chance(stream, 50) ? &b.view : &c.view);
    const spmm_status_t asked = spmm_executor_workspace_bytes(executor, op, &b.view, &c.view, &bytes, &diag);
    TEST_CONTENT_MUST((asked == SPMM_OK) == (diag.text[0] == '\0'), "%s", spmm_status_name(asked));
    if (asked != SPMM_OK) {
        const spmm_status_t run =
            spmm_execute(executor, op, spmm_real(1), &b.view, spmm_real(0), &c.view, NULL, 0, NULL, &diag);
        TEST_CONTENT_MUST(run == asked, "%s, asked: %s", spmm_status_name(run), spmm_status_name(asked));
    }
    TEST_CONTENT_MUST(memcmp(c.block, before.block, c.block_bytes) == 0, "a refused product changes C");
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&before);
}

/* ---- Values ---- */

static void executor_use(struct test_stream *stream, const spmm_plan_t *plan,
                         struct test_content_tally *tally)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    const size_t bytes = (size_t)plan->nnz * spmm_dtype_size(plan->dtype);
    spmm_executor_t *executor = NULL;
    void *values = take((int64_t)bytes, 1);
    options.threads = 1;
    any_bits(stream, values, bytes);
    TEST_CONTENT_MUST(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL) == SPMM_OK,
                      "a plan that was made does not run");
    const spmm_status_t none = spmm_executor_set_values(executor, NULL, NULL, NULL);
    TEST_CONTENT_MUST((none == SPMM_OK) == (plan->nnz == 0), "no values: %s", spmm_status_name(none));
    TEST_CONTENT_MUST(spmm_executor_set_values(executor, values, NULL, NULL) == SPMM_OK, "new values");
    test_content_products(stream, plan, values, executor, tally);
    described_wrongly(stream, plan, executor);
    tally->executors++;
    spmm_executor_destroy(executor);
    free(values);
}

static void matrix_use(struct test_stream *stream, const spmm_csr_t *csr, const spmm_matrix_t *matrix,
                       struct test_content_tally *tally)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    options.a_type = (spmm_dtype_t)(1 + test_stream_below(stream, 4));
    options.ops = SPMM_OPS_N | SPMM_OPS_T;
    options.pattern_only = test_stream_chance(stream, 20);
    options.threads = 1;
    const spmm_status_t status = spmm_inspect(matrix, &options, &plan, &diag);
    if (status == SPMM_ERR_ARGUMENT && strstr(diag.text, "too large for") != NULL)
        return; /* a finite value that exceeds the range of the type */
    TEST_CONTENT_MUST(status == SPMM_OK, "%s", diag.text);
    TEST_CONTENT_MUST(spmm_plan_matches(plan, csr, !options.pattern_only, &diag) == SPMM_OK, "%s", diag.text);
    executor_use(stream, plan, tally);
    spmm_plan_destroy(plan);
}

int test_content_values(struct test_stream *stream, struct test_content_tally *tally)
{
    const int64_t live = spmmi_alloc_live();
    spmm_csr_t csr = csr_draw(stream);
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    if (test_stream_chance(stream, 40))
        csr_change(stream, &csr);
    const spmm_status_t status = spmm_matrix_from_csr(&csr, &matrix, &diag);
    TEST_CONTENT_MUST((status == SPMM_OK) == (diag.text[0] == '\0') &&
                          (status == SPMM_OK) == (matrix != NULL),
                      "%s: %s", spmm_status_name(status), diag.text);
    TEST_CONTENT_MUST(status == SPMM_OK || status == SPMM_ERR_CSR || status == SPMM_ERR_ARGUMENT, "%s",
                      spmm_status_name(status));
    test_content_once(&csr, matrix);
    if (matrix != NULL && csr.cols <= EXTENT_MAX)
        matrix_use(stream, &csr, matrix, tally);
    spmm_matrix_destroy(matrix);
    csr_free(&csr);
    TEST_CONTENT_MUST(spmmi_alloc_live() == live, "%lld blocks are not given back",
                      (long long)(spmmi_alloc_live() - live));
    return status == SPMM_OK;
}
