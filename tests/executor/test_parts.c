/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an executor and names of forced kernels, with backends of this test. They cover what the CPU
 * backends do not use (checks of the device, objects without values, suffixes for launches), so that builds
 * without a GPU test it too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/executor.h>

#include "executor/forced_kernel.h"
#include "executor/needs.h"
#include "executor/pack/pack_threads.h"
#include "executor/parts.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct {
    spmm_status_t supports, create, set_values;
    int created, valued;
} fake;

static spmm_status_t supports(const struct spmmi_part_source *source, spmm_diag_t *diag)
{
    (void)source, (void)diag;
    return fake.supports;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    (void)diag;
    fake.created++;
    *state = &fake;
    *bytes += 10;
    spmmi_scratch_is(source, fake.created == 1 ? 100 : 50);
    return fake.create;
}

static void destroy(void *state)
{
    (void)state;
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    (void)state, (void)values, (void)stream;
    fake.valued++;
    return fake.set_values;
}

static int has_suffix(const char *suffix)
{
    return strcmp(suffix, "r8") == 0;
}

static void part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows, char *text,
                      size_t size)
{
    (void)part, (void)compute, (void)has_long_rows;
    (void)snprintf(text, size, "no name of a kernel");
}

static const struct spmmi_backend one = {.supports = supports,
                                         .create = create,
                                         .destroy = destroy,
                                         .set_values = set_values,
                                         .has_suffix = has_suffix};
static const struct spmmi_backend other = {.create = create, .destroy = destroy, .part_name = part_name};
static const struct spmmi_kernel kernels[] = {
    {"cuda/rows/row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, &one},
    {"cuda/rows/nonzero-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, &other},
    {NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL},
};

static spmm_plan_t *plan_make(void)
{
    static const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, options);
    test_matrix_free(a);
    return plan;
}

/* Makes a list with room for more parts than a small plan has variants. */
static struct spmmi_parts *parts_make(void)
{
    struct spmmi_parts *parts = spmmi_alloc_zero(1, sizeof *parts + 8 * sizeof parts->list[0]);
    assert_non_null(parts);
    memset(&fake, 0, sizeof fake);
    return parts;
}

static void equal_parts_are_made_once(void **state)
{
    spmm_plan_t *plan = plan_make();
    struct spmmi_parts *parts = parts_make();
    struct spmmi_part part = plan->parts[0];
    struct spmmi_part_source source = {.parts = parts, .backend = &one};
    (void)state;
    spmmi_parts_add(parts, 0, &part, SPMMI_PART_MADE, &one);
    spmmi_parts_add(parts, 1, &part, SPMMI_PART_MADE, &one);
    assert_int_equal(parts->count, 1);
    spmmi_parts_add(parts, 2, &part, SPMMI_PART_MADE, &other);
    part.schedule = SPMM_SCHEDULE_NONZERO_SPLIT;
    spmmi_parts_add(parts, 3, &part, SPMMI_PART_MADE, &one);
    assert_int_equal(parts->count, 3);
    assert_int_equal(parts->of_variant[1], 0);
    assert_int_equal(parts->of_variant[3], 2);
    assert_ptr_equal(spmmi_parts_next(&source, NULL), &parts->list[0].part);
    assert_ptr_equal(spmmi_parts_next(&source, &parts->list[0].part), &parts->list[2].part);
    assert_null(spmmi_parts_next(&source, &parts->list[2].part));
    assert_null(spmmi_kernel_of(kernels, &(struct spmmi_part){.family = SPMM_FAMILY_TILED}));
    spmmi_parts_destroy(parts);
    spmm_plan_destroy(plan);
}

static void a_part_that_is_refused_ends_the_load(void **state)
{
    static const struct {
        spmm_status_t supports, create, status;
        int created;
    } cases[] = {{SPMM_OK, SPMM_OK, SPMM_OK, 2},
                 {SPMM_ERR_UNSUPPORTED, SPMM_OK, SPMM_ERR_UNSUPPORTED, 0},
                 {SPMM_OK, SPMM_ERR_MEMORY, SPMM_ERR_MEMORY, 1}};
    spmm_plan_t *plan = plan_make();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int device_number = SPMM_DEVICE_CPU; device_number <= 0; device_number++) {
            const struct spmmi_device device = {.number = device_number};
            struct spmmi_parts *parts = parts_make();
            struct spmmi_needs needs = spmmi_needs_new(0, 0);
            spmmi_parts_add(parts, 0, &plan->parts[0], 0, &one);
            spmmi_parts_add(parts, 1, &plan->parts[1], 1, &other);
            fake.supports = cases[i].supports, fake.create = cases[i].create;
            assert_int_equal(spmmi_parts_count(parts, plan, &device, "", &needs, NULL), cases[i].status);
            assert_int_equal(fake.created, cases[i].created);
            // The host holds the largest scratch and the states of the parts.
            if (cases[i].status == SPMM_OK) {
                assert_int_equal(needs.device, device_number == SPMM_DEVICE_CPU ? 0 : 20);
                assert_true(needs.host >= (device_number == SPMM_DEVICE_CPU ? 20 + 100 : 100));
            }
            spmmi_parts_destroy(parts);
        }
    spmm_plan_destroy(plan);
}

