/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that a row of format/family_list.def allows load. Others are refused with PART, or with VARIANT for
 * the compute type. One field is changed at a time, to both ends of every range. No family is named here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/plan_records.h"
#include "format/file/plan_write.h"
#include "tests/support/tcblocks.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define EVERY_FLAG 16u
#define EVERY_COMPUTE 8

/* Returns a valid plan of a schedule whose numbers are within their ranges. */
static spmm_plan_t *plan_of(const struct spmmi_schedule *row, spmm_dtype_t dtype)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const uint32_t item_size = row->item_size_min > 4 ? row->item_size_min : 4;
    spmm_plan_t *plan = test_plan_whole(a, (struct test_plan_options){dtype, row->id, item_size, 0, 0}, "");
    test_plan_family(plan, spmmi_family_of(row->family), spmmi_family_of(row->family)->unit_min);
    test_matrix_free(a);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    return plan;
}

/* Checks each row of the list with its own plan and the row of its family. */
typedef void (*row_check)(const struct spmmi_schedule *row, const struct spmmi_family *family,
                          spmm_plan_t *plan);

static void each_row(row_check check)
{
    const struct spmmi_schedule *row;
    int count = 0;
    for (; (row = spmmi_schedule_at(count)) != NULL; count++) {
        spmm_plan_t *plan = plan_of(row, SPMM_F32);
        check(row, spmmi_family_of(row->family), plan);
        spmm_plan_destroy(plan);
    }
    assert_true(count > 0);
}

/* Sets a field of the first part, expects that the plan is refused or not, and restores the field. */
static void expect(spmm_plan_t *plan, uint32_t *field, uint64_t value, int is_valid)
{
    const uint32_t before = *field;
    if (value > UINT32_MAX)
        return;
    *field = (uint32_t)value;
    const spmm_status_t status = spmmi_plan_check(plan, NULL);
    if ((status != SPMM_ERR_PLAN_PART) != (is_valid != 0)) /* a valid item size can fail a later check */
        fail_msg("family %d schedule %d: field %u with %llu gives %s", (int)plan->parts[0].family,
                 (int)plan->parts[0].schedule,
                 (unsigned)(((const char *)field - (const char *)plan->parts) / (long)sizeof *field),
                 (unsigned long long)value, spmm_status_name(status));
    *field = before;
}

static void check_item_sizes(const struct spmmi_schedule *row, const struct spmmi_family *family,
                             spmm_plan_t *plan)
{
    uint32_t *const item_size = &plan->parts[0].item_size;
    const uint64_t minimum = row->item_size_min, maximum = row->item_size_max;
    (void)family;
    expect(plan, item_size, minimum, 1);
    expect(plan, item_size, maximum, 1);
    expect(plan, item_size, maximum + 1, 0);
    expect(plan, item_size, 2 * maximum + 2, 0);
    if (minimum > 0)
        expect(plan, item_size, minimum - 1, 0);
    if (minimum > 1)
        expect(plan, item_size, minimum / 2, 0);
    if (maximum > minimum + 1)
        expect(plan, item_size, minimum + minimum / 2 + 1, row->item_sizes == SPMMI_ITEM_SIZE_ANY);
}

static void check_units(const struct spmmi_schedule *row, const struct spmmi_family *family,
                        spmm_plan_t *plan)
{
    uint32_t *const units = &plan->parts[0].block_rows;
    (void)row;
    for (uint64_t rows = 1; rows <= 2048; rows *= 2) {
        expect(plan, units, rows, rows >= family->unit_min && rows <= family->unit_max);
        expect(plan, units, 3 * rows, 0);
    }
    expect(plan, units, 0, family->unit_max == 0);
}

static void check_slots(const struct spmmi_schedule *row, const struct spmmi_family *family,
                        spmm_plan_t *plan)
{
    uint32_t *const slots = &plan->parts[0].stage_slots;
    (void)row;
    expect(plan, slots, family->slots_min, 1);
    expect(plan, slots, family->slots_max, 1);
    expect(plan, slots, (uint64_t)family->slots_max + 1, 0);
    if (family->slots_min > 0) {
        expect(plan, slots, family->slots_min - 1, 0);
        expect(plan, slots, 0, 0);
    }
}

