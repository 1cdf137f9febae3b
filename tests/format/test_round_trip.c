/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that is written is read back unchanged, and a file that is read is written back byte for byte, with
 * any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void assert_ok(spmm_status_t status, const spmm_diag_t *diag)
{
    if (status != SPMM_OK)
        fail_msg("%s: %s", spmm_status_name(status), diag->text);
}

static void check_round_trip(const spmm_plan_t *plan, const spmm_save_options_t *options)
{
    spmm_diag_t diag;
    void *bytes = NULL, *again = NULL;
    size_t size = 0, size_again = 0;
    spmm_plan_t *loaded = NULL;
    assert_ok(spmmi_plan_check(plan, &diag), &diag);
    assert_ok(spmm_plan_write(plan, options, &bytes, &size, &diag), &diag);
    assert_ok(spmm_plan_read(bytes, size, NULL, &loaded, &diag), &diag);
    assert_true(test_plans_equal(plan, loaded));
    assert_int_equal(loaded->file_bytes, size);
    assert_ok(spmm_plan_write(loaded, options, &again, &size_again, &diag), &diag);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_bytes_free(again);
    spmm_plan_destroy(loaded);
}

static uint64_t schedule_count(void)
{
    int count = 0;
    while (spmmi_schedule_at(count) != NULL)
        count++;
    return (uint64_t)count;
}

/* Returns the number of cases: each type with each schedule, with and without a transpose, with and without
 * values. */
static uint64_t key_count(void)
{
    return 4 * schedule_count() * 4;
}

static const struct spmmi_schedule *schedule_case(uint64_t key)
{
    return spmmi_schedule_at((int)(key / 4 % schedule_count()));
}

static struct test_plan_options option_case(uint64_t key)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F64, SPMM_F32, SPMM_F16, SPMM_BF16};
    const struct spmmi_schedule *const row = schedule_case(key);
    const uint64_t rest = key / 4 / schedule_count();
    const uint32_t minimum = row->item_size_min > 4 ? row->item_size_min : 4;
    return (struct test_plan_options){dtypes[key % 4], row->id, minimum << (rest / 4 % 3), rest % 2 != 0,
                                      rest / 2 % 2 != 0};
}

/* Gives the part one of the heights of its family, and some f32 plans on tensor cores the compute type
 * tf32. */
static void shape_case(spmm_plan_t *plan, const struct spmmi_family *family, uint64_t key)
{
    uint32_t heights = 1;
    while (family->unit_min << heights <= family->unit_max && family->unit_max > 0)
        heights++;
    test_plan_family(plan, family, family->unit_min << test_hash(key, 5) % heights);
    if (plan->variants[0].compute != SPMM_COMPUTE_3XTF32 || test_hash(key, 6) % 2 != 0)
        return;
    for (uint32_t v = 0; v < plan->variant_count; v++)
        plan->variants[v].compute = SPMM_COMPUTE_TF32;
    for (uint32_t t = 0; t < plan->trace_count; t++)
        plan->trace[t].compute = SPMM_COMPUTE_TF32;
}

/* Returns a plan of a schedule whose items are in order, permuted, or permuted with C. Some plans with stages
 * have metrics of the row blocks. */
static spmm_plan_t *plan_case(const struct test_matrix *a, struct test_plan_options options,
                              const struct spmmi_schedule *row, uint64_t key, const char *source)
{
    spmm_plan_t *plan = test_plan_whole(a, options, source);
    const uint64_t permutation = test_hash(key, 3) % 3;
    if (permutation > 0)
        test_plan_reorder(plan, key, permutation == 2);
    shape_case(plan, spmmi_family_of(row->family), key);
    if (plan->parts[0].stage_slots > 0 && test_hash(key, 4) % 2 == 0)
        test_plan_row_block_metrics(plan);
    if (plan->rows == plan->cols && plan->rows > 0 && test_hash(key, 7) % 2 == 0)
        test_plan_symmetric_permutation(plan, key);
    return plan;
}

