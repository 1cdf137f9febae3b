/* SPDX-License-Identifier: Apache-2.0 */
/* Checks terms of the cost model for rows in slices, rows that groups share and few columns, worked out by
 * hand (docs/model.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "model_fixture.h"

/* 1,000 rows of 10 nonzeros in 32 slices of up to 10 entries per row. Every window holds all 500 columns, and
 * every use of a column counts as a reuse. */
static struct spmmi_model_matrix matrix_of_slices(void)
{
    struct spmmi_model_matrix m = {
        .rows = 1000,
        .cols = 500,
        .nnz = 10000,
        .rows_used = 1000,
        .cols_used = 500,
        .longest = 10,
        .slices = {.rows = 1000, .entries = 10240, .batches = 64, .padding_max = 9, .span = 500, .breaks = 1},
    };
    for (int b = 0; b < SPMMI_REUSE_BINS; b++) {
        m.by_rows.working_set[b] = 500;
        m.by_rows.near[b] = 1;
    }
    return m;
}

static double term(const struct spmmi_model_matrix *m, int64_t n, spmm_dtype_t dtype,
                   enum spmmi_model_term of)
{
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    return spmmi_predict(&device, m, &c, n, SPMM_LAYOUTS_ROW_MAJOR, dtype).term[of];
}

static void assert_term(const struct spmmi_model_matrix *m, spmm_dtype_t dtype, enum spmmi_model_term of,
                        double expected)
{
    assert_near(term(m, 1, dtype, of), expected);
}

/* A slice has two warps, with one batch of 8 entries each. */
static void terms_are_as_counted(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_slices();
    assert_term(&m, SPMM_F32, SPMMI_TERM_L1, 10000 * 64 / 5e12);
    assert_term(&m, SPMM_F32, SPMMI_TERM_ISSUE, 64 * 8 * 16 / 3.2e10);
    assert_term(&m, SPMM_F32, SPMMI_TERM_WAVES, 8 * 2 / 50.0 * 1e-6);
    assert_term(&m, SPMM_F64, SPMMI_TERM_WAVES, 8 * 2 / 40.0 * 1e-6);
    assert_term(&m, SPMM_F32, SPMMI_TERM_LONGEST, 2e-6);
}

/* Column indices take 16, 20 or 32 bits. With 20 bits, each batch and row has a word of high bits. Equal
 * values are not read. */
static void bytes_are_those_of_entries(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_slices();
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * 6.0 + 4000) / 1e12);
    assert_term(&m, SPMM_F64, SPMMI_TERM_DRAM, (10240 * 10.0 + 8000) / 1e12);
    m.slices.span = 70000;
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * 6.0 + 64 * 128 + 4000) / 1e12);
    m.slices.span = 2000000;
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * 8.0 + 4000) / 1e12);
    m.has_equal_values = 1;
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * 4.0 + 4000) / 1e12);
}

/* A run of three columns has one index, and a word of high bits covers 12 entries. f64 has no runs. */
static void runs_have_a_third_of_the_columns(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_slices();
    m.slices.breaks = 0;
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * (4 + 2 / 3.0) + 4000) / 1e12);
    assert_term(&m, SPMM_F64, SPMMI_TERM_DRAM, (10240 * 10.0 + 8000) / 1e12);
    assert_term(&m, SPMM_F32, SPMMI_TERM_WAVES, 8 * 2 / 40.0 * 1e-6); /* four thread blocks per SM */
    m.slices.span = 70000;
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (10240 * (4 + 2 / 3.0) + 64 * 128 * 8 / 12.0 + 4000) / 1e12);
}

/* Slices have constants of their own for each type. Rows with too much padding have no slices. */
static void slices_have_constants_of_their_own(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16};
    const struct spmmi_model_matrix m = matrix_of_slices();
    struct spmmi_model_matrix uneven = m;
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    (void)state;
    uneven.slices.entries = 12501;
    const struct spmmi_model_constants *own[3];
    for (int i = 0; i < 3; i++) {
        own[i] = spmmi_predict(&device, &m, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, dtypes[i]).own;
        assert_non_null(own[i]);
        assert_null(spmmi_predict(&device, &uneven, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, dtypes[i]).own);
    }
    /* As fitted (docs/decisions/0120): values of 16 bits start soonest, f64 last. */
    assert_true(own[2]->start_us < own[0]->start_us && own[0]->start_us < own[1]->start_us);
}

/* Two warps have 32 rows, so eight warps have 128 rows of 10 nonzeros. There are too many columns for the L1
 * cache. */
static void a_block_finds_what_its_rows_read(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_slices();
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    m.cols_used = 20000;
    for (int b = 0; b < SPMMI_REUSE_BINS; b++)
        m.by_rows.near[b] = b > 10;
    assert_near(spmmi_predict(&device, &m, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32).l1_share,
                log2(1280) - 10);
}

/* Rows of one nonzero use only one of the eight loads of a batch. High bits would take more bytes than they
 * save. */