/* Values go to the shared objects first, then to the parts, up to the first failure. Some of them take no
 * values. */
static void values_go_to_objects_and_parts(void **state)
{
    static const struct spmmi_shared_kind with_values = {create, set_values, NULL, destroy};
    static const struct spmmi_shared_kind without = {create, NULL, NULL, destroy};
    static struct spmmi_shared_kind many[SPMMI_SHARED_MAX];
    spmm_plan_t *plan = plan_make();
    struct spmmi_parts *parts = parts_make();
    uint64_t scratch = 0;
    const struct spmmi_part_source source = {.parts = parts, .scratch = &scratch};
    void *object = NULL;
    uint64_t bytes = 0;
    (void)state;
    for (int turn = 0; turn < 2; turn++) { /* the second time they exist */
        assert_int_equal(spmmi_shared_use(&source, &without, SPMM_OP_N, &object, &bytes, NULL), SPMM_OK);
        assert_int_equal(spmmi_shared_use(&source, &with_values, SPMM_OP_N, &object, &bytes, NULL), SPMM_OK);
        assert_int_equal(spmmi_shared_use(&source, &with_values, SPMM_OP_T, &object, &bytes, NULL), SPMM_OK);
        assert_int_equal(fake.created, 3);
    }
    spmmi_parts_add(parts, 0, &plan->parts[0], 0, &other); /* takes no values */
    spmmi_parts_add(parts, 1, &plan->parts[1], 1, &one);
    assert_int_equal(spmmi_parts_set_values(parts, NULL, NULL), SPMM_OK);
    assert_int_equal(fake.valued, 3);
    fake.set_values = SPMM_ERR_DEVICE;
    assert_int_equal(spmmi_parts_set_values(parts, NULL, NULL), SPMM_ERR_DEVICE);
    assert_int_equal(fake.valued, 4);
    for (size_t i = 0; i < COUNT(many); i++) {
        many[i] = without;
        const spmm_status_t status = spmmi_shared_use(&source, &many[i], SPMM_OP_N, &object, &bytes, NULL);
        assert_int_equal(status, 3 + i < SPMMI_SHARED_MAX ? SPMM_OK : SPMM_ERR_INTERNAL);
    }
    spmmi_parts_destroy(parts);
    spmm_plan_destroy(plan);
}

/* If a part does not multiply the types of a product, another part of the same op does, unless one of the two
 * permutes the rows of C. */
static void parts_that_permute_c_are_not_exchanged(void **state)
{
    static const struct spmmi_part tiled = {.op = SPMM_OP_N, .family = SPMM_FAMILY_TILED};
    static const struct {
        spmm_op_t op;
        uint32_t own_flags, flags;
        int is_found;
    } cases[] = {{SPMM_OP_N, 0, 0, 1},
                 {SPMM_OP_T, 0, 0, 0},
                 {SPMM_OP_N, SPMMI_PART_PERMUTES_OUTPUT, 0, 0},
                 {SPMM_OP_N, 0, SPMMI_PART_PERMUTES_OUTPUT, 0}};
    const struct spmmi_product product = {
        .a_type = SPMM_F16, .b = {.type = SPMM_F16}, .c = {.type = SPMM_F32}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spmmi_parts *parts = parts_make();
        struct spmmi_part own = tiled, rows = {.op = cases[i].op, .family = SPMM_FAMILY_ROWS};
        own.flags = cases[i].own_flags;
        rows.flags = cases[i].flags;
        spmmi_parts_add(parts, 0, &own, 0, &other);
        spmmi_parts_add(parts, 1, &rows, 1, &other);
        assert_ptr_equal(spmmi_parts_for(parts, 0, &product), cases[i].is_found ? &parts->list[1] : NULL);
        assert_ptr_equal(spmmi_parts_for(parts, 1, &product), &parts->list[1]);
        spmmi_free(parts);
    }
}