static void every_named_matrix_comes_back(void **state)
{
    (void)state;
    for (int index = 0; index < test_matrix_count(); index++) {
        for (uint64_t key = 0; key < key_count(); key++) {
            struct test_matrix *a =
                test_matrix_make(index, (key & 1) ? TEST_VALUES_INTEGER : TEST_VALUES_REAL);
            spmm_plan_t *plan =
                plan_case(a, option_case(key), schedule_case(key), key + (uint64_t)index, a->name);
            check_round_trip(plan, NULL);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
    }
}

/* Returns a matrix of random size and density. One in eight has no rows, no columns or no nonzeros. */
static struct test_matrix *random_matrix(uint64_t seed)
{
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->name = "random";
    a->rows = (int64_t)(test_hash(seed, 1) % 60);
    a->cols = (int64_t)(test_hash(seed, 2) % (test_hash(seed, 3) % 4 == 0 ? 2000000000 : 60));
    const uint64_t density = test_hash(seed, 4) % 8;
    a->row_ptr = calloc((size_t)a->rows + 1, sizeof *a->row_ptr);
    a->col_ind = calloc((size_t)a->rows * 60 + 1, sizeof *a->col_ind);
    a->values = calloc((size_t)a->rows * 60 + 1, sizeof *a->values);
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t stride = a->cols / 60 + 1;
        for (int64_t j = (int64_t)(test_hash(seed, (uint64_t)i) % (uint64_t)stride); j < a->cols;
             j += stride) {
            if (test_hash(seed + 7, (uint64_t)(i * 64 + j / stride)) % 8 >= density)
                continue;
            a->col_ind[a->nnz] = (int32_t)j;
            a->values[a->nnz] = test_real(seed, (uint64_t)a->nnz);
            a->nnz++;
        }
        a->row_ptr[i + 1] = a->nnz;
    }
    return a;
}

