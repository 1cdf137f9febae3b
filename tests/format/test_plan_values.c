/* SPDX-License-Identifier: Apache-2.0 */
/* Plans with new values: all other data stay the same, byte by byte. The diagonal of a plan. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/digest.h"
#include "format/file/plan_records.h"
#include "tests/support/dense.h"
#include "tests/support/plan_seal.h"

#define NNZ_MAX 4000

/* Returns a plan with metrics, a permutation, a trace and items, so that it has every section that a plan may
 * have. */
static spmm_plan_t *make_plan(spmm_dtype_t dtype, int has_no_values)
{
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(
        a, (struct test_plan_options){dtype, SPMM_SCHEDULE_WHOLE, 0, 1, has_no_values}, "source");
    test_plan_row_block_metrics(plan);
    test_plan_permutation_metrics(plan);
    test_plan_symmetric_permutation(plan, 1);
    memcpy(plan->writer, "the writer", sizeof "the writer");
    test_plan_seal(plan);
    test_matrix_free(a);
    assert_in_range(plan->nnz, 10, NNZ_MAX);
    return plan;
}

/* Fills with 0, 0.1, 0.2 .. 0.6, 0 .. */
static void fill(double *values, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        values[p] = (double)(p % 7) / 10;
}

static int64_t zeros_of(int64_t count)
{
    return (count + 6) / 7;
}

/* Writes the plan and returns the plan that is read back, which checks digests and statistics. */
static spmm_plan_t *read_back(const spmm_plan_t *plan, void **bytes)
{
    size_t size = 0;
    spmm_plan_t *read = NULL;
    assert_int_equal(spmm_plan_write(plan, NULL, bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(*bytes, size, NULL, &read, NULL), SPMM_OK);
    return read;
}

/* Returns the index of the section with the same type and part, -1 if there is none. */
static int section_like(const spmm_plan_t *plan, const spmm_section_info_t *s)
{
    spmm_section_info_t other = {.struct_size = sizeof other};
    for (int i = 0; spmm_plan_section(plan, i, &other) == SPMM_OK; i++)
        if (other.type == s->type && other.part == s->part)
            return i;
    return -1;
}

/* Returns the types of the sections of `old` that differ in `new`, one bit each. has_more: whether `new` has
 * more sections. */
static unsigned sections_changed(const spmm_plan_t *old, const spmm_plan_t *new, int *has_more)
{
    void *old_bytes = NULL, *new_bytes = NULL;
    spmm_plan_t *a = read_back(old, &old_bytes), *b = read_back(new, &new_bytes);
    spmm_section_info_t s = {.struct_size = sizeof s}, t = {.struct_size = sizeof t};
    unsigned changed = 0;
    for (int i = 0; spmm_plan_section(a, i, &s) == SPMM_OK; i++) {
        const int like = section_like(b, &s);
        assert_true(like >= 0);
        assert_int_equal(spmm_plan_section(b, like, &t), SPMM_OK);
        if (s.stored_bytes != t.stored_bytes ||
            memcmp((char *)old_bytes + s.offset, (char *)new_bytes + t.offset, s.stored_bytes) != 0)
            changed |= 1u << s.type;
    }
    *has_more = a->section_count < b->section_count;
    spmm_plan_destroy(a);
    spmm_plan_destroy(b);
    spmm_plan_bytes_free(old_bytes);
    spmm_plan_bytes_free(new_bytes);
    return changed;
}

static void only_values_and_their_zeros_change(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    double values[NNZ_MAX];
    (void)state;
    for (int t = 0; t < 4; t++) {
        spmm_plan_t *plan = make_plan(dtypes[t], 0), *updated = NULL;
        int has_more = 0;
        fill(values, plan->nnz);
        assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, &updated, NULL), SPMM_OK);
        for (int64_t p = 0; p < plan->nnz; p++) {
            const double got = test_value_get(dtypes[t], updated->values, p);
            const double want = test_value_round(dtypes[t], values[p]);
            assert_memory_equal(&got, &want, sizeof got);
        }
        assert_int_equal(updated->stats.zeros, zeros_of(plan->nnz));
        assert_int_equal(sections_changed(plan, updated, &has_more),
                         1u << SPMMI_SECTION_VALUES | 1u << SPMMI_SECTION_STATS);
        assert_false(has_more);
        spmm_plan_destroy(updated);
        spmm_plan_destroy(plan);
    }
}