static void check_flags(const struct spmmi_schedule *row, const struct spmmi_family *family,
                        spmm_plan_t *plan)
{
    (void)family;
    for (uint32_t flags = 0; flags < EVERY_FLAG; flags++) {
        const int is_new = flags == SPMMI_PART_REORDERED && row->permutation != SPMMI_PERMUTATION_KEPT;
        const int is_output = flags == (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT) &&
                              row->permutation == SPMMI_PERMUTATION_OUTPUT;
        expect(plan, &plan->parts[0].flags, flags, flags == 0 || is_new || is_output);
    }
}

/* Long rows after a part: allowed if the family can have them, and only in the schedule that takes them. */
static void check_long_rows(const struct spmmi_schedule *row, const struct spmmi_family *family,
                            spmm_plan_t *plan)
{
    const struct spmmi_schedule *other;
    const int is_long_rows = test_is_tcblocks(family->id) && test_plan_split_long_rows(plan, 8) == 1;
    if (!is_long_rows)
        return;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    for (int i = 0; (other = spmmi_schedule_at(i)) != NULL; i++) {
        struct spmmi_part *const long_rows = &plan->parts[1], before = *long_rows;
        long_rows->family = other->family;
        long_rows->schedule = other->id;
        assert_int_equal(spmmi_plan_check(plan, NULL), spmmi_takes_long_rows(other) && family->takes_long_rows
                                                           ? SPMM_OK
                                                           : SPMM_ERR_PLAN_PART);
        *long_rows = before;
    }
    plan->parts[0].family = spmmi_family_at(0)->id; /* no long rows are split off from it */
    plan->parts[0].schedule = spmmi_schedule_at(0)->id;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_PART);
    plan->parts[0].family = row->family;
    plan->parts[0].schedule = row->id;
}

static int is_row(int family, int schedule)
{
    return spmmi_schedule_of((spmm_family_t)family, (spmm_schedule_t)schedule) != NULL;
}

/* Every number besides the row's own. If the pair is another row, its rules may refuse what this row allows,
 * so it is skipped. */
static void check_numbers(const struct spmmi_schedule *row, const struct spmmi_family *family,
                          spmm_plan_t *plan)
{
    static const int others[] = {-1, 0, 54321, INT32_MAX};
    struct spmmi_part *const part = &plan->parts[0];
    (void)family;
    for (size_t i = 0; i < COUNT(others); i++) {
        part->family = (spmm_family_t)others[i];
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_PART);
        part->family = row->family;
        part->schedule = (spmm_schedule_t)others[i];
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_PART);
        part->schedule = row->id;
        plan->trace[0].schedule = (spmm_schedule_t)others[i];
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_TRACE);
        plan->trace[0].schedule = row->id;
    }
    for (int f = 1; spmmi_family_at(f - 1) != NULL; f++) {
        for (int s = 1; s <= 99; s++) {
            part->family = spmmi_family_at(f - 1)->id;
            part->schedule = (spmm_schedule_t)s;
            if (!is_row((int)part->family, s))
                assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_PART);
        }
    }
    part->family = row->family;
    part->schedule = row->id;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
}

static void check_computes(const struct spmmi_schedule *row, const struct spmmi_family *family,
                           spmm_plan_t *unused)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    (void)unused;
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        spmm_plan_t *plan = plan_of(row, dtypes[d]);
        for (int c = 0; c < EVERY_COMPUTE; c++) {
            const int is_tf32 = c == SPMM_COMPUTE_TF32 || c == SPMM_COMPUTE_3XTF32;
            plan->variants[0].compute = (spmm_compute_t)c;
            plan->trace[0].compute = is_tf32 ? (spmm_compute_t)c : (spmm_compute_t)0;
            assert_int_equal(spmmi_plan_check(plan, NULL),
                             test_plan_may_compute(dtypes[d], family, c) ? SPMM_OK : SPMM_ERR_PLAN_VARIANT);
        }
        spmm_plan_destroy(plan);
    }
}

