/* SPDX-License-Identifier: Apache-2.0 */
/* See hostile_tables.h. */
#include "hostile_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "kernels/dense/dense_shape.h"
#include "kernels/wide/wide_shape.h"

#define WHOLE_UNITS 1000 /* steps per item: more than any unit has, so that no unit is cut */

const struct test_hostile_plan test_hostile_plans[TEST_HOSTILE_PLANS] = {
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, SPMM_F32, 0, 16, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_F32, 0, 8, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_F64, 0, 16, 0, SPMM_OP_T, NULL},
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, SPMM_BF16, 0, 8, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_F16, 0, 8, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, SPMM_F16, 8, WHOLE_UNITS, 1, SPMM_OP_N, NULL},
    {SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE, SPMM_F32, 64, 0, 0, SPMM_OP_N, "cuda/tiled/whole/r16"},
    {SPMM_FAMILY_TILED, SPMM_SCHEDULE_SEGMENTED, SPMM_F16, 32, 7, 0, SPMM_OP_N, "cuda/tiled/segmented/r8"},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, SPMM_F32, 8, 1, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, SPMM_F64, 8, 3, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, SPMM_F32, 8, WHOLE_UNITS, 1, SPMM_OP_N, NULL},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, SPMM_F32, 64, 1, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, SPMM_F64, 128, 3, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, SPMM_F16, 64, WHOLE_UNITS, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, SPMM_F32, 64, 5, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, SPMM_F16, 128, WHOLE_UNITS, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, SPMM_F64, 64, 1, 0, SPMM_OP_N, NULL},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, SPMM_F64, 64, WHOLE_UNITS, 0, SPMM_OP_N, NULL},
    {SPMMI_DENSE, SPMMI_DENSE_GEMM, SPMM_F32, 0, 0, 0, SPMM_OP_N, NULL},
    {SPMMI_DENSE, SPMMI_DENSE_GEMM, SPMM_F16, 0, 0, 0, SPMM_OP_T, NULL},
    {SPMMI_WIDE, SPMMI_WIDE_COLUMN_PANELS, SPMM_F32, 0, 0, 0, SPMM_OP_N, NULL},
    {SPMMI_WIDE, SPMMI_WIDE_COLUMN_PANELS, SPMM_F32, 0, 0, 0, SPMM_OP_T, NULL},
    /* Kernels with one group per row and lanes of 16 bytes, for a width for which groups would share rows
     * by default. */
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, SPMM_F32, 0, 16, 0, SPMM_OP_N, "cuda/rows/row-split/v4l8"},
    {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, SPMM_F64, 0, 8, 0, SPMM_OP_N, "cuda/rows/row-split/v2l16"},
};

spmm_plan_t *test_hostile_plan(const struct test_hostile_plan *of, const struct test_matrix *a)
{
    const struct test_plan_options options = {of->dtype, of->schedule, of->item_size, of->op == SPMM_OP_T, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    test_plan_family(plan, spmmi_family_of(of->family), of->unit_rows);
    /* Kernels of bcsr and panel store column-major C directly if units are not cut and C is in their
     * order. */
    test_plan_reorder(plan, 3, of->item_size == WHOLE_UNITS && !of->is_long_rows);
    if (of->is_long_rows && test_plan_split_long_rows(plan, test_long_rows_min(a)) == 0)
        abort();
    return plan;
}

static struct test_tables *noted;

/* Notes a table. Its entries are single words, or structs of 32-bit numbers. */
static void note(const char *name, const void *device, uint64_t count, size_t size)
{
    if (count == 0)
        return;
    if (noted->count == TEST_TABLES_MAX)
        abort();
    const int is_struct = size > sizeof(uint64_t) || strstr(name, "blocks[") != NULL ||
                          strstr(name, "staged") != NULL || strstr(name, "slices") != NULL;
    struct test_table *table = &noted->list[noted->count++];
    *table = (struct test_table){.device = (char *)(uintptr_t)device, .count = count};
    table->word = is_struct ? 4 : (uint32_t)size;
    table->fields = (uint32_t)size / table->word;
    (void)snprintf(table->name, sizeof table->name, "%.31s", name);
}

void test_tables_note(struct test_tables *tables)
{
    noted = tables;
    spmmi_cuda_table_hook = tables != NULL ? note : NULL;
    if (tables != NULL)
        tables->count = 0;
}

const char *const test_damage_names[TEST_DAMAGES] = {"max", "-1", "neighbour", "random", "zero"};

/* Returns true if the entry is damaged. *word becomes its new value, of which `bits` bits are used. */
static int damaged(enum test_damage damage, uint64_t entry, uint64_t count, uint32_t bits, uint64_t *word)
{
    switch (damage) {
    case TEST_DAMAGE_MAX:
        *word = (UINT64_C(1) << (bits - 1)) - 1;
        return 1;
    case TEST_DAMAGE_MINUS_ONE:
        *word = UINT64_MAX;
        return entry == count / 2;
    case TEST_DAMAGE_NEIGHBOUR:
        *word += 1;
        return 1;
    case TEST_DAMAGE_RANDOM:
        *word = test_hash(entry, count);
        return entry % 3 == 0;
    default:
        *word = 0;
        return entry % 2 == 0;
    }
}

/* Damages one field of the table's entries. Words are little-endian on the host and on the GPU. */
void test_table_damage(const struct test_table *table, uint32_t field, enum test_damage damage)
{
    const size_t stride = (size_t)table->fields * table->word, bytes = (size_t)table->count * stride;
    char *host = malloc(bytes);
    assert_non_null(host);
    TEST_CUDA(cudaMemcpy(host, table->device, bytes, cudaMemcpyDeviceToHost));
    for (uint64_t i = 0; i < table->count; i++) {
        char *at = host + i * stride + (size_t)field * table->word;
        uint64_t word = 0;
        memcpy(&word, at, table->word);
        if (damaged(damage, i, table->count, 8 * table->word, &word))
            memcpy(at, &word, table->word);
    }
    TEST_CUDA(cudaMemcpy(table->device, host, bytes, cudaMemcpyHostToDevice));
    free(host);
}

spmm_executor_t *test_hostile_executor(const spmm_plan_t *plan, const char *kernel,
                                       struct test_tables *tables)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    options.new_values = 1;
    options.force_kernel = kernel;
    test_tables_note(tables);
    if (spmm_executor_create(plan, 0, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    test_tables_note(NULL);
    return executor;
}

void test_table_run_damaged(const spmm_plan_t *plan, const struct test_matrix *a,
                            const struct test_product *product, int table, enum test_damage damage)
{
    struct test_tables tables;
    spmm_executor_t *executor = test_hostile_executor(plan, NULL, &tables);
    struct test_dense b = test_product_b(a, SPMM_F32, product), c = test_product_c(a, SPMM_F32, product);
    void *values = test_values_of(a, SPMM_F32);
    for (uint32_t field = 0; field < tables.list[table].fields; field++)
        test_table_damage(&tables.list[table], field, damage);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    test_cuda_product_run(executor, product, &b, &c);
    free(values);
    test_dense_free(&c);
    test_dense_free(&b);
    spmm_executor_destroy(executor);
}
