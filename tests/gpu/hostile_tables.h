/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of executors on the device, and ways to damage them after all checks. */
#ifndef TEST_HOSTILE_TABLES_H
#define TEST_HOSTILE_TABLES_H

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

/* A plan whose tables are damaged, and the op that is run. */
struct test_hostile_plan {
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;
    uint32_t unit_rows, item_size;
    int is_long_rows; /* long rows are a part of their own */
    spmm_op_t op;
    const char *kernel; /* that is forced; NULL: none */
};
#define TEST_HOSTILE_PLANS 24
extern const struct test_hostile_plan test_hostile_plans[TEST_HOSTILE_PLANS];
spmm_plan_t *test_hostile_plan(const struct test_hostile_plan *of, const struct test_matrix *a);

/* An array that was copied to the device: entries of `fields` words. */
struct test_table {
    char name[32]; /* of the pointer in the source */
    char *device;
    uint64_t count;
    uint32_t fields, word; /* bytes of a word */
};
#define TEST_TABLES_MAX 64
struct test_tables {
    struct test_table list[TEST_TABLES_MAX];
    int count;
};
/* Those that are copied from now on are noted; NULL: no longer. */
void test_tables_note(struct test_tables *tables);

/* What a field of the entries becomes. */
enum test_damage {
    TEST_DAMAGE_MAX,       /* the largest signed number, everywhere */
    TEST_DAMAGE_MINUS_ONE, /* in the entry in the middle */
    TEST_DAMAGE_NEIGHBOUR, /* one more, everywhere */
    TEST_DAMAGE_RANDOM,    /* in every third entry */
    TEST_DAMAGE_ZERO,      /* in every second entry */
    TEST_DAMAGES
};
extern const char *const test_damage_names[TEST_DAMAGES];
void test_table_damage(const struct test_table *table, uint32_t field, enum test_damage damage);
/* An executor of the plan that holds all tables on the device, and notes them; kernel: that is forced, or NULL. */
spmm_executor_t *test_hostile_executor(const spmm_plan_t *plan, const char *kernel,
                                       struct test_tables *tables);
/* A product by an executor of the plan, values of f32, of which all fields of one table are damaged. */
void test_table_run_damaged(const spmm_plan_t *plan, const struct test_matrix *a,
                            const struct test_product *product, int table, enum test_damage damage);

#endif