static spmm_status_t read_with(const uint8_t *bytes, size_t size, uint64_t features)
{
    struct forge *forge = forge_open(bytes, size);
    spmm_plan_t *plan = NULL;
    size_t forged_size = 0;
    forge->header.features_incompat = features;
    uint8_t *forged = forge_build(forge, &forged_size);
    const spmm_status_t status = spmm_plan_read(forged, forged_size, NULL, &plan, NULL);
    spmm_plan_destroy(plan);
    free(forged);
    forge_free(forge);
    return status;
}

/* A file must have the feature bit of its family. */
static void check_features(const struct spmmi_schedule *row, const struct spmmi_family *family,
                           spmm_plan_t *plan)
{
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spmmi_plan_features(plan) & family->feature, family->feature);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    const uint64_t needed = spmmi_plan_features(plan);
    assert_int_equal(read_with(bytes, size, needed), SPMM_OK);
    assert_int_equal(read_with(bytes, size, SPMMI_FEATURES_KNOWN), SPMM_OK);
    if (family->feature != 0) {
        const spmm_status_t status = read_with(bytes, size, needed & ~family->feature);
        /* There may be more segments than a file without the feature may have items. */
        assert_true(status == SPMM_ERR_PLAN_PART ||
                    (row->items == SPMMI_ITEMS_SEGMENTS && status == SPMM_ERR_PLAN_SECTION));
    }
    spmm_plan_bytes_free(bytes);
}

/* A family that can also multiply f32 without tensor cores needs a feature for tf32 and 3xtf32, in variants
 * and in the trace. */
static void check_either(const struct spmmi_schedule *row, const struct spmmi_family *family,
                         spmm_plan_t *unused)
{
    (void)unused;
    if (family->compute != SPMMI_COMPUTE_EITHER)
        return;
    for (int is_traced = 0; is_traced < 2; is_traced++) {
        void *bytes = NULL;
        size_t size = 0;
        spmm_plan_t *plan = plan_of(row, SPMM_F32);
        plan->trace[0].compute = is_traced ? SPMM_COMPUTE_3XTF32 : (spmm_compute_t)0;
        plan->variants[0].compute = is_traced ? SPMM_COMPUTE_F32 : SPMM_COMPUTE_TF32;
        const uint64_t needed = spmmi_plan_features(plan);
        assert_int_equal(needed & SPMMI_FEATURE_EITHER, SPMMI_FEATURE_EITHER);
        assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
        assert_int_equal(read_with(bytes, size, needed), SPMM_OK);
        assert_int_equal(read_with(bytes, size, needed & ~(uint64_t)SPMMI_FEATURE_EITHER),
                         is_traced ? SPMM_ERR_PLAN_TRACE : SPMM_ERR_PLAN_VARIANT);
        spmm_plan_bytes_free(bytes);
        spmm_plan_destroy(plan);
    }
}

#define ROW_TEST(test, check)      \
    static void test(void **state) \
    {                              \
        (void)state;               \
        each_row(check);           \
    }
ROW_TEST(item_sizes_are_in_the_range_of_the_schedule, check_item_sizes)
ROW_TEST(units_are_powers_in_the_range_of_the_family, check_units)
ROW_TEST(slots_are_in_the_range_of_the_family, check_slots)
ROW_TEST(flags_are_those_of_the_permutation_of_the_schedule, check_flags)
ROW_TEST(long_rows_are_where_the_family_has_them, check_long_rows)
ROW_TEST(a_part_has_a_schedule_of_its_family, check_numbers)
ROW_TEST(compute_types_are_those_of_the_family, check_computes)
ROW_TEST(files_name_the_feature_of_the_family, check_features)
ROW_TEST(files_name_the_feature_of_tf32_beside_f32, check_either)

