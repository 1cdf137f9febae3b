/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the roofline of a plan: Eq. 2, 3 and 6 and the resulting rooflines, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "inspect_support.h"

#define ROWS 64
#define COLS 33
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns 64 rows with nonzeros in columns 0, 16 and 32. Each column of f32 has its own cache line of 64
 * bytes. */
static spmm_matrix_t *make_matrix(void)
{
    int64_t row_ptr[ROWS + 1];
    int32_t columns[3 * ROWS];
    spmm_matrix_t *m = NULL;
    for (int i = 0; i <= ROWS; i++)
        row_ptr[i] = 3 * (int64_t)i;
    for (int i = 0; i < 3 * ROWS; i++)
        columns[i] = 16 * (i % 3);
    const spmm_csr_t a = {ROWS, COLS, 3 * ROWS, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, NULL};
    assert_int_equal(spmm_matrix_from_csr(&a, &m, NULL), SPMM_OK);
    return m;
}

static spmm_plan_t *make_plan(const spmm_inspect_options_t *options)
{
    spmm_matrix_t *const m = make_matrix();
    spmm_plan_t *const plan = inspect_plan(m, options);
    spmm_matrix_destroy(m);
    return plan;
}

/* Returns a plan with row blocks of 32 rows or segments in the order of A, for so many columns of B that R = 16. */
static spmm_plan_t *make_tiled(spmm_balance_t balance, uint32_t op)
{
    const spmm_inspect_options_t options =
        OPTIONS(.n = (const int64_t[]){32768}, .n_count = 1, .ops = op, .device = "a100",
                .layouts = SPMM_LAYOUTS_COL_MAJOR, .force_kernel = "tiled", .pattern_only = 1,
                .reorder = SPMM_REORDER_NONE,
                TILED(.balance = balance, .segment_length = balance == SPMM_BALANCE_SEGMENTS ? 2 : 0,
                      .block_rows = 32));
    return make_plan(&options);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("expected %.17g, found %.17g", expected, found);
}

struct model_case {
    const char *name;
    spmm_balance_t balance;
    uint32_t op;
    int equation;
    double naive, algorithmic, all_miss, cold_miss;
};
static const struct model_case cases[] = {
    /* Eq. 2: 4 + 4 + 4 + (4 + 8) / 3 = 16 bytes for 2 flop. Two row blocks need 3 columns in 3 lines each:
     * rho = 32, Z = 1, C = 64 / 4 = 16, L = 2.
     * Eq. 3: 6 / 16 + 4 Gamma / 32 + 4 / (32 * 3) + 8 / (16 * 3) = 7 / 12 + Gamma / 8. */
    {"whole_rows_have_the_bounds_of_equation_3", SPMM_BALANCE_NONE, 1, 3, 2.0 / 16, 48.0 / 17, 24.0 / 31,
     24.0 / 19},
    /* Segments of 2 and 1 nonzeros: 128 segments of 1.5 on average, 4 row blocks that need all 3 columns:
     * rho = 16, Z = 4 * 64 / 192, L = 4.
     * Eq. 6: 6 Z / 16 + 4 Gamma / 16 + 4 / (16 * 1.5) + (4 + 8) / (16 * 1.5) + 4 / 3 = 2.5 + Gamma / 4. */
    {"segments_have_the_bounds_of_equation_6", SPMM_BALANCE_SEGMENTS, 1, 6, 2.0 / 16, 8.0 / 11, 4.0 / 13,
     4.0 / 7},
    /* In the transpose rows 0, 16 and 32 of 33 hold all 64 columns: mu = 64 / 11. Two row blocks hold these
     * rows: rho = 1.5, Z = 128 * 32 / 192, C = 1, L = 2.
     * Eq. 3: 6 Z / 16 + 4 Gamma / 1.5 + 4 / (1.5 mu) + 8 / (16 mu). */
    {"metrics_of_the_transpose_use_its_mean_row", SPMM_BALANCE_NONE, 2, 3, 2 / (12 + 12 * 11.0 / 64),
     2 / (8 + 8.0 / 3 + 11.0 / 24 + 11.0 / 128), 2 / (8 + 8.0 / 3 + 11.0 / 24 + 11.0 / 128),
     2 / (8 + 4.0 / 3 + 11.0 / 24 + 11.0 / 128)},
};

static void is_as_worked_out(void **state)
{
    const struct model_case *c = *state;
    spmm_plan_t *const plan = make_tiled(c->balance, c->op);
    spmm_roofline_t m = {.struct_size = sizeof m};
    assert_int_equal(spmm_plan_roofline(plan, NULL, &m, NULL), SPMM_OK);
    assert_int_equal(m.equation, c->equation);
    assert_near(m.naive.intensity, c->naive);
    assert_near(m.algorithmic.intensity, c->algorithmic);
    assert_near(m.all_miss.intensity, c->all_miss);
    assert_near(m.cold_miss.intensity, c->cold_miss);
    assert_string_equal(m.device, "");
    assert_true(m.peak_gbs == 0 && m.peak_gflops == 0 && m.naive.gflops == 0 && m.all_miss.gflops == 0);
    spmm_plan_destroy(plan);
}

