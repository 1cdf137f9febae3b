/* SPDX-License-Identifier: Apache-2.0 */
/* Checks plans of PAP^T: the matrix that they hold, what they report about the permutation, and when there is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "inspector/reorder/row_metrics.h"
#include "inspect_support.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const uint32_t *permutation_of(const spmm_plan_t *plan)
{
    const uint32_t *permutation = NULL;
    int64_t count = -1;
    spmm_csr_t a;
    assert_int_equal(spmm_plan_symmetric_permutation(plan, &permutation, &count), SPMM_OK);
    assert_int_equal(spmm_plan_csr(plan, &a), SPMM_OK);
    assert_int_equal(count, permutation == NULL ? 0 : a.rows);
    return permutation;
}

/* Checks that the plan holds the matrix with rows and columns in this order, also after it is written and
 * read. */
static void holds(const spmm_plan_t *plan, const spmm_matrix_t *m, const uint32_t *permutation)
{
    spmm_matrix_t *permuted = NULL;
    spmm_plan_t *loaded = NULL;
    spmm_csr_t csr;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 0, &permuted, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(permuted, &csr), SPMM_OK);
    assert_int_equal(spmm_plan_matches(plan, &csr, 1, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &loaded, NULL), SPMM_OK);
    assert_true((permutation_of(loaded) == NULL) == (permutation_of(plan) == NULL));
    if (permutation_of(loaded) != NULL)
        assert_memory_equal(permutation_of(loaded), permutation, (size_t)csr.rows * sizeof *permutation);
    spmm_plan_destroy(loaded);
    spmm_plan_bytes_free(bytes);
    spmm_matrix_destroy(permuted);
}

static void named_permutations_are_taken(void **state)
{
    static const spmm_reorder_t kinds[] = {SPMM_REORDER_RADIX, SPMM_REORDER_JACCARD, SPMM_REORDER_MINHASH,
                                           SPMM_REORDER_RCM};
    static const char *const kernels[] = {NULL, "rows", "tiled/whole"};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:5:5:5");
    for (size_t i = 0; i < COUNT(kinds) * COUNT(kernels); i++) {
        const spmm_inspect_options_t options =
            OPTIONS(.symmetric_permutation = 1, .reorder = kinds[i / COUNT(kernels)],
                    .ops = SPMM_OPS_N | SPMM_OPS_T, .force_kernel = kernels[i % COUNT(kernels)]);
        uint32_t permutation[375];
        assert_int_equal(spmm_matrix_permutation(m, kinds[i / COUNT(kernels)], 0, permutation, NULL),
                         SPMM_OK);
        spmm_plan_t *plan = inspect_plan(m, &options);
        assert_memory_equal(permutation_of(plan), permutation, sizeof permutation);
        holds(plan, m, permutation);
        spmm_part_info_t part = {.struct_size = sizeof part};
        for (int k = 0; spmm_plan_part(plan, k, &part) == SPMM_OK; k++)
            assert_false(part.is_reordered); /* no further permutation of the rows of PAP^T */
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static int64_t blocks_of(const spmm_csr_t *a)
{
    spmm_permutation_metrics_t metrics;
    assert_int_equal(spmmi_row_metrics_count(a->rows, a->cols, a->row_ptr, a->col_ind, NULL, 1, &metrics),
                     SPMM_OK);
    return metrics.block_count[SPMM_BLOCKS_16X16];
}

static void auto_takes_what_saves_blocks(void **state)
{
    static const struct {
        const char *spec;
        bool has_permutation;
    } cases[] = {{"gen:femshuf:7:7:7", true},
                 {"gen:band:900:5", false},
                 {"gen:diag:50", false},
                 {"gen:empty:0:0", false},
                 {"gen:dense:40:40", false}};
    static const spmm_inspect_options_t options = OPTIONS(.symmetric_permutation = 1);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_t *m = inspect_generate(cases[i].spec);
        spmm_plan_t *plan = inspect_plan(m, &options);
        spmm_csr_t before, after;
        assert_int_equal(permutation_of(plan) != NULL, cases[i].has_permutation);
        holds(plan, m, permutation_of(plan));
        assert_int_equal(spmm_matrix_csr(m, &before), SPMM_OK);
        assert_int_equal(spmm_plan_csr(plan, &after), SPMM_OK);
        if (cases[i].has_permutation)
            assert_true(10 * blocks_of(&after) < 9 * blocks_of(&before));
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(m);
    }
}

/* A permutation that is the identity is not stored. */
static void a_permutation_that_changes_nothing_is_not_kept(void **state)
{
    static const spmm_inspect_options_t options =
        OPTIONS(.symmetric_permutation = 1, .reorder = SPMM_REORDER_RCM);
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:band:300:4");
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_null(permutation_of(plan));
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void refuses_what_has_no_symmetric_permutation(void **state)
{
    static const struct {
        const char *spec;
        spmm_inspect_options_t options;
        const char *sentence;
    } cases[] = {
        {"gen:uniform:6:5:2", OPTIONS(.symmetric_permutation = 1), "needs a square matrix, found 6 x 5"},
        {"gen:diag:20001", OPTIONS(.symmetric_permutation = 1, .reorder = SPMM_REORDER_JACCARD),
         "at most 20000"},
        {"gen:diag:6", OPTIONS(.symmetric_permutation = 1, .reorder = SPMM_REORDER_NONE), "contradict"},
        {"gen:diag:6", OPTIONS(.symmetric_permutation = 1, .permute_output = 1), "contradict"},
        {"gen:diag:6", OPTIONS(.symmetric_permutation = 2), "found 2"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_t *m = inspect_generate(cases[i].spec);
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag = {0};
        assert_int_equal(spmm_inspect(m, &cases[i].options, &plan, &diag), SPMM_ERR_ARGUMENT);
        assert_null(plan);
        assert_non_null(strstr(diag.text, cases[i].sentence));
        spmm_matrix_destroy(m);
    }
}

static void survives_short_memory(void **state)
{
    static const spmm_inspect_options_t options = OPTIONS(.symmetric_permutation = 1, .threads = 2);
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:3:3:3");
    const int64_t live = spmmi_alloc_live();
    int64_t allocations = 0;
    for (int64_t k = -1; k < (allocations > 0 ? allocations : 1); k++) {
        spmm_plan_t *plan = NULL;
        spmmi_alloc_fail_at(k, 0);
        const spmm_status_t status = spmm_inspect(m, &options, &plan, NULL);
        allocations = k < 0 ? spmmi_alloc_count() : allocations;
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, k < 0 ? SPMM_OK : SPMM_ERR_MEMORY);
        spmm_plan_destroy(plan);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(allocations > 40);
    spmm_matrix_destroy(m);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_permutations_are_taken),
        cmocka_unit_test(auto_takes_what_saves_blocks),
        cmocka_unit_test(a_permutation_that_changes_nothing_is_not_kept),
        cmocka_unit_test(refuses_what_has_no_symmetric_permutation),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests_name("inspect_symmetric", tests, NULL, NULL);
}