/* Properties of the list that the other tests, and the rest of the code, assume. */
static void the_rows_make_sense(void **state)
{
    const struct spmmi_family *f;
    const struct spmmi_schedule *s;
    (void)state;
    for (int i = 0; (f = spmmi_family_at(i)) != NULL; i++) {
        assert_true(i == 0 || f->id > spmmi_family_at(i - 1)->id);
        assert_ptr_equal(spmmi_family_of(f->id), f);
        assert_true(f->unit_max == 0 || spmmi_is_power_within(f->unit_max, f->unit_min, f->unit_max));
        assert_true(f->unit_max == 0 || spmmi_is_power_within(f->unit_min, 1, f->unit_max));
        assert_true(f->slots_min <= f->slots_max && f->n_min >= 1 && f->types != 0);
        assert_true(f->feature == 0 || (f->feature & (f->feature - 1)) == 0);
        assert_int_equal(f->unit_max > 0, f->unit[0] != '\0');
    }
    for (int i = 0; (s = spmmi_schedule_at(i)) != NULL; i++) {
        assert_non_null(spmmi_family_of(s->family));
        assert_ptr_equal(spmmi_schedule_of(s->family, s->id), s);
        assert_true(i == 0 || s->family >= spmmi_schedule_at(i - 1)->family);
        assert_true(s->item_size_min <= s->item_size_max);
    }
}

/* Checks the parser for the name alone, with a target, and with an instance. */
static void is_parsed(const struct spmmi_schedule *s, const char *target, enum spmmi_kernel_target number)
{
    const char *const family = spmm_family_name(s->family), *const schedule = spmm_schedule_name(s->id);
    struct spmmi_kernel_ref ref;
    char name[80];
    (void)snprintf(name, sizeof name, "%s%s", target, family);
    assert_true(spmmi_kernel_parse(name, &ref) && ref.target == number && ref.schedule == NULL);
    assert_ptr_equal(ref.family, spmmi_family_of(s->family));
    (void)snprintf(name, sizeof name, "%s%s/%s", target, family, schedule);
    assert_true(spmmi_kernel_parse(name, &ref) && ref.target == number && ref.schedule == s);
    assert_string_equal(ref.instance, "");
    (void)snprintf(name, sizeof name, "%s%s/%s/p64/r8", target, family, schedule);
    assert_true(spmmi_kernel_parse(name, &ref) && ref.target == number && ref.schedule == s);
    assert_string_equal(ref.instance, "p64/r8");
    (void)snprintf(name, sizeof name, "%s%s/%s-48/p64", target, family, schedule);
    assert_true(spmmi_kernel_parse(name, &ref) && ref.target == number && ref.schedule == s);
    assert_string_equal(ref.instance, "-48/p64");
}

static void every_kernel_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; spmmi_schedule_at(i) != NULL; i++) {
        is_parsed(spmmi_schedule_at(i), "", SPMMI_KERNEL_ANYWHERE);
        is_parsed(spmmi_schedule_at(i), "cpu/", SPMMI_KERNEL_CPU);
        is_parsed(spmmi_schedule_at(i), "cuda/", SPMMI_KERNEL_CUDA);
    }
}

static void other_names_are_no_kernels(void **state)
{
    static const char *const wrong[] = {"",
                                        "/",
                                        "cpu",
                                        "cpu/",
                                        "cpu/cpu/rows",
                                        "gpu/rows",
                                        "row",
                                        "rowss",
                                        "rows/",
                                        "rows/row",
                                        "rows/row-split/",
                                        "rows/whole",
                                        "/rows",
                                        "row-split",
                                        "tiled/segmented-",
                                        "tiled/segmented-4x",
                                        "tiled/segmented4"};
    struct spmmi_kernel_ref ref;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (spmmi_kernel_parse(wrong[i], &ref))
            fail_msg("\"%s\" was taken", wrong[i]);
}

