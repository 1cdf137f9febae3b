/* SPDX-License-Identifier: Apache-2.0 */
/* Tests note the tables of executors on the device and damage them after all checks of the plan. */
#ifndef TEST_HOSTILE_TABLES_H
#define TEST_HOSTILE_TABLES_H

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

/* A plan whose tables are damaged, and the op of its products. */
struct test_hostile_plan {
    spmm_family_t family;
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;
    uint32_t unit_rows, item_size;
    int is_long_rows; /* whether long rows are a separate part */
    spmm_op_t op;
    const char *kernel; /* kernel that the executor must run; NULL: the default */
};
#define TEST_HOSTILE_PLANS 24
extern const struct test_hostile_plan test_hostile_plans[TEST_HOSTILE_PLANS];
spmm_plan_t *test_hostile_plan(const struct test_hostile_plan *of, const struct test_matrix *a);

/* An array on the device: `count` entries of `fields` words each. */
struct test_table {
    char name[32]; /* name of the pointer in the source */
    char *device;
    uint64_t count;
    uint32_t fields, word; /* word: bytes of a word */
};
#define TEST_TABLES_MAX 64
struct test_tables {
    struct test_table list[TEST_TABLES_MAX];
    int count;
};
/* Starts to note the tables that executors copy to the device. NULL: stops. */
void test_tables_note(struct test_tables *tables);

/* Ways to change a field of the entries. */
enum test_damage {
    TEST_DAMAGE_MAX,       /* the largest signed number, in all entries */
    TEST_DAMAGE_MINUS_ONE, /* in the entry in the middle */
    TEST_DAMAGE_NEIGHBOUR, /* the old value plus 1, in all entries */
    TEST_DAMAGE_RANDOM,    /* a random number, in every third entry */
    TEST_DAMAGE_ZERO,      /* in every second entry */
    TEST_DAMAGES
};
extern const char *const test_damage_names[TEST_DAMAGES];
void test_table_damage(const struct test_table *table, uint32_t field, enum test_damage damage);
/* Makes an executor of the plan that accepts new values, and notes its tables. kernel: kernel that it must
 * run, or NULL. */
spmm_executor_t *test_hostile_executor(const spmm_plan_t *plan, const char *kernel,
                                       struct test_tables *tables);
/* Damages all fields of one table of an executor of the plan, sets new values of f32 and runs the product. */
void test_table_run_damaged(const spmm_plan_t *plan, const struct test_matrix *a,
                            const struct test_product *product, int table, enum test_damage damage);

#endif
