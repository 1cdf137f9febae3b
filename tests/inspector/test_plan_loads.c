/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every plan that the inspector makes can be loaded without a budget: extreme shapes, all
 * families and ops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "inspect_support.h"

static const char *const shapes[] = {
    "gen:uniform:10:20000000:5", /* its transpose has 160 MB of row pointers and 50 nonzeros */
    "gen:uniform:400000:3:1",
    "gen:uniform:3:400000:1000",
    "gen:empty:0:0",
    "gen:empty:0:5",
    "gen:empty:300000:7",
    "gen:empty:7:300000",
    "gen:hubs:3000:1:3",
    "gen:dense:40:40",
    "gen:dense:1:1",
    "gen:dense:1:5000",
    "gen:dense:5000:1",
    "gen:dense:1100:1100",
    "gen:diag:200000",
    "gen:arrow:20000",
    "gen:rmat:12:8",
    "gen:block:320:16:2",
};
static const char *const kernels[] = {NULL, "rows", "tiled", "window", "panel", "bcsr"};
#define COLUMNS 2147483646
#define ROWS_MAX 600
#define MADE 66 /* of 72: rows takes no permutation */
#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* Returns 1 if the matrix can be inspected with the options; the plan must then load. Returns 0 if it is
 * refused. */
static int loads(const spmm_matrix_t *m, const spmm_inspect_options_t *options, const char *name)
{
    spmm_plan_t *plan = NULL, *loaded = NULL;
    spmm_diag_t diag = {0};
    void *bytes = NULL;
    size_t size = 0;
    if (spmm_inspect(m, options, &plan, &diag) != SPMM_OK)
        return 0;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, &diag), SPMM_OK);
    spmm_plan_destroy(plan);
    if (spmm_plan_read(bytes, size, NULL, &loaded, &diag) != SPMM_OK)
        fail_msg("%s, kernel %s, ops %u: %s", name, options->force_kernel, options->ops, diag.text);
    spmm_plan_destroy(loaded);
    spmm_plan_bytes_free(bytes);
    return 1;
}

static void what_is_inspected_loads_by_default(void **state)
{
    int loaded = 0, refused = 0;
    (void)state;
    for (int i = 0; i < COUNT(shapes); i++) {
        spmm_matrix_t *m = inspect_generate(shapes[i]);
        /* For the first shape, choosing a transposed part of another family takes gigabytes. */
        for (int k = 0; k < (i == 0 ? 1 : COUNT(kernels)); k++) {
            for (uint32_t ops = SPMM_OPS_N; ops <= (SPMM_OPS_N | SPMM_OPS_T); ops++) {
                const spmm_inspect_options_t options =
                    OPTIONS(.ops = ops, .force_kernel = kernels[k], .pattern_only = i % 2,
                            .a_type = i % 3 == 0 ? SPMM_F64 : SPMM_F32);
                const int is_loaded = loads(m, &options, shapes[i]);
                loaded += is_loaded;
                refused += !is_loaded;
            }
        }
        spmm_matrix_destroy(m);
    }
    assert_true(loaded > 250);
    printf("scorecard: P2 %d plans of extreme shapes load without a budget, %d were not made\n", loaded,
           refused);
}

static double cpu_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Row i holds column 5 and one of the last 40,000 columns. Row i + 40 holds the same columns. */
static spmm_matrix_t *matrix_of_all_columns(int64_t rows)
{
    int64_t row_ptr[ROWS_MAX + 1];
    int32_t col_ind[2 * ROWS_MAX];
    for (int64_t i = 0; i <= rows; i++)
        row_ptr[i] = 2 * i;
    for (int64_t i = 0; i < rows; i++) {
        col_ind[2 * i] = 5;
        col_ind[2 * i + 1] = (int32_t)(COLUMNS - 1 - i % 40 * 1000);
    }
    const spmm_csr_t a = {.rows = rows,
                          .cols = COLUMNS,
                          .nnz = 2 * rows,
                          .row_ptr_type = SPMM_I64,
                          .col_ind_type = SPMM_I32,
                          .row_ptr = row_ptr,
                          .col_ind = col_ind,
                          .value_type = SPMM_F32};
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_from_csr(&a, &m, NULL), SPMM_OK);
    return m;
}

/* Without care, counters for all columns take 8.6 to 17 GB and up to 97 s. */
static void columns_without_nonzeros_take_nothing(void **state)
{
    static const char *const of_all[] = {NULL,           "rows",        "tiled/whole",   "tiled/segmented",
                                         "window/dense", "panel/dense", "window/packed", "panel/packed",
                                         "bcsr"};
    static const spmm_reorder_t reorders[] = {SPMM_REORDER_AUTO, SPMM_REORDER_RADIX, SPMM_REORDER_JACCARD,
                                              SPMM_REORDER_MINHASH};
    int made = 0;
    (void)state;
    for (int i = 0; i < 2 * COUNT(of_all) * COUNT(reorders); i++) {
        spmm_matrix_t *m = matrix_of_all_columns(i % 2 == 0 ? 1 : ROWS_MAX);
        const char *const kernel = of_all[i / 2 % COUNT(of_all)];
        const spmm_reorder_t reorder = reorders[i / 2 / COUNT(of_all)];
        const spmm_inspect_options_t options =
            OPTIONS(.force_kernel = kernel, .reorder = reorder, .pattern_only = 1, .threads = 2);
        const double start = cpu_seconds();
        spmmi_alloc_peak_reset();
        made += loads(m, &options, "2^31 - 2 columns");
        if (spmmi_alloc_peak_bytes() >= 8 << 20 || cpu_seconds() - start > 5)
            fail_msg("kernel %s, permutation %d: %llu bytes, %g s", kernel, reorder,
                     (unsigned long long)spmmi_alloc_peak_bytes(), cpu_seconds() - start);
        spmm_matrix_destroy(m);
    }
    assert_int_equal(made, MADE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_inspected_loads_by_default),
        cmocka_unit_test(columns_without_nonzeros_take_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