static void the_plan_itself_does_not_change(void **state)
{
    double values[NNZ_MAX];
    spmm_plan_t *plan = make_plan(SPMM_F32, 0), *same = make_plan(SPMM_F32, 0), *updated = NULL;
    (void)state;
    fill(values, plan->nnz);
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, &updated, NULL), SPMM_OK);
    assert_true(test_plans_equal(plan, same));
    assert_false(test_plans_equal(plan, updated));
    spmm_plan_destroy(same);
    spmm_plan_destroy(plan); /* the new plan must not share memory */
    void *bytes = NULL;
    spmm_plan_destroy(read_back(updated, &bytes));
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(updated);
}

static void a_pattern_gets_values(void **state)
{
    double values[NNZ_MAX];
    spmm_plan_t *plan = make_plan(SPMM_F64, 1), *full = make_plan(SPMM_F64, 0), *updated = NULL;
    int has_more = 0;
    (void)state;
    assert_int_equal(spmm_plan_with_values(plan, full->values, SPMM_F64, &updated, NULL), SPMM_OK);
    assert_true(test_plans_equal(updated, full));
    assert_int_equal(sections_changed(plan, updated, &has_more), 0); /* no value of this matrix is 0 */
    assert_true(has_more);
    spmm_plan_destroy(updated);
    fill(values, plan->nnz);
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, &updated, NULL), SPMM_OK);
    assert_int_equal(updated->stats.zeros, zeros_of(plan->nnz));
    spmm_plan_destroy(updated);
    spmm_plan_destroy(full);
    spmm_plan_destroy(plan);
}

static void bits_of_the_same_type_are_kept(void **state)
{
    spmm_plan_t *plan = make_plan(SPMM_F32, 0), *updated = NULL;
    uint32_t bits[NNZ_MAX];
    (void)state;
    for (int64_t p = 0; p < plan->nnz; p++)
        bits[p] = 0x7f800001u + (uint32_t)p; /* signalling NaNs */
    assert_int_equal(spmm_plan_with_values(plan, bits, SPMM_F32, &updated, NULL), SPMM_OK);
    assert_memory_equal(updated->values, bits, (size_t)plan->nnz * sizeof *bits);
    spmm_plan_destroy(updated);
    spmm_plan_destroy(plan);
}

static void what_does_not_fit_is_refused(void **state)
{
    double values[NNZ_MAX];
    spmm_diag_t diag = {0};
    spmm_plan_t *plan = make_plan(SPMM_F16, 0), *updated = plan;
    (void)state;
    fill(values, plan->nnz);
    assert_int_equal(spmm_plan_with_values(NULL, values, SPMM_F64, &updated, NULL), SPMM_ERR_ARGUMENT);
    assert_null(updated);
    assert_int_equal(spmm_plan_with_values(plan, NULL, SPMM_F64, &updated, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "plan or values is NULL");
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_with_values(plan, values, (spmm_dtype_t)77, &updated, &diag),
                     SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "value type 77 is not known");
    values[plan->nnz - 1] = 1e5;
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, &updated, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the value 100000 in row "));
    assert_non_null(strstr(diag.text, "is too large for f16: use bf16"));
    assert_null(updated);
    spmm_plan_destroy(plan);
}