static void random_matrices_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < scaled(600); seed++) {
        struct test_matrix *a = random_matrix(seed);
        const uint64_t key = test_hash(seed, 99);
        struct test_plan_options options = option_case(key);
        options.has_transpose = options.has_transpose && a->cols < 1000; /* the helper counts every column */
        spmm_plan_t *plan =
            plan_case(a, options, schedule_case(key), seed, (seed & 1) ? "" : "random \xc3\xa9");
        const spmm_save_options_t save = {sizeof save, (int)(seed % 8), 0, (int)(seed % 3)};
        check_round_trip(plan, &save);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

/* Returns a plan that is large enough for eight threads and for several frames in each large section. */
static spmm_plan_t *large_plan(spmm_dtype_t dtype, spmm_schedule_t schedule, int has_transpose)
{
    struct test_matrix a = {.name = "large", .rows = 1400000, .cols = 5000};
    a.row_ptr = calloc((size_t)a.rows + 1, sizeof *a.row_ptr);
    a.col_ind = calloc((size_t)a.rows * 4, sizeof *a.col_ind);
    a.values = calloc((size_t)a.rows * 4, sizeof *a.values);
    for (int64_t i = 0; i < a.rows; i++) {
        for (uint64_t e = 0; e < test_hash((uint64_t)i, 5) % 5; e++) {
            a.col_ind[a.nnz] = (int32_t)(e * 1250 + test_hash((uint64_t)i, e) % 1250);
            a.values[a.nnz++] = test_real((uint64_t)i, e);
        }
        a.row_ptr[i + 1] = a.nnz;
    }
    spmm_plan_t *plan =
        test_plan_whole(&a, (struct test_plan_options){dtype, schedule, 4, has_transpose, 0}, "large");
    free(a.row_ptr);
    free(a.col_ind);
    free(a.values);
    return plan;
}

/* Checks the plan with 1, 2 and 8 threads, and destroys it. */
static void check_threads(spmm_plan_t *plan)
{
    spmm_diag_t diag;
    void *one = NULL;
    size_t one_size = 0;
    const int threads[] = {1, 2, 8};
    for (size_t t = 0; t < COUNT(threads); t++) {
        const spmm_save_options_t save = {sizeof save, 1, 0, threads[t]};
        const spmm_load_options_t load = {sizeof load, 0, threads[t]};
        void *bytes = NULL;
        size_t size = 0;
        spmm_plan_t *loaded = NULL;
        assert_ok(spmm_plan_write(plan, &save, &bytes, &size, &diag), &diag);
        assert_ok(spmm_plan_read(bytes, size, &load, &loaded, &diag), &diag);
        assert_true(test_plans_equal(plan, loaded));
        spmm_plan_destroy(loaded);
        if (one == NULL) {
            one = bytes;
            one_size = size;
            continue;
        }
        assert_int_equal(size, one_size);
        assert_memory_equal(bytes, one, size);
        spmm_plan_bytes_free(bytes);
    }
    spmm_plan_bytes_free(one);
    spmm_plan_destroy(plan);
}

static void the_number_of_threads_never_changes_the_bytes(void **state)
{
    (void)state;
    check_threads(large_plan(SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 1));
    spmm_plan_t *tiled = large_plan(SPMM_BF16, SPMM_SCHEDULE_SEGMENTED, 1);
    test_plan_reorder(tiled, 5, 0);
    check_threads(tiled);
}

/* 1.4 million units in three frames. The stored bytes only say that the units are in order. */
static void units_in_order_take_no_room(void **state)
{
    (void)state;
    spmm_diag_t diag;
    spmm_plan_t *plan = large_plan(SPMM_F16, SPMM_SCHEDULE_WHOLE, 0), *loaded = NULL;
    void *bytes = NULL;
    size_t size = 0;
    spmm_section_info_t section = {.struct_size = sizeof section};
    assert_ok(spmm_plan_write(plan, NULL, &bytes, &size, &diag), &diag);
    assert_ok(spmm_plan_read(bytes, size, NULL, &loaded, &diag), &diag);
    assert_true(test_plans_equal(plan, loaded));
    for (int i = 0; strcmp(section.name, "items") != 0; i++)
        assert_int_equal(spmm_plan_section(loaded, i, &section), SPMM_OK);
    assert_int_equal(section.raw_bytes, 4 * plan->rows);
    assert_in_range(section.stored_bytes, 1, 1000);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(plan);
}

/* The check of a reordered part needs a bit per unit. The budget must grow by exactly that. */
static void the_check_of_a_permutation_counts_in_the_budget(void **state)
{
    (void)state;
    spmm_plan_t *plan = large_plan(SPMM_F32, SPMM_SCHEDULE_WHOLE, 0);
    uint64_t needs[2] = {0, 0};
    for (int is_reordered = 0; is_reordered < 2; is_reordered++) {
        void *bytes = NULL;
        size_t size = 0;
        if (is_reordered)
            test_plan_reorder(plan, 1, 0);
        assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
        uint64_t low = 0, high = UINT64_C(1) << 30;
        while (high - low > 1) { /* finds the smallest sufficient budget */
            const uint64_t budget = low + (high - low) / 2;
            const spmm_load_options_t options = {sizeof options, budget, 1};
            spmm_plan_t *loaded = NULL;
            spmmi_alloc_peak_reset();
            const spmm_status_t status = spmm_plan_read(bytes, size, &options, &loaded, NULL);
            assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
            assert_true(spmmi_alloc_peak_bytes() <= budget);
            *(status == SPMM_OK ? &high : &low) = budget;
            spmm_plan_destroy(loaded);
        }
        needs[is_reordered] = high;
        spmm_plan_bytes_free(bytes);
    }
    /* The statistics need 4 bytes per column at another time; the bits need more. */
    assert_int_equal(needs[1] - needs[0], (uint64_t)plan->rows / 8 - 4 * (uint64_t)plan->cols);
    spmm_plan_destroy(plan);
}

static void a_pattern_only_file_loads_without_values(void **state)
{
    (void)state;
    spmm_diag_t diag;
    struct test_matrix *a = test_matrix_make(test_matrix_count() - 1, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, option_case(0), "pattern"), *loaded = NULL;
    const spmm_save_options_t save = {sizeof save, 0, 1, 0};
    const uint8_t zero[16] = {0};
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(spmm_plan_write(plan, &save, &bytes, &size, &diag), &diag);
    assert_ok(spmm_plan_read(bytes, size, NULL, &loaded, &diag), &diag);
    assert_null(loaded->values);
    assert_memory_equal(loaded->values_digest, zero, sizeof zero);
    assert_memory_equal(loaded->pattern_digest, plan->pattern_digest, sizeof zero);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_named_matrix_comes_back),
        cmocka_unit_test(random_matrices_come_back),
        cmocka_unit_test(the_number_of_threads_never_changes_the_bytes),
        cmocka_unit_test(units_in_order_take_no_room),
        cmocka_unit_test(the_check_of_a_permutation_counts_in_the_budget),
        cmocka_unit_test(a_pattern_only_file_loads_without_values),
    };
    return cmocka_run_group_tests_name("round_trip", tests, NULL, NULL);
}
