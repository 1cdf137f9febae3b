/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise checks of the tables of the rows family on the device: tables that host threads write to slots,
 * and tables that kernels make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "executor/pack/op_pattern.h"
#include "hostile_tables.h"
#include "kernels/rows/rows_launch_cuda.h"
#include "kernels/rows/rows_pack.h"
#include "tests/support/edges.h"

#define KNOWN 9 /* number of known names of tables, without blocks */

/* The data from which the tables of one op are made. */
struct expected {
    const spmm_plan_t *plan;
    const struct spmmi_part *part;
    struct spmmi_op_pattern a;
    struct spmmi_stream_host stream;
    uint32_t multiprocessors;
    int met[KNOWN];     /* number of tables with each name that fill_of knows */
    int blocks, staged; /* number of tables of blocks; staged: those of few columns */
};

static struct expected expected_make(const spmm_plan_t *plan, const struct spmmi_part *part)
{
    struct expected e = {.plan = plan, .part = part};
    int multiprocessors = 0;
    TEST_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    e.multiprocessors = (uint32_t)multiprocessors;
    assert_int_equal(spmmi_op_pattern_open(plan, part->op, &e.a, NULL), SPMM_OK);
    assert_int_equal(spmmi_stream_ranks_build(e.a.rows, e.a.row_ptr, &e.stream, NULL), SPMM_OK);
    return e;
}

static void expected_free(struct expected *e)
{
    spmmi_stream_host_free(&e->stream);
    spmmi_op_pattern_close(&e->a);
}

typedef void (*table_fill)(const void *source, uint64_t first, uint64_t count, void *to);

static int is_named(const struct test_table *table, const char *name)
{
    return strcmp(table->name, name) == 0;
}

static void map_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    for (uint64_t q = 0; q < count; q++)
        ((uint32_t *)to)[q] = (uint32_t)((const int64_t *)source)[first + q];
}

static void copy_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    memcpy(to, (const uint32_t *)source + first, (size_t)count * sizeof(uint32_t));
}

/* Fills in the start of each rank in item_rank. */
static void starts_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_items_source *const items = source;
    uint32_t *const starts = to;
    spmmi_item_ranks_fill(items, first, count, starts);
    for (uint64_t i = 0; i < count; i++)
        starts[i] = spmmi_rank_start(items->stream, starts[i]);
}

/* Returns the function that fills a table, and its source. Returns NULL if this test does not check the
 * table. */
static table_fill fill_of(struct expected *e, const struct test_table *table, const void **source)
{
    static struct spmmi_columns_source columns;
    static struct spmmi_items_source items;
    static struct spmmi_blocks_source blocks;
    const uint32_t size = e->part->item_size;
    columns = (struct spmmi_columns_source){e->a.col_ind, &e->stream};
    items = (struct spmmi_items_source){&e->stream, (uint32_t)e->part->item_count, size,
                                        e->part->schedule == SPMM_SCHEDULE_ROW_SPLIT ? e->part->items : NULL};
    const struct {
        const char *name;
        table_fill fill;
        const void *source;
    } known[KNOWN] = {
        {"s->columns", spmmi_columns_fill, &columns},
        {"s->narrow", spmmi_narrow_fill, &columns},
        {"s->row_ends", spmmi_row_ends_fill, &e->stream},
        {"s->rank_start", spmmi_rank_starts_fill, &e->stream},
        {"s->row_of_rank", copy_fill, e->stream.row_of_rank},
        {"s->empty_rows", copy_fill, e->stream.empty_rows},
        {"new_values->map", map_fill, e->a.map},
        {"to->item_rank", spmmi_item_ranks_fill, &items},
        {"items->item_start", starts_fill, &items},
    };
    for (int i = 0; i < KNOWN; i++)
        if (is_named(table, known[i].name)) {
            e->met[i]++;
            *source = known[i].source;
            return known[i].fill;
        }
    e->staged += is_named(table, "staged[grid].blocks");
    if (!is_named(table, "rows->blocks[grid].blocks"))
        return NULL;
    blocks = spmmi_rows_blocks_source(&e->stream, size, e->plan->dtype, e->blocks++, e->multiprocessors);
    *source = &blocks;
    return spmmi_blocks_fill;
}

