/* SPDX-License-Identifier: Apache-2.0 */
/* The largest parts that can be packed, tested without their memory: the row pointers claim a number of
 * nonzeros, and the first allocation fails. One more nonzero gives TOO_LARGE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "executor/parts.h"
#include "format/base/alloc.h"
#include "kernels/rows/rows_pack.h"
#include "kernels/tcblock/tcblock_kind.h"
#include "kernels/tiled/tiled_units.h"
#include "tests/support/tcblock_kind_of.h"

static const struct spmmi_part window = {.family = SPMM_FAMILY_WINDOW,
                                         .schedule = SPMM_SCHEDULE_PACKED,
                                         .item_size = 1,
                                         .item_count = 1,
                                         .block_rows = 8};

/* Packs a row with nnz nonzeros and an empty row. */
static spmm_status_t rows_of(int64_t nnz)
{
    const int64_t row_ptr[] = {0, nnz, nnz};
    struct spmmi_stream_host stream;
    return spmmi_stream_ranks_build(2, row_ptr, &stream, NULL);
}

static spmm_status_t tcblocks_of(int64_t nnz)
{
    const int64_t row_ptr[] = {0, nnz};
    struct spmmi_tcblock_layout layout;
    return spmmi_tcblocks_build(test_tcblock_kind_of(&window), 1, 1, row_ptr, NULL, &window, SPMM_F32,
                                &layout, NULL);
}

static spmm_status_t whole_rows_of(int64_t nnz)
{
    const int64_t row_ptr[] = {0, nnz};
    const struct spmmi_part part = {.item_count = 1};
    struct spmmi_tiled_units units;
    return spmmi_tiled_units_make(1, row_ptr, &part, &units, NULL);
}

/* Makes units in which every nonzero is a segment of its own. */
static spmm_status_t segments_of(int64_t nnz)
{
    const int64_t row_ptr[] = {0, nnz};
    const struct spmmi_part part = {.item_count = (uint64_t)nnz, .item_size = 1};
    struct spmmi_tiled_units units;
    return spmmi_tiled_units_make(1, row_ptr, &part, &units, NULL);
}

static void nonzeros(void **state)
{
    (void)state;
    static const struct {
        spmm_status_t (*pack)(int64_t nnz);
        int64_t most;
    } cases[] = {{rows_of, INT32_MAX - (int64_t)SPMMI_STREAM_PAD},
                 {tcblocks_of, UINT32_MAX},
                 {whole_rows_of, UINT32_MAX},
                 {segments_of, (int64_t)SPMMI_TILED_PARTIAL - 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmmi_alloc_fail_at(0, 1);
        const spmm_status_t most = cases[i].pack(cases[i].most), more = cases[i].pack(cases[i].most + 1);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(most, SPMM_ERR_MEMORY);
        assert_int_equal(more, SPMM_ERR_TOO_LARGE);
    }
}

static void items_that_are_no_rows(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 1};
    const int32_t column = 0;
    struct spmmi_part part = window;
    struct spmmi_tcblock_layout layout;
    uint32_t items[] = {0, 0};
    part.items = items;
    part.item_count = 2;
    assert_int_equal(spmmi_tcblocks_build(test_tcblock_kind_of(&part), 1, 1, row_ptr, &column, &part,
                                          SPMM_F32, &layout, NULL),
                     SPMM_ERR_INTERNAL);
}

static struct spmmi_tcblock_position needs; /* what the only unit claims */

static struct spmmi_tcblock_position unit_needs(const struct spmmi_tcblock_frame *f, const void *unit,
                                                uint32_t *blocks_max, uint32_t *values_max)
{
    (void)f, (void)unit, (void)blocks_max, (void)values_max;
    return needs;
}

/* A unit that claims a number of steps, of one column each, and of values. */
static void steps_and_values(void **state)
{
    (void)state;
    static const struct {
        uint64_t steps, values;
        spmm_status_t expected;
    } cases[] = {{UINT32_MAX, 1, SPMM_OK},
                 {UINT64_C(1) << 32, 1, SPMM_ERR_TOO_LARGE},
                 {1, UINT32_MAX, SPMM_OK},
                 {1, UINT64_C(1) << 32, SPMM_ERR_TOO_LARGE}};
    const int64_t row_ptr[] = {0, 1};
    const int32_t column = 0;
    uint32_t item = 0;
    struct spmmi_part part = window;
    struct spmmi_tcblock_kind kind = *test_tcblock_kind_of(&window);
    kind.unit_needs = unit_needs;
    kind.step_columns = 1;
    part.items = &item;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmmi_tcblocks counts;
        uint64_t scratch = 0;
        needs = (struct spmmi_tcblock_position){cases[i].steps, 1, cases[i].values};
        assert_int_equal(
            spmmi_tcblocks_count(&kind, 1, 1, row_ptr, &column, &part, SPMM_F32, &counts, &scratch, NULL),
            cases[i].expected);
    }
}

static spmm_status_t make_nothing(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                                  spmm_diag_t *diag)
{
    (void)source, (void)object, (void)bytes, (void)diag;
    return SPMM_OK;
}

static void objects_that_parts_share(void **state)
{
    (void)state;
    static struct spmmi_parts parts;
    struct spmmi_shared_kind kinds[SPMMI_SHARED_MAX + 1] = {{.create = NULL}};
    const struct spmmi_part_source source = {.parts = &parts};
    uint64_t bytes = 0;
    void *object;
    for (uint32_t i = 0; i <= SPMMI_SHARED_MAX; i++) {
        kinds[i].create = make_nothing;
        assert_int_equal(spmmi_shared_use(&source, &kinds[i], SPMM_OP_N, &object, &bytes, NULL),
                         i < SPMMI_SHARED_MAX ? SPMM_OK : SPMM_ERR_INTERNAL);
    }
    assert_int_equal(spmmi_shared_use(&source, &kinds[0], SPMM_OP_N, &object, &bytes, NULL), SPMM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonzeros),
        cmocka_unit_test(items_that_are_no_rows),
        cmocka_unit_test(steps_and_values),
        cmocka_unit_test(objects_that_parts_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