static void short_rows_have_whole_batches(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_slices();
    m.nnz = 1000;
    m.longest = 1;
    m.slices =
        (struct spmmi_row_slices){.rows = 1000, .entries = 1024, .batches = 32, .span = 70000, .breaks = 1};
    assert_term(&m, SPMM_F32, SPMMI_TERM_ISSUE, 32 * 8 * 16 / 3.2e10);
    assert_term(&m, SPMM_F32, SPMMI_TERM_WAVES, 4 * 2 / 50.0 * 1e-6);
    assert_term(&m, SPMM_F32, SPMMI_TERM_DRAM, (1024 * 8.0 + 4000) / 1e12);
}

static void other_products_have_none(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_slices();
    const double sliced = term(&m, 1, SPMM_F32, SPMMI_TERM_L1);
    assert_true(term(&m, 2, SPMM_F32, SPMMI_TERM_L1) != sliced);
    m.slices.entries = 12501; /* too much padding */
    assert_true(term(&m, 1, SPMM_F32, SPMMI_TERM_L1) != sliced);
}

/* 32 columns of f32 take 8 lanes. Eight groups share each of 100 long rows, in 25 thread blocks. The ends of
 * a row take four steps. */
static void groups_share_the_steps_of_long_rows(void **state)
{
    (void)state;
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    struct spmmi_model_matrix m = matrix_of_slices();
    m.rows_used = 100;
    m.item_longest = 3;
    m.longest = 31; /* eight times four nonzeros, the last one short */
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++)
        m.item_steps[i] = ceil(ldexp(1000, -i)) * 3;
    const struct spmmi_prediction p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    /* Two warps per row, and four rows per thread block. */
    assert_near(p.term[SPMMI_TERM_L1], 2 * 1000 * 3 / 8.0 * 4 * (4 * 8 + 4 * 128) / 5e12);
    assert_near(p.term[SPMMI_TERM_WAVES],
                (250 * 3 / 8.0 + 4 * 25) / 50 * 1e-6); /* B is in the L1 cache, A is not */
    assert_near(p.term[SPMMI_TERM_LONGEST], 3e-6 / 8);
}

/* Rows that groups share have constants of their own if the profile has them. */
static void shared_rows_have_their_own_constants(void **state)
{
    (void)state;
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    const int shared = spmmi_profile_index("shared", 6), split = spmmi_profile_index("row-split", 9);
    struct spmmi_device_profile fitted = device;
    struct spmmi_model_matrix m = matrix_of_slices();
    struct spmmi_prediction p;
    m.rows_used = 100;
    m.longest = 31;
    fitted.is_fitted[split][SPMMI_MODEL_F32] = 1;
    fitted.launch_s = 2e-6; /* an early start hides half of it, at most 1.5 us */
    p = spmmi_predict(&fitted, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_true(p.is_shared && p.kernel == split);
    fitted.is_fitted[shared][SPMMI_MODEL_F32] = 1;
    fitted.model[shared][SPMMI_MODEL_F32] = (struct spmmi_model_constants){7, 1, {2, 2, 2, 2, 2, 2, 2, 2}, 2};
    p = spmmi_predict(&fitted, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_int_equal(p.kernel, shared);
    assert_near(p.seconds, spmmi_model_combine(&fitted.model[shared][SPMMI_MODEL_F32], p.term, 1e-6, 0));
    m.longest = 3; /* at most four nonzeros: only the first group has work */
    p = spmmi_predict(&fitted, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_true(!p.is_shared && p.kernel == split);
}

/* A column of B fits the L1 cache: each of 10 multiprocessors misses its 62.5 sectors once in 1000 reads,
 * although a thread block reuses nothing. A miss costs 3.5 times its bytes. */
static void a_column_in_the_l1_cache_is_missed_once(void **state)
{
    (void)state;
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS,
                                            .schedule = SPMM_SCHEDULE_NONZERO_SPLIT};
    struct spmmi_model_matrix m = matrix_of_slices();
    for (int b = 0; b < 11; b++)
        m.by_rows.near[b] = 0;
    const struct spmmi_prediction p = spmmi_predict(&device, &m, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.l1_share, 0.9375);
    assert_near(p.term[SPMMI_TERM_L2], 3.5 * 0.0625 * 320000 / 2e12 + (61250 + 32000) / 4e12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_as_counted),
        cmocka_unit_test(bytes_are_those_of_entries),
        cmocka_unit_test(runs_have_a_third_of_the_columns),
        cmocka_unit_test(slices_have_constants_of_their_own),
        cmocka_unit_test(a_block_finds_what_its_rows_read),
        cmocka_unit_test(short_rows_have_whole_batches),
        cmocka_unit_test(other_products_have_none),
        cmocka_unit_test(groups_share_the_steps_of_long_rows),
        cmocka_unit_test(shared_rows_have_their_own_constants),
        cmocka_unit_test(a_column_in_the_l1_cache_is_missed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