/* Checks that each table exists as often as the schedule and the pattern require, in the order of fill_of. */
static void check_names(const struct expected *e)
{
    const int is_narrow = e->a.cols <= SPMMI_NARROW_COLUMNS, has_empty = e->stream.empty_count > 0;
    const int is_row_split = e->part->schedule == SPMM_SCHEDULE_ROW_SPLIT;
    const int times[KNOWN] = {!is_narrow, is_narrow,        is_narrow, 1,           has_empty,
                              has_empty,  e->a.map != NULL, 1,         is_row_split};
    for (int i = 0; i < KNOWN; i++)
        assert_int_equal(e->met[i], times[i]);
    assert_int_equal(e->blocks, is_row_split ? 0 : SPMMI_ROWS_GRIDS);
    assert_int_equal(e->staged, is_row_split ? 0 : SPMMI_STAGED_GRIDS);
}

/* Checks the content of a table if this test knows it. */
static void check_table(struct expected *e, const struct test_table *table)
{
    const void *source = NULL;
    const table_fill fill = fill_of(e, table, &source);
    const size_t bytes = (size_t)table->count * table->fields * table->word;
    char *device = malloc(bytes + 1), *host = malloc(bytes + 1);
    assert_true(device != NULL && host != NULL);
    if (fill != NULL) {
        fill(source, 0, table->count, host);
        TEST_CUDA(cudaMemcpy(device, table->device, bytes, cudaMemcpyDeviceToHost));
        if (memcmp(device, host, bytes) != 0)
            fail_msg("%s of %llu entries differs", table->name, (unsigned long long)table->count);
    }
    free(device);
    free(host);
}

/* Checks the tables of a plan. They are noted op by op, and the columns of an op are first. */
static void check_plan(const struct test_matrix *a, spmm_schedule_t schedule, int has_transpose)
{
    const struct test_plan_options options = {SPMM_F32, schedule, 8, has_transpose, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    struct test_tables tables;
    struct expected e[2];
    int op = -1;
    for (uint32_t i = 0; i < plan->part_count; i++)
        e[i] = expected_make(plan, &plan->parts[i]);
    spmm_executor_t *executor = test_hostile_executor(plan, NULL, &tables);
    for (int i = 0; i < tables.count; i++) {
        op += is_named(&tables.list[i], "s->columns") || is_named(&tables.list[i], "s->narrow");
        if (op >= 0)
            check_table(&e[op], &tables.list[i]);
    }
    assert_int_equal(op, (int)plan->part_count - 1);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        check_names(&e[i]);
        expected_free(&e[i]);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void check_matrix(const struct test_matrix *a)
{
    check_plan(a, SPMM_SCHEDULE_ROW_SPLIT, 1);
    check_plan(a, SPMM_SCHEDULE_NONZERO_SPLIT, 1);
}

static void tables_of_edges(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_EDGES; m++) {
        struct test_matrix *a = test_edge_make(m, TEST_VALUES_REAL);
        if (a->nnz > 0)
            check_matrix(a);
        test_matrix_free(a);
    }
}

/* The matrix is large enough for several threads and slots. Rows have 0 to 8 nonzeros, except one long
 * row, and columns are narrow or not. */
static void tables_of_many_rows(void **state)
{
    enum { ROWS = 400000, LONG = 50000 };
    static const int64_t cols[] = {65536, 200000};
    (void)state;
    for (int c = 0; c < 2; c++) {
        struct test_matrix *a = calloc(1, sizeof *a);
        assert_non_null(a);
        *a = (struct test_matrix){.name = "many rows", .rows = ROWS, .cols = cols[c]};
        a->row_ptr = calloc(ROWS + 1, sizeof *a->row_ptr);
        a->col_ind = calloc((size_t)ROWS * 8 + LONG, sizeof *a->col_ind);
        a->values = calloc((size_t)ROWS * 8 + LONG, sizeof *a->values);
        assert_true(a->row_ptr != NULL && a->col_ind != NULL && a->values != NULL);
        for (int64_t i = 0; i < ROWS; i++) {
            const int64_t length = i == ROWS / 3 ? LONG : (int64_t)(test_hash((uint64_t)i, 7) % 9);
            const int64_t first = (int64_t)(test_hash((uint64_t)i, 8) % (uint64_t)(cols[c] - length + 1));
            for (int64_t k = 0; k < length; k++)
                a->col_ind[a->nnz++] = (int32_t)(first + k);
            a->row_ptr[i + 1] = a->nnz;
        }
        check_matrix(a);
        test_matrix_free(a);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_of_edges),
                                       cmocka_unit_test(tables_of_many_rows)};
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
