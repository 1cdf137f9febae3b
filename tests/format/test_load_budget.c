/* SPDX-License-Identifier: Apache-2.0 */
/* The default budget of a load: it depends on the size of the file, not on the dimensions that its header
 * claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/file/plan_budget.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define GIB (UINT64_C(1) << 30)
#define PAGES (UINT64_C(6) << 20) /* maximum rounding of three blocks to huge pages */

static uint8_t *plan_bytes(size_t *size)
{
    static const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("odd rows empty", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    void *bytes = NULL;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, size, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return bytes;
}

/* Returns a file of about `stored` bytes, whose rows are empty and need 8 bytes each when loaded. It is valid
 * as far as a reader checks before it allocates memory. */
static uint8_t *bomb(uint64_t rows, size_t stored, size_t *size)
{
    size_t good_size = 0;
    uint8_t *good = plan_bytes(&good_size), *zeros = calloc(stored, 1);
    struct forge *f = forge_open(good, good_size);
    f->header.rows = rows;
    struct forge_section *lengths = forge_find(f, SPMMI_SECTION_ROW_LENGTHS, SPMMI_NO_PART);
    forge_set_stored(lengths, zeros, stored);
    lengths->entry.raw_bytes = rows * sizeof(uint32_t);
    uint8_t *bytes = forge_build(f, size);
    forge_free(f);
    free(zeros);
    spmm_plan_bytes_free(good);
    return bytes;
}

/* These sizes were loaded when the budget followed the dimensions: 3.9 GB for 98,742 bytes, 17 GB for 424
 * KB. */
static void a_small_file_does_not_take_gigabytes(void **state)
{
    static const struct {
        uint64_t rows;
        size_t stored;
    } cases[] = {{490000000, 97000}, {2147483646, 424000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = 0;
        uint8_t *bytes = bomb(cases[i].rows, cases[i].stored, &size);
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        spmmi_alloc_peak_reset();
        assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, &diag), SPMM_ERR_PLAN_BUDGET);
        assert_true(spmmi_alloc_peak_bytes() < size);
        assert_non_null(strstr(diag.text, "a larger budget allows more"));
        printf("scorecard: P2 %zu bytes of a plan that ask for %.1f GB get %.1f GB by default\n", size,
               (double)cases[i].rows * 8 / 1e9, (double)spmmi_budget_default(size) / 1e9);
        free(bytes);
    }
}

static void the_default_is_a_gibibyte_and_2048_times_the_file(void **state)
{
    (void)state;
    assert_int_equal(spmmi_budget_default(0), GIB);
    assert_int_equal(spmmi_budget_default(98742), GIB + UINT64_C(98742) * 2048);
    assert_int_equal(spmmi_budget_default(UINT64_MAX / 2), UINT64_MAX);
}

static int warnings;

static void count_warning(void *context, spmm_log_level_t level, const char *text)
{
    (void)context;
    warnings += level == SPMM_LOG_WARNING && strstr(text, "need budget_bytes") != NULL;
}

static void whoever_writes_a_plan_beyond_it_is_told(void **state)
{
    size_t size = 0;
    uint8_t *large = bomb(UINT64_C(200000000), 50000, &size);
    spmm_plan_t *none = spmmi_plan_new();
    (void)state;
    assert_non_null(none);
    warnings = 0;
    spmm_log_set(count_warning, NULL, SPMM_LOG_WARNING);
    spmm_plan_bytes_free(plan_bytes(&(size_t){0}));
    assert_int_equal(warnings, 0);
    spmmi_budget_warn(large, size, none);
    assert_int_equal(warnings, 1);
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    spmm_plan_destroy(none);
    free(large);
}

/* A budget for one decoding thread is enough. The memory of more threads must not cause a refusal. */
static void a_load_takes_fewer_threads_rather_than_too_much(void **state)
{
    enum { SIDE = 2000, NNZ = SIDE * SIDE };
    struct test_matrix a = {"full",
                            SIDE,
                            SIDE,
                            NNZ,
                            calloc(SIDE + 1, sizeof(int64_t)),
                            calloc(NNZ, sizeof(int32_t)),
                            calloc(NNZ, sizeof(double))};
    static const struct test_plan_options shape = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    (void)state;
    for (int i = 0; i <= SIDE; i++)
        a.row_ptr[i] = (int64_t)i * SIDE;
    for (int p = 0; p < NNZ; p++)
        a.col_ind[p] = p % SIDE;
    spmm_plan_t *plan = test_plan_whole(&a, shape, "full"), *loaded = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    struct spmmi_container c;
    assert_int_equal(spmmi_container_open(bytes, size, &c, NULL), SPMM_OK);
    const spmm_load_options_t least = {sizeof least, spmmi_load_bytes(&c, plan, 1, 0), 8};
    assert_true(spmmi_load_bytes(&c, plan, 8, 0) > least.budget_bytes);
    spmmi_alloc_peak_reset();
    assert_int_equal(spmm_plan_read(bytes, size, &least, &loaded, NULL), SPMM_OK);
    assert_true(spmmi_alloc_peak_bytes() <= least.budget_bytes + PAGES);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(plan);
    spmm_plan_bytes_free(bytes);
    free(a.row_ptr);
    free(a.col_ind);
    free(a.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_does_not_take_gigabytes),
        cmocka_unit_test(the_default_is_a_gibibyte_and_2048_times_the_file),
        cmocka_unit_test(whoever_writes_a_plan_beyond_it_is_told),
        cmocka_unit_test(a_load_takes_fewer_threads_rather_than_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