/* The peak bandwidth of an A100 is 1555 GB/s. */
static void a_device_gives_its_roofline(void **state)
{
    (void)state;
    spmm_plan_t *const plan = make_tiled(SPMM_BALANCE_NONE, 1);
    spmm_roofline_t m = {.struct_size = sizeof m};
    assert_int_equal(spmm_plan_roofline(plan, "a100", &m, NULL), SPMM_OK);
    assert_string_equal(m.device, "a100");
    assert_near(m.peak_gbs, 1555);
    assert_near(m.peak_gflops, 19500);
    assert_near(m.naive.gflops, 1555.0 / 8);
    assert_near(m.algorithmic.gflops, 1555 * 48.0 / 17);
    assert_near(m.all_miss.gflops, 1555 * 24.0 / 31);
    assert_near(m.cold_miss.gflops, 1555 * 24.0 / 19);
    assert_int_equal(spmm_plan_roofline(plan, "any", &m, NULL), SPMM_OK);
    assert_string_equal(m.device, "any");
    spmm_plan_destroy(plan);
}

/* A dense matrix of 16-bit values has more operations per byte than the CPU can compute. */
static void no_roof_is_passed(void **state)
{
    (void)state;
    const spmm_inspect_options_t options =
        OPTIONS(.a_type = SPMM_F16, .n = (const int64_t[]){8192}, .n_count = 1,
                .layouts = SPMM_LAYOUTS_COL_MAJOR, .force_kernel = "tiled",
                TILED(.balance = SPMM_BALANCE_NONE));
    spmm_matrix_t *const a = inspect_generate("gen:dense:256:400");
    spmm_plan_t *const plan = inspect_plan(a, &options);
    spmm_roofline_t m = {.struct_size = sizeof m};
    assert_int_equal(spmm_plan_roofline(plan, "cpu", &m, NULL), SPMM_OK);
    assert_true(m.algorithmic.intensity * m.peak_gbs > m.peak_gflops);
    assert_true(m.algorithmic.gflops == m.peak_gflops);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(a);
}

static void without_row_blocks_there_is_equation_2(void **state)
{
    (void)state;
    const spmm_inspect_options_t options = OPTIONS(.force_kernel = "rows");
    spmm_plan_t *const plan = make_plan(&options);
    spmm_roofline_t m = {.struct_size = sizeof m};
    assert_int_equal(spmm_plan_roofline(plan, "a100", &m, NULL), SPMM_OK);
    assert_int_equal(m.equation, 0);
    assert_near(m.naive.intensity, 0.125);
    assert_near(m.naive.gflops, 1555.0 / 8);
    assert_true(m.algorithmic.intensity == 0 && m.all_miss.intensity == 0 && m.cold_miss.intensity == 0);
    assert_true(m.algorithmic.gflops == 0 && m.all_miss.gflops == 0 && m.cold_miss.gflops == 0);
    spmm_plan_destroy(plan);
}

static void nothing_to_compute_has_intensity_0(void **state)
{
    (void)state;
    static const char *const specs[] = {"gen:empty:0:0", "gen:empty:5:7", "gen:empty:7:0"};
    const spmm_inspect_options_t options = OPTIONS(.force_kernel = "tiled", .ops = SPMM_OPS_N | SPMM_OPS_T);
    for (size_t i = 0; i < COUNT(specs); i++) {
        spmm_matrix_t *const a = inspect_generate(specs[i]);
        spmm_plan_t *const plan = inspect_plan(a, &options);
        spmm_roofline_t m = {.struct_size = sizeof m};
        assert_int_equal(spmm_plan_roofline(plan, "h200", &m, NULL), SPMM_OK);
        assert_true(m.naive.intensity == 0 && m.all_miss.intensity == 0 && m.cold_miss.gflops == 0);
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(a);
    }
}

static void callers_may_know_less(void **state)
{
    (void)state;
    spmm_plan_t *const plan = make_tiled(SPMM_BALANCE_NONE, 1);
    spmm_roofline_t m;
    memset(&m, 0x5a, sizeof m);
    m.struct_size = offsetof(spmm_roofline_t, peak_gflops);
    assert_int_equal(spmm_plan_roofline(plan, "a100", &m, NULL), SPMM_OK);
    assert_int_equal(m.struct_size, offsetof(spmm_roofline_t, peak_gflops));
    assert_int_equal(m.equation, 3);
    assert_near(m.peak_gbs, 1555);
    const unsigned char *const rest = (const unsigned char *)&m.peak_gflops;
    for (size_t i = 0; i < sizeof m - offsetof(spmm_roofline_t, peak_gflops); i++)
        assert_int_equal(rest[i], 0x5a);
    spmm_plan_destroy(plan);
}

static void errors_are_reported_and_outputs_are_zero(void **state)
{
    (void)state;
    spmm_plan_t *const plan = make_tiled(SPMM_BALANCE_NONE, 1);
    spmm_roofline_t m = {.struct_size = sizeof m, .equation = 9, .naive = {1, 1}};
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(spmm_plan_roofline(plan, "no-such-device", &m, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "expected a device of"));
    assert_true(m.struct_size == sizeof m && m.equation == 0 && m.naive.intensity == 0);
    m.equation = 9;
    assert_int_equal(spmm_plan_roofline(NULL, NULL, &m, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(m.equation, 0);
    assert_int_equal(spmm_plan_roofline(plan, NULL, NULL, &diag), SPMM_ERR_ARGUMENT);
    m.struct_size = 0;
    assert_int_equal(spmm_plan_roofline(plan, NULL, &m, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "without struct_size"));
    spmm_plan_destroy(plan);
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(a_device_gives_its_roofline),
        cmocka_unit_test(no_roof_is_passed),
        cmocka_unit_test(without_row_blocks_there_is_equation_2),
        cmocka_unit_test(nothing_to_compute_has_intensity_0),
        cmocka_unit_test(callers_may_know_less),
        cmocka_unit_test(errors_are_reported_and_outputs_are_zero),
    };
    struct CMUnitTest tests[COUNT(cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[count++] =
            (struct CMUnitTest){cases[i].name, is_as_worked_out, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