static void memory_may_run_out_at_any_time(void **state)
{
    double values[NNZ_MAX];
    spmm_plan_t *plan = make_plan(SPMM_F32, 0);
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t failed = 0;
    (void)state;
    fill(values, plan->nnz);
    for (; status != SPMM_OK; failed++) {
        spmm_plan_t *updated = NULL;
        spmmi_alloc_fail_at(failed, 0);
        status = spmm_plan_with_values(plan, values, SPMM_F64, &updated, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK ? updated != NULL : status == SPMM_ERR_MEMORY && updated == NULL);
        spmm_plan_destroy(updated);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_in_range(failed, 8, 30);
    spmm_plan_destroy(plan);
}

static void empty_matrices_need_no_values(void **state)
{
    struct test_matrix *a = test_matrix_named("0 x 5", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "source");
    spmm_plan_t *updated = NULL;
    (void)state;
    assert_int_equal(spmm_plan_with_values(plan, NULL, SPMM_F64, &updated, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_diagonal(updated, SPMM_F64, NULL, NULL), SPMM_OK);
    spmm_plan_destroy(updated);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Returns the diagonal value of row i from a search of all nonzeros of the row. */
static double diagonal_at(const spmm_plan_t *plan, int64_t i)
{
    for (int64_t p = plan->row_ptr[i]; p < plan->row_ptr[i + 1]; p++)
        if (plan->col_ind[p] == i)
            return test_value_get(plan->dtype, plan->values, p);
    return 0;
}

static void check_diagonal(const spmm_plan_t *plan, spmm_dtype_t type)
{
    const int64_t count = plan->rows < plan->cols ? plan->rows : plan->cols;
    double *room = malloc(((size_t)count + 1) * sizeof *room);
    assert_non_null(room);
    memset(room, 0x55, ((size_t)count + 1) * sizeof *room);
    double behind = 0, guard = 0;
    memcpy(&guard, (char *)room + (size_t)count * spmm_dtype_size(type), spmm_dtype_size(type));
    assert_int_equal(spmm_plan_diagonal(plan, type, room, NULL), SPMM_OK);
    for (int64_t i = 0; i < count; i++)
        assert_true(test_value_get(type, room, i) == diagonal_at(plan, i));
    memcpy(&behind, (char *)room + (size_t)count * spmm_dtype_size(type), spmm_dtype_size(type));
    assert_memory_equal(&behind, &guard, sizeof guard);
    free(room);
}

static void every_diagonal_is_found(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    int64_t entries = 0;
    (void)state;
    for (int index = 0; index < test_matrix_count(); index++) {
        struct test_matrix *a = test_matrix_make(index, TEST_VALUES_REAL);
        const spmm_dtype_t dtype = dtypes[index % 4];
        spmm_plan_t *plan =
            test_plan_whole(a, (struct test_plan_options){dtype, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, "source");
        check_diagonal(plan, dtype);
        check_diagonal(plan, SPMM_F64);
        entries += plan->stats.diagonal;
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_true(entries > 100);
}

static void a_diagonal_without_values_is_refused(void **state)
{
    double room[NNZ_MAX];
    spmm_diag_t diag = {0};
    spmm_plan_t *pattern = make_plan(SPMM_F32, 1), *plan = make_plan(SPMM_F32, 0);
    (void)state;
    assert_int_equal(spmm_plan_diagonal(NULL, SPMM_F64, room, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_diagonal(pattern, SPMM_F64, room, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "the plan holds no values");
    assert_int_equal(spmm_plan_diagonal(plan, SPMM_F16, room, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "value type 3, expected that of the plan, f32, or f64");
    assert_int_equal(spmm_plan_diagonal(plan, SPMM_F32, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "diagonal is NULL");
    spmm_plan_destroy(pattern);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_values_and_their_zeros_change),
        cmocka_unit_test(the_plan_itself_does_not_change),
        cmocka_unit_test(a_pattern_gets_values),
        cmocka_unit_test(bits_of_the_same_type_are_kept),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(empty_matrices_need_no_values),
        cmocka_unit_test(every_diagonal_is_found),
        cmocka_unit_test(a_diagonal_without_values_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