/* Large data are packed by as many threads as OpenMP has, up to a maximum. */
static void threads_that_pack_are_limited(void **state)
{
    static const int threads[] = {1, SPMMI_PACK_THREADS_MAX - 1, SPMMI_PACK_THREADS_MAX,
                                  SPMMI_PACK_THREADS_MAX + 1};
    enum { ITEMS = SPMMI_PACK_PARALLEL_MIN / sizeof(uint32_t) };
    const int before = omp_get_max_threads();
    uint32_t *const items = calloc(ITEMS, sizeof *items);
    uint64_t hash = 0;
    (void)state;
    assert_non_null(items);
    static struct spmm_plan plan;
    plan.part_count = 1;
    plan.parts[0] = (struct spmmi_part){.items = items, .item_count = ITEMS};
    for (size_t i = 0; i < COUNT(threads); i++) {
        omp_set_num_threads(threads[i]);
        assert_int_equal(spmmi_pack_threads(SPMMI_PACK_PARALLEL_MIN - 1), 1);
        assert_int_equal(spmmi_pack_threads(SPMMI_PACK_PARALLEL_MIN),
                         i < 3 ? threads[i] : SPMMI_PACK_THREADS_MAX);
        hash = i == 0 ? spmmi_parts_hash(&plan) : hash;
        assert_true(spmmi_parts_hash(&plan) == hash);
    }
    omp_set_num_threads(before);
    free(items);
}

static void words_behind_a_kernel_are_of_the_part_or_of_the_launch(void **state)
{
    static const struct {
        const char *name;
        int is_known;
        size_t length;
        const char *suffix;
    } cases[] = {
        {NULL, 0, 0, ""},
        {"no kernel", 0, 0, ""},
        {"cuda/rows/row-split", 1, 0, ""},
        {"rows/row-split/r8", 1, 0, "r8"},
        {"rows/row-split/r9", 1, 2, ""},
        {"rows/row-split/p32/r8", 1, 3, "r8"},
        {"rows/nonzero-split/r8", 1, 2, ""},
        {"tiled/whole/r8", 0, 2, ""},
    };
    struct spmmi_forced forced;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmmi_forced_read(kernels, cases[i].name, &forced);
        assert_int_equal(forced.kernel != NULL, cases[i].is_known);
        assert_int_equal(forced.length, cases[i].length);
        assert_string_equal(forced.suffix, cases[i].suffix);
    }
}

static void parts_that_do_not_fit_a_name_are_told(void **state)
{
    spmm_plan_t *plan = plan_make();
    struct spmmi_parts *parts = parts_make();
    struct spmmi_forced forced;
    struct spmmi_part part = plan->parts[0];
    (void)state;
    spmmi_forced_read(kernels, "rows/nonzero-split/p32", &forced);
    part.schedule = SPMM_SCHEDULE_NONZERO_SPLIT;
    // The name that the backend gives the part is no kernel name.
    assert_int_equal(spmmi_forced_fit(&forced, plan, &part, SPMMI_PART_MADE), 1);
    part.flags |= SPMMI_PART_LONG_ROWS;
    assert_int_equal(spmmi_forced_fit(&forced, plan, &part, SPMMI_PART_MADE), 0);
    // Without a part nothing is wrong.
    assert_int_equal(spmmi_forced_check(&forced, plan, parts, NULL), SPMM_OK);
    spmmi_parts_add(parts, 0, &part, SPMMI_PART_MADE, &other);
    assert_int_equal(spmmi_forced_check(&forced, plan, parts, NULL), SPMM_ERR_ARGUMENT);
    spmmi_parts_destroy(parts);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_parts_are_made_once),
        cmocka_unit_test(a_part_that_is_refused_ends_the_load),
        cmocka_unit_test(values_go_to_objects_and_parts),
        cmocka_unit_test(parts_that_permute_c_are_not_exchanged),
        cmocka_unit_test(threads_that_pack_are_limited),
        cmocka_unit_test(words_behind_a_kernel_are_of_the_part_or_of_the_launch),
        cmocka_unit_test(parts_that_do_not_fit_a_name_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
