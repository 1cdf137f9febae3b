/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spmm_inspect as a whole: the content of the plan, refusals, reproducible bytes, failing
 * allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"
#include "tests/support/scorecard.h"

/* ---- Every generator, every option that changes the plan ---- */

/* Checks that each variant names the schedule of rows that its trace entries say is chosen, and that the
 * trace has both schedules for each variant. */
static void follows_its_trace(const spmm_plan_t *plan, const spmm_matrix_t *m)
{
    uint32_t entry = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        const struct spmmi_trace *chosen = NULL, *other = NULL;
        assert_int_equal(v->part_count, 1);
        assert_int_equal(plan->parts[v->part_first].op, v->op);
        for (; entry < plan->trace_count && plan->trace[entry].variant == i; entry++) {
            const struct spmmi_trace *t = &plan->trace[entry];
            assert_int_equal(t->family, SPMM_FAMILY_ROWS);
            assert_int_equal(t->predicted_us > 0, m->nnz > 0);
            *(t->chosen ? &chosen : &other) = t;
        }
        assert_true(chosen != NULL && other != NULL && chosen->schedule != other->schedule);
        assert_int_equal(plan->parts[v->part_first].schedule, chosen->schedule);
    }
    assert_int_equal(plan->trace_count, entry);
}

/* Checks that a variant fits for each n, op, layout and kind of device. */
static void covers_every_product(const spmm_plan_t *plan)
{
    static const int64_t n[] = {1, 2, 3, 8, 9, 16, 17, 48, 49, 96, 97, 192, 193, SPMMI_N_MAX};
    int fits = 0;
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
        for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++)
            for (uint32_t layout = SPMM_LAYOUTS_ROW_MAJOR; layout <= SPMM_LAYOUTS_COL_MAJOR; layout *= 2)
                for (uint32_t target = 1; target <= 90; target += 89) {
                    assert_true(spmmi_variant_pick(plan, (spmm_op_t)op, target, n[i], layout, &fits) >= 0);
                    assert_true(fits);
                }
}

/* Checks that the plan names the library and its version, because another version may write other bytes. */
static void names_its_writer(const spmm_plan_t *plan)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    char writer[sizeof info.writer];
    (void)snprintf(writer, sizeof writer, "spmm-inspector %s", spmm_version_string());
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_string_equal(info.writer, writer);
}

static void passes_the_check_of_the_format(void **state)
{
    static const char *const kernels[] = {
        [0] = "rows", /* the family without a schedule */
        [SPMM_SCHEDULE_ROW_SPLIT] = "rows/row-split",
        [SPMM_SCHEDULE_NONZERO_SPLIT] = "rows/nonzero-split",
    };
    const char *spec = *state;
    spmm_matrix_t *m = inspect_generate(spec);
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        for (int schedule = 0; schedule <= SPMM_SCHEDULE_NONZERO_SPLIT; schedule++) {
            for (int pattern_only = 0; pattern_only <= 1; pattern_only++) {
                spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
                spmm_diag_t diag = {0};
                spmm_csr_t csr;
                options.a_type = (spmm_dtype_t)dtype;
                options.pattern_only = pattern_only;
                options.ops = SPMM_OPS_N | SPMM_OPS_T;
                options.force_kernel = kernels[schedule];
                spmm_plan_t *plan = inspect_plan(m, &options);
                if (spmmi_plan_check(plan, &diag) != SPMM_OK)
                    fail_msg("%s: %s", spec, diag.text);
                assert_int_equal(spmm_matrix_csr(m, &csr), SPMM_OK);
                assert_int_equal(spmm_plan_matches(plan, &csr, !pattern_only, NULL), SPMM_OK);
                assert_string_equal(plan->source, spec);
                names_its_writer(plan);
                follows_its_trace(plan, m);
                covers_every_product(plan);
                if (schedule != 0) {
                    assert_int_equal(plan->variant_count, 2);
                    assert_int_equal(plan->part_count, 2);
                    assert_int_equal(plan->parts[0].schedule, schedule);
                    assert_int_equal(plan->parts[1].schedule, schedule);
                }
                spmm_plan_destroy(plan);
            }
        }
    }
    spmm_matrix_destroy(m);
}