static void the_list_is_reported_to_users(void **state)
{
    spmm_family_info_t f = {.struct_size = sizeof f};
    spmm_schedule_info_t s = {.struct_size = sizeof s};
    int families = 0, schedules = 0;
    (void)state;
    for (; spmm_family_at(families, &f) == SPMM_OK; families++) {
        assert_string_equal(f.name, spmm_family_name(f.family));
        assert_int_equal(f.uses_tensor_cores, test_is_tcblocks(f.family));
    }
    for (; spmm_schedule_at(schedules, &s) == SPMM_OK; schedules++) {
        assert_string_equal(s.name, spmm_schedule_name(s.schedule));
        assert_true(s.may_reorder || !s.may_permute_output);
    }
    assert_null(spmmi_family_at(families));
    assert_null(spmmi_schedule_at(schedules));
    assert_int_equal(spmm_family_at(-1, &f), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_family_at(0, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_schedule_at(-1, &s), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_schedule_at(0, NULL), SPMM_ERR_ARGUMENT);
    f.struct_size = 0;
    s.struct_size = 0;
    assert_int_equal(spmm_family_at(0, &f), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_schedule_at(0, &s), SPMM_ERR_ARGUMENT);
    f = (spmm_family_info_t){.struct_size = offsetof(spmm_family_info_t, types), .types = 77};
    assert_int_equal(spmm_family_at(0, &f), SPMM_OK);
    assert_int_equal(f.types, 77); /* beyond the caller's struct_size */
    assert_non_null(f.name);
}

static void tensor_cores_are_known(void **state)
{
    static const struct {
        int family;
        spmm_compute_t compute;
        int expected;
    } cases[] = {{99, SPMM_COMPUTE_TF32, 0},
                 {SPMM_FAMILY_ROWS, SPMM_COMPUTE_F16, 0},
                 {SPMM_FAMILY_WINDOW, SPMM_COMPUTE_F64, 1},
                 {6, SPMM_COMPUTE_F32, 0}, /* dense */
                 {6, SPMM_COMPUTE_F64, 0},
                 {6, SPMM_COMPUTE_TF32, 1},
                 {6, SPMM_COMPUTE_3XTF32, 1},
                 {6, SPMM_COMPUTE_F16, 1},
                 {6, SPMM_COMPUTE_BF16, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_is_on_tensor_cores((spmm_family_t)cases[i].family, cases[i].compute),
                         cases[i].expected);
}

/* B and C have the type of A, or types that format/base/types_list.def allows. */
static void mixed_types_are_those_of_the_list(void **state)
{
    const struct spmmi_family *const rows = spmmi_family_of(SPMM_FAMILY_ROWS), *const tiled = spmmi_family_of(
                                                                                   SPMM_FAMILY_TILED);
    (void)state;
    assert_int_equal(spmmi_family_takes(rows, SPMM_F16, SPMM_F16, SPMM_F16), 1);
    assert_int_equal(spmmi_family_takes(rows, SPMM_F16, SPMM_F16, SPMM_F32), 1);
    assert_int_equal(spmmi_family_takes(tiled, SPMM_F16, SPMM_F16, SPMM_F32), 0);
    assert_int_equal(spmmi_family_takes(rows, SPMM_F64, SPMM_F16, SPMM_BF16), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_make_sense),
        cmocka_unit_test(every_kernel_is_found_by_its_name),
        cmocka_unit_test(other_names_are_no_kernels),
        cmocka_unit_test(the_list_is_reported_to_users),
        cmocka_unit_test(item_sizes_are_in_the_range_of_the_schedule),
        cmocka_unit_test(units_are_powers_in_the_range_of_the_family),
        cmocka_unit_test(slots_are_in_the_range_of_the_family),
        cmocka_unit_test(flags_are_those_of_the_permutation_of_the_schedule),
        cmocka_unit_test(long_rows_are_where_the_family_has_them),
        cmocka_unit_test(a_part_has_a_schedule_of_its_family),
        cmocka_unit_test(compute_types_are_those_of_the_family),
        cmocka_unit_test(files_name_the_feature_of_the_family),
        cmocka_unit_test(files_name_the_feature_of_tf32_beside_f32),
        cmocka_unit_test(tensor_cores_are_known),
        cmocka_unit_test(mixed_types_are_those_of_the_list),
    };
    return cmocka_run_group_tests_name("family_rows", tests, NULL, NULL);
}
