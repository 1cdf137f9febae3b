/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the wide family, checked by its laws for every named matrix and for some with many
 * panels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "kernels/wide/wide_pack.h"
#include "tests/support/matrices.h"

#define PANEL ((int64_t)SPMMI_WIDE_PANEL)
#define AHEAD ((int64_t)SPMMI_WIDE_AHEAD)

TEST_PATTERN(thin, test_chance(i, j, 20))
TEST_PATTERN(dense, true)
TEST_PATTERN(skewed, test_chance(i, j, j < cols / 8 ? 2 : 90)) /* some rows are far ahead of others */
static const struct test_pattern patterns[] = {{"thin", 50, 3000, thin},
                                               {"dense", 30, 1000, dense},
                                               {"skewed", 40, 4000, skewed},
                                               {"many rows", 1100, 200, thin}};
#define PATTERN_COUNT (sizeof patterns / sizeof patterns[0])

static struct spmmi_wide_layout build(const struct test_matrix *a)
{
    struct spmmi_wide_layout layout;
    spmm_diag_t diag = {.text = ""};
    if (spmmi_wide_build(a->rows, a->cols, a->row_ptr, a->col_ind, &layout, &diag) != SPMM_OK)
        fail_msg("%s: %s", a->name, diag.text);
    return layout;
}

/* Checks that row lengths do not increase and that each row occurs once. */
static void check_rows(const struct test_matrix *a, const struct spmmi_wide *w)
{
    const uint32_t positions = w->slice_count * SPMMI_WIDE_GROUPS * w->group_rows;
    int64_t before = INT64_MAX, seen = 0;
    for (uint32_t i = 0; i < positions; i++) {
        if (w->row_of[i] == SPMMI_NONE) {
            assert_true(i >= (uint32_t)a->rows);
            continue;
        }
        const int64_t row = w->row_of[i], length = a->row_ptr[row + 1] - a->row_ptr[row];
        assert_true(length <= before);
        before = length;
        seen += row;
    }
    assert_int_equal(seen, a->rows * (a->rows - 1) / 2);
}

static uint32_t phase_of(const struct spmmi_wide *w, uint32_t slice, uint32_t batch)
{
    uint32_t phase = 0;
    while (w->phase_end[(uint64_t)slice * w->panel_count + phase] <= batch)
        phase++;
    assert_true(phase < w->panel_count);
    return phase;
}

/* Checks that the entries of a row are its nonzeros in order, each at a time at which its panel is in the
 * ring. Returns their number. */
static int64_t check_row(const struct test_matrix *a, const struct spmmi_wide_layout *l, uint32_t slice,
                         uint32_t place)
{
    const struct spmmi_wide *w = &l->view;
    const uint32_t group = place / w->group_rows, slice_rows = SPMMI_WIDE_GROUPS * w->group_rows;
    const uint32_t row = w->row_of[slice * slice_rows + place];
    const uint32_t batches = w->slice_start[slice + 1] - w->slice_start[slice];
    int64_t p = row == SPMMI_NONE ? 0 : a->row_ptr[row];
    const int64_t first = p, end = row == SPMMI_NONE ? 0 : a->row_ptr[row + 1];
    for (uint32_t i = 0; i < batches * SPMMI_WIDE_BATCH; i++) {
        const uint32_t batch = i / SPMMI_WIDE_BATCH, e = i % SPMMI_WIDE_BATCH;
        const uint32_t entry =
            ((w->slice_start[slice] + batch) * SPMMI_WIDE_GROUPS + group) * SPMMI_WIDE_BATCH + e;
        if (e % w->group_rows != place % w->group_rows || l->ring_row[entry] == SPMMI_WIDE_RING)
            continue;
        assert_true(p < end);
        const int64_t column = a->col_ind[p], phase = phase_of(w, slice, batch);
        assert_int_equal(l->ring_row[entry], column % SPMMI_WIDE_RING);
        assert_int_equal(l->value_map[p++], entry);
        assert_true(column / PANEL >= phase && column / PANEL <= phase + AHEAD);
    }
    assert_int_equal(p, end);
    return end - first;
}

static void check(struct test_matrix *a)
{
    struct spmmi_wide_layout l = build(a);
    const struct spmmi_wide *w = &l.view;
    struct spmmi_wide counts;
    int64_t entries = 0;
    check_rows(a, w);
    assert_int_equal(w->slice_start[w->slice_count], w->batch_count);
    for (uint32_t s = 0; s < w->slice_count; s++) {
        const uint64_t last = (uint64_t)(s + 1) * w->panel_count - 1;
        if (w->panel_count > 0)
            assert_int_equal(w->phase_end[last], w->slice_start[s + 1] - w->slice_start[s]);
        for (uint32_t i = 0; i < SPMMI_WIDE_GROUPS * w->group_rows; i++)
            entries += check_row(a, &l, s, i);
    }
    assert_int_equal(entries, a->nnz);
    assert_int_equal(spmmi_wide_count(a->rows, a->cols, a->row_ptr, a->col_ind, &counts, NULL), SPMM_OK);
    assert_int_equal(counts.batch_count, w->batch_count);
    assert_int_equal(spmmi_wide_bytes(&counts), spmmi_wide_bytes(w));
    spmmi_wide_free(&l);
    test_matrix_free(a);
}

static void every_nonzero_is_read_while_its_panel_is_there(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++)
        check(test_matrix_make(i, TEST_VALUES_REAL));
    for (size_t i = 0; i < PATTERN_COUNT; i++)
        check(test_matrix_of(&patterns[i], TEST_VALUES_REAL));
}

/* Rows of a slice may be several panels apart. So batches have little padding, even if panels have unequal
 * numbers of nonzeros. */
static void padding_is_rare(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[0], TEST_VALUES_REAL);
    struct spmmi_wide_layout l = build(a);
    const int64_t entries = (int64_t)l.view.batch_count * SPMMI_WIDE_BATCH_ENTRIES;
    assert_true(entries < a->nnz + a->nnz / 2);
    spmmi_wide_free(&l);
    test_matrix_free(a);
}

/* Phases without nonzeros would need more memory than the matrix. */
static void thin_matrices_are_refused(void **state)
{
    (void)state;
    const int64_t rows = 16384, cols = 16384 * 8;
    int64_t *row_ptr = calloc((size_t)rows + 1, sizeof *row_ptr);
    struct spmmi_wide counts;
    assert_non_null(row_ptr);
    assert_int_equal(spmmi_wide_count(rows, cols, row_ptr, NULL, &counts, NULL), SPMM_ERR_UNSUPPORTED);
    free(row_ptr);
}

static void a_failing_allocation_is_an_error(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[1], TEST_VALUES_REAL);
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    for (int k = 0; status != SPMM_OK; k++) {
        struct spmmi_wide_layout layout;
        spmmi_alloc_fail_at(k, 0);
        status = spmmi_wide_build(a->rows, a->cols, a->row_ptr, a->col_ind, &layout, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        if (status == SPMM_OK)
            spmmi_wide_free(&layout);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_nonzero_is_read_while_its_panel_is_there),
        cmocka_unit_test(padding_is_rare),
        cmocka_unit_test(thin_matrices_are_refused),
        cmocka_unit_test(a_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