static void defaults_are_f32_and_any_device(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:band:50:3");
    spmm_plan_t *plan = inspect_plan(m, NULL);
    assert_int_equal(plan->dtype, SPMM_F32);
    assert_in_range(plan->part_count, 1, 2);
    uint32_t layouts = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        assert_int_equal(v->op, SPMM_OP_N);
        assert_int_equal(v->compute, SPMM_F32);
        assert_true(v->target <= 1);
        layouts |= v->layouts;
    }
    assert_int_equal(layouts, SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR);
    assert_int_equal(plan->variants[0].target, 0);
    for (int64_t p = 0; p < m->nnz; p++)
        assert_true(((float *)plan->values)[p] == (float)m->values[p]);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void schedule_of_the_transpose_follows_its_own_rows(void **state)
{
    static const int64_t n[] = {64};
    static const struct {
        const char *spec;
        spmm_schedule_t schedules[2]; /* for op N and for op T */
    } cases[] = {
        {"gen:dense:3000:16", {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT}},
        {"gen:dense:16:3000", {SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_SCHEDULE_ROW_SPLIT}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_matrix_t *m = inspect_generate(cases[i].spec);
        const spmm_inspect_options_t options =
            OPTIONS(.n = n, .n_count = 1, .ops = SPMM_OPS_N | SPMM_OPS_T, .device = "h200");
        spmm_plan_t *plan = inspect_plan(m, &options);
        for (int op = 0; op < 2; op++) {
            int fits = 0;
            const int v = spmmi_variant_pick(plan, (spmm_op_t)op, 90, 64, SPMM_LAYOUTS_ROW_MAJOR, &fits);
            const struct spmmi_part *part = &plan->parts[plan->variants[v].part_first];
            assert_true(fits);
            assert_int_equal(part->op, op);
            assert_int_equal(part->schedule, cases[i].schedules[op]);
        }
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(m);
    }
}

static void only_ranges_of_the_named_n_get_a_variant(void **state)
{
    static const int64_t n[] = {70, 1};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:band:40:9");
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.n = n;
    options.n_count = 2;
    spmm_plan_t *plan = inspect_plan(m, &options);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        assert_true((v->n_min == 1 && v->n_max == 1) || (v->n_min == 49 && v->n_max == 96));
    }
    for (int k = 0; k < 2; k++) {
        int fits = 0;
        assert_true(spmmi_variant_pick(plan, SPMM_OP_N, 90, n[k], SPMM_LAYOUTS_ROW_MAJOR, &fits) >= 0 &&
                    fits);
    }
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void device_profiles_name_their_target(void **state)
{
    static const struct {
        const char *device;
        uint32_t target;
    } devices[] = {{"any", 0}, {"cpu", 1}, {"a100", 80}, {"h100", 90}, {"h200", 90}};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.device = devices[i].device;
        spmm_plan_t *plan = inspect_plan(m, &options);
        assert_int_equal(plan->variants[0].target, devices[i].target);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static void values_of_a_pattern_are_one(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 2, 3};
    const int32_t col_ind[] = {0, 2, 1};
    const spmm_csr_t csr = {.rows = 2,
                            .cols = 3,
                            .nnz = 3,
                            .row_ptr_type = SPMM_I64,
                            .col_ind_type = SPMM_I32,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind};
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.a_type = (spmm_dtype_t)dtype;
        spmm_plan_t *plan = inspect_plan(m, &options);
        for (int p = 0; p < 3; p++)
            assert_true(dtype == SPMM_F32 ? ((float *)plan->values)[p] == 1.0f
                                          : ((double *)plan->values)[p] == 1.0);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

/* ---- Rounding ---- */

static spmm_status_t inspect_value(double value, spmm_dtype_t dtype, double *stored, spmm_diag_t *diag)
{
    const int64_t row_ptr[] = {0, 1, 3};
    const int32_t col_ind[] = {0, 0, 4};
    const double values[] = {1, 2, value};
    const spmm_csr_t csr = {.rows = 2,
                            .cols = 5,
                            .nnz = 3,
                            .row_ptr_type = SPMM_I64,
                            .col_ind_type = SPMM_I32,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind,
                            .value_type = SPMM_F64,
                            .values = values};
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *m = NULL;
    spmm_plan_t *plan = NULL;
    options.a_type = dtype;
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    const spmm_status_t status = spmm_inspect(m, &options, &plan, diag);
    spmm_matrix_destroy(m);
    if (status == SPMM_OK)
        *stored = dtype == SPMM_F32 ? (double)((float *)plan->values)[2] : ((double *)plan->values)[2];
    else
        assert_null(plan);
    spmm_plan_destroy(plan);
    return status;
}

static void values_are_rounded_to_the_nearest_float(void **state)
{
    (void)state;
    double stored = 0;
    assert_int_equal(inspect_value(0.1, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == (double)0.1f);
    assert_int_equal(inspect_value(1e-60, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == 0);
    assert_int_equal(inspect_value(FLT_MAX, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == FLT_MAX);
    assert_int_equal(inspect_value(1e300, SPMM_F64, &stored, NULL), SPMM_OK);
    assert_true(stored == 1e300);
}

static void infinities_and_nan_of_the_file_stay(void **state)
{
    (void)state;
    double stored = 0;
    assert_int_equal(inspect_value((double)-INFINITY, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == (double)-INFINITY);
    assert_int_equal(inspect_value((double)NAN, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(isnan(stored));
}

static void a_value_too_large_for_a_float_is_refused_with_its_position(void **state)
{
    (void)state;
    double stored = 0;
    spmm_diag_t diag = {0};
    assert_int_equal(inspect_value(-3.5e38, SPMM_F32, &stored, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(diag.status, SPMM_ERR_ARGUMENT);
    assert_int_equal(diag.offset, 1);
    assert_non_null(strstr(diag.text, "row 2, column 5"));
    assert_non_null(strstr(diag.text, "--dtype f64"));
}

static void refuses_missing_arguments(void **state)
{
    (void)state;
    spmm_plan_t *plan = NULL;
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    assert_int_equal(spmm_inspect(NULL, NULL, &plan, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_inspect(m, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_matrix_destroy(m);
}

static void refuses_dimensions_beyond_the_format(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0};
    const spmm_matrix_t m = {.cols = SPMMI_DIM_MAX + 1, .row_ptr = row_ptr};
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_inspect(&m, NULL, &plan, NULL), SPMM_ERR_MATRIX_TOO_LARGE);
    assert_null(plan);
}

/* ---- Sameness, progress, memory ---- */

static void bytes_are_the_same(const spmm_matrix_t *m, spmm_inspect_options_t options)
{
    void *first = NULL;
    size_t first_size = 0;
    for (int threads = 1; threads <= 7; threads += 3) {
        spmm_save_options_t save = SPMM_SAVE_OPTIONS_INIT;
        void *bytes = NULL;
        size_t size = 0;
        options.threads = threads;
        save.threads = threads;
        spmm_plan_t *plan = inspect_plan(m, &options);
        assert_int_equal(spmm_plan_write(plan, &save, &bytes, &size, NULL), SPMM_OK);
        spmm_plan_destroy(plan);
        if (first == NULL) {
            first = bytes;
            first_size = size;
            continue;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        spmm_plan_bytes_free(bytes);
    }
    spmm_plan_bytes_free(first);
}

static void plan_bytes_do_not_depend_on_threads(void **state)
{
    static const int64_t n_64 = 64;
    static const char *const large[] = {"gen:rmat:14:20", "gen:fem3:20:20:20", "gen:rand:150000:2"};
    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        spmm_matrix_t *m = inspect_generate(large[s]);
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.ops = SPMM_OPS_N | SPMM_OPS_T;
        bytes_are_the_same(m, options);
        options.ops = SPMM_OPS_N;
        options.n = &n_64;
        options.n_count = 1;
        options.force_kernel = "tiled";
        options.reorder = SPMM_REORDER_RADIX;
        bytes_are_the_same(m, options);
        spmm_matrix_destroy(m);
    }
}

/* Adjacency matrices often hold only ones. No other plans are compressed as much. */
static void plans_of_a_million_ones_load_again(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:dense:2000:1000");
    for (int64_t p = 0; p < m->nnz; p++)
        m->values[p] = 1;
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        spmm_plan_t *loaded = NULL;
        spmm_csr_t csr;
        spmm_diag_t diag = {0};
        void *bytes = NULL;
        size_t size = 0;
        options.a_type = (spmm_dtype_t)dtype;
        spmm_plan_t *plan = inspect_plan(m, &options);
        assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
        if (spmm_plan_read(bytes, size, NULL, &loaded, &diag) != SPMM_OK)
            fail_msg("%s", diag.text);
        assert_int_equal(spmm_matrix_csr(m, &csr), SPMM_OK);
        assert_int_equal(spmm_plan_matches(loaded, &csr, 1, NULL), SPMM_OK);
        spmm_plan_bytes_free(bytes);
        spmm_plan_destroy(loaded);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static double predicted_us(spmm_matrix_t *m, const char *device, double first, double others)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    const int64_t n = 1;
    options.device = device;
    options.n = &n;
    options.n_count = 1;
    options.force_kernel = "rows/row-split";
    for (int64_t p = 0; p < m->nnz; p++)
        m->values[p] = p == 0 ? first : others;
    spmm_plan_t *plan = inspect_plan(m, &options);
    const double us = plan->trace[0].predicted_us;
    spmm_plan_destroy(plan);
    return us;
}

/* If all values are equal, the kernels of rows do not read them. */
static void values_that_are_all_the_same_cost_less(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:rand:20000:30");
    const double ones = predicted_us(m, "h100", 1, 1);
    assert_true(ones > 0 && ones < predicted_us(m, "h100", 2, 1));
    assert_true(predicted_us(m, "h100", -0.3, -0.3) == ones);
    spmm_matrix_destroy(m);
}

struct progress_record {
    uint64_t last;
    int calls, backwards;
};

static void record_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct progress_record *r = context;
    r->backwards |= done < r->last || done > total || stage[0] == '\0';
    r->last = done;
    r->calls++;
}

static void progress_goes_forward_to_its_end(void **state)
{
    (void)state;
    struct progress_record record = {0};
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.progress = record_progress;
    options.progress_context = &record;
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    spmm_plan_destroy(inspect_plan(m, &options));
    assert_int_equal(record.calls, 4);
    assert_int_equal(record.last, 3);
    assert_false(record.backwards);
    spmm_matrix_destroy(m);
}

static void survives_failing_allocations_of(const spmm_matrix_t *m, const spmm_inspect_options_t *options)
{
    const int64_t live = spmmi_alloc_live();
    int64_t failures = 0;
    for (;; failures++) {
        spmm_diag_t diag = {0};
        spmm_plan_t *plan = NULL;
        spmmi_alloc_fail_at(failures, 1);
        const spmm_status_t status = spmm_inspect(m, options, &plan, &diag);
        spmmi_alloc_fail_at(-1, 0);
        if (status == SPMM_OK) {
            spmm_plan_destroy(plan);
            break;
        }
        assert_int_equal(status, SPMM_ERR_MEMORY);
        assert_null(plan);
        assert_int_equal(diag.status, SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(failures >= 7);
    assert_int_equal(spmmi_alloc_live(), live);
}

static void survives_every_failing_allocation(void **state)
{
    static const char *const kernels[] = {NULL, "tiled/whole", "tiled/segmented"};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:fem3:2:2:2");
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.ops = SPMM_OPS_N | SPMM_OPS_T;
        options.force_kernel = kernels[k];
        survives_failing_allocations_of(m, &options);
    }
    spmm_matrix_destroy(m);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(defaults_are_f32_and_any_device),
        cmocka_unit_test(schedule_of_the_transpose_follows_its_own_rows),
        cmocka_unit_test(only_ranges_of_the_named_n_get_a_variant),
        cmocka_unit_test(device_profiles_name_their_target),
        cmocka_unit_test(values_of_a_pattern_are_one),
        cmocka_unit_test(values_are_rounded_to_the_nearest_float),
        cmocka_unit_test(infinities_and_nan_of_the_file_stay),
        cmocka_unit_test(a_value_too_large_for_a_float_is_refused_with_its_position),
        cmocka_unit_test(refuses_missing_arguments),
        cmocka_unit_test(refuses_dimensions_beyond_the_format),
        cmocka_unit_test(plan_bytes_do_not_depend_on_threads),
        cmocka_unit_test(plans_of_a_million_ones_load_again),
        cmocka_unit_test(values_that_are_all_the_same_cost_less),
        cmocka_unit_test(progress_goes_forward_to_its_end),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    struct CMUnitTest tests[INSPECT_SPEC_COUNT + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < INSPECT_SPEC_COUNT; i++)
        tests[count++] = (struct CMUnitTest){inspect_specs[i], passes_the_check_of_the_format, NULL, NULL,
                                             (void *)(uintptr_t)inspect_specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return test_score_allocations(cmocka_run_group_tests_name("inspect", tests, NULL, NULL));
}
