/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_built.h. */
#include "tcblock_built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/tcblock_kind_of.h"

const struct tcblock_shape tcblock_shapes[TCBLOCK_SHAPES] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, SPMMI_STEPS_MAX, 0, SPMM_F32},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 7, 0, SPMM_F16},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 1, SPMMI_PART_REORDERED, SPMM_F64},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, 0, SPMM_F64},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 5, TCBLOCK_REORDERED_OUTPUT, SPMM_F32},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 128, 1, 0, SPMM_BF16},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 3, SPMMI_PART_REORDERED, SPMM_F16},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 256, SPMMI_STEPS_MAX, SPMMI_PART_REORDERED, SPMM_F64},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, 0, SPMM_F32},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 3, TCBLOCK_REORDERED_OUTPUT, SPMM_BF16},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 1, 0, SPMM_F16},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 5, SPMMI_PART_REORDERED, SPMM_F64},
};

struct spmmi_part tcblock_part_of(const struct tcblock_shape *shape, int64_t rows)
{
    struct spmmi_part part = {.op = SPMM_OP_N,
                              .family = shape->family,
                              .schedule = shape->schedule,
                              .item_size = shape->item_size,
                              .item_count = (uint64_t)rows,
                              .block_rows = shape->block_rows,
                              .flags = shape->flags};
    part.items = calloc((size_t)rows + 1, sizeof *part.items);
    assert_non_null(part.items);
    for (int64_t i = 0; i < rows; i++)
        part.items[i] = (uint32_t)i;
    for (uint64_t i = (uint64_t)rows; shape->flags != 0 && i > 1; i--) {
        const uint64_t other = test_hash(i, 78) % i;
        const uint32_t kept = part.items[i - 1];
        part.items[i - 1] = part.items[other];
        part.items[other] = kept;
    }
    return part;
}

struct tcblock_built tcblock_built_make(struct test_matrix *a, const struct tcblock_shape *shape)
{
    struct tcblock_built b = {.a = a, .shape = shape, .part = tcblock_part_of(shape, a->rows)};
    spmm_diag_t diag = {.text = ""};
    if (spmmi_tcblocks_build(test_tcblock_kind_of(&b.part), a->rows, a->cols, a->row_ptr, a->col_ind, &b.part,
                             shape->dtype, &b.layout, &diag) != SPMM_OK)
        fail_msg("%s: %s", a->name, diag.text);
    return b;
}

void tcblock_built_free(struct tcblock_built *b)
{
    spmmi_tcblocks_free(&b->layout);
    free(b->part.items);
    test_matrix_free(b->a);
}

struct test_matrix *tcblock_matrix_of(int64_t rows, int64_t cols, const int32_t *columns)
{
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct test_matrix){.name = "by hand", .rows = rows, .cols = cols};
    a->row_ptr = calloc((size_t)rows + 1, sizeof *a->row_ptr);
    a->col_ind = calloc((size_t)(rows * cols) + 1, sizeof *a->col_ind);
    assert_true(a->row_ptr != NULL && a->col_ind != NULL);
    for (int64_t i = 0; i < rows; i++, columns++) {
        for (; *columns >= 0; columns++)
            a->col_ind[a->nnz++] = *columns;
        a->row_ptr[i + 1] = a->nnz;
    }
    return a;
}

void tcblock_arrays_of(const struct spmmi_tcblocks *f, struct tcblock_array arrays[TCBLOCK_ARRAYS])
{
    const int is_bcsr = f->block_rows == 16;
    const uint64_t steps = f->step_count, width = is_bcsr ? 4 : f->unit_rows == 8 ? 8 : 128;
    const uint64_t runs = is_bcsr ? 1 : f->unit_rows / 8, words = is_bcsr ? f->block_columns / 4 : 1;
    const uint64_t pad = SPMMI_TCBLOCK_PAD;
    const struct tcblock_array all[TCBLOCK_ARRAYS] = {
        {f->row_of, (uint64_t)f->unit_count * f->unit_rows, pad, 4},
        {f->columns, steps * width, pad, 4},
        {f->locals, f->block_count, pad, 8},
        {f->block_first, steps * runs + 1, pad, 4},
        {f->masks, steps, pad, 4},
        {f->bitmaps, f->block_count * words, pad, 8},
        {f->value_first, f->block_count + UINT64_C(1), pad, 4},
        {f->items, f->item_count, 0, sizeof *f->items},
        {f->splits, f->split_count, 0, sizeof *f->splits},
    };
    memcpy(arrays, all, sizeof all);
}
