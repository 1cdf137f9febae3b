/* SPDX-License-Identifier: Apache-2.0 */
/* Checks plans for several targets and value types: the variants of each, shared parts, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/stored_value.h"
#include "format/plan.h"
#include "inspect_support.h"

static const char *const devices[] = {"cpu", "a100", "h200"};
static const uint32_t targets[] = {1, 80, 90};
#define DEVICES 3
#define BOTH_OPS (SPMM_OPS_N | SPMM_OPS_T)
static const int64_t some_n[] = {8, 32, 128};

static int are_equal(const struct spmmi_part *a, const struct spmmi_part *b)
{
    return a->op == b->op && a->family == b->family && a->schedule == b->schedule &&
           a->item_size == b->item_size && a->block_rows == b->block_rows &&
           a->stage_slots == b->stage_slots && a->flags == b->flags && a->item_count == b->item_count &&
           (a->item_count == 0 || memcmp(a->items, b->items, a->item_count * sizeof *a->items) == 0);
}

/* Returns whether two trace entries are equal except for their variant. Compares each field, because the
 * bytes of padding between them are undefined. */
static int tell_the_same(const struct spmmi_trace *a, const struct spmmi_trace *b)
{
    return a->family == b->family && a->schedule == b->schedule && a->chosen == b->chosen &&
           a->reason == b->reason && a->compute == b->compute && a->permutation == b->permutation &&
           a->predicted_us == b->predicted_us && a->measured_us == b->measured_us && a->value == b->value &&
           a->threshold == b->threshold;
}

/* Returns the variant for this target and type after skipping the first `skipped` ones; NULL if there is
 * none. Type 0 is the type of the plan. */
static const struct spmmi_variant *typed_variant_of(const spmm_plan_t *plan, uint32_t target,
                                                    spmm_dtype_t type, uint32_t skipped)
{
    const spmm_dtype_t wanted = type != 0 ? type : plan->dtype;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (plan->variants[i].target == target && spmmi_variant_type(&plan->variants[i]) == wanted &&
            skipped-- == 0)
            return &plan->variants[i];
    return NULL;
}

static const struct spmmi_variant *variant_of(const spmm_plan_t *plan, uint32_t target, uint32_t skipped)
{
    return typed_variant_of(plan, target, (spmm_dtype_t)0, skipped);
}

/* Checks that both plans have the same variants for this target, with equal parts and equal trace entries. */
static void agree_on(const spmm_plan_t *one, const spmm_plan_t *all, uint32_t target)
{
    const struct spmmi_variant *v = NULL;
    for (uint32_t k = 0; (v = variant_of(one, target, k)) != NULL; k++) {
        const struct spmmi_variant *w = typed_variant_of(all, target, one->dtype, k);
        assert_non_null(w);
        assert_true(v->op == w->op && v->compute == w->compute && v->layouts == w->layouts);
        assert_true(v->n_min == w->n_min && v->n_max == w->n_max && v->part_count == w->part_count);
        for (uint32_t p = 0; p < v->part_count; p++)
            assert_true(are_equal(&one->parts[v->part_first + p], &all->parts[w->part_first + p]));
        uint32_t t = 0, u = 0;
        while (one->trace[t].variant != (uint32_t)(v - one->variants))
            t++;
        while (all->trace[u].variant != (uint32_t)(w - all->variants))
            u++;
        for (; t < one->trace_count && one->trace[t].variant == (uint32_t)(v - one->variants); t++, u++) {
            assert_true(u < all->trace_count && all->trace[u].variant == (uint32_t)(w - all->variants));
            assert_true(tell_the_same(&one->trace[t], &all->trace[u]));
        }
    }
    uint32_t count = 0;
    while (variant_of(one, target, count) != NULL)
        count++;
    assert_true(count > 0);
    assert_null(typed_variant_of(all, target, one->dtype, count));
}

static void no_part_is_there_twice(const spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct spmmi_part *a = spmmi_long_rows_of(plan, i), *b = spmmi_long_rows_of(plan, k);
            const int is_whole = (plan->parts[i].flags & SPMMI_PART_LONG_ROWS) == 0;
            const int are_alike = (a == NULL) == (b == NULL) && (a == NULL || are_equal(a, b));
            assert_false(is_whole && are_alike && are_equal(&plan->parts[i], &plan->parts[k]));
        }
}

/* Each target gets the same variants as in a plan for it alone. So does the CPU if it is not named. */
static void each_device_gets_what_its_own_plan_has(void **state)
{
    const spmm_inspect_options_t cases[] = {
        OPTIONS(.n = some_n, .n_count = 3),
        OPTIONS(.ops = BOTH_OPS, .n = some_n, .n_count = 3),
        OPTIONS(.a_type = SPMM_F16, .layouts = SPMM_LAYOUTS_COL_MAJOR),
        OPTIONS(.force_kernel = "tiled", .n = some_n, .n_count = 2),
        OPTIONS(.force_kernel = "panel", .reorder = SPMM_REORDER_MINHASH, .n = some_n, .n_count = 1),
        OPTIONS(.symmetric_permutation = 1, .reorder = SPMM_REORDER_RCM),
    };
    spmm_matrix_t *m = inspect_generate(*state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_inspect_options_t options = cases[i];
        spmm_diag_t diag = {0};
        options.targets = devices;
        options.target_count = DEVICES;
        spmm_plan_t *all = inspect_plan(m, &options);
        options.targets = devices + 1;
        options.target_count = DEVICES - 1;
        spmm_plan_t *gpus = inspect_plan(m, &options);
        if (spmmi_plan_check(all, &diag) != SPMM_OK)
            fail_msg("%s", diag.text);
        no_part_is_there_twice(all);
        options.targets = NULL;
        options.target_count = 0;
        for (int d = 0; d < DEVICES; d++) {
            options.device = devices[d];
            spmm_plan_t *one = inspect_plan(m, &options);
            agree_on(one, all, targets[d]);
            if (d > 0) {
                agree_on(one, gpus, targets[d]);
                if (variant_of(one, 1, 0) != NULL)
                    agree_on(one, gpus, 1);
            }
            spmm_plan_destroy(one);
        }
        spmm_plan_destroy(gpus);
        spmm_plan_destroy(all);
    }
    spmm_matrix_destroy(m);
}

static const spmm_dtype_t types[] = {SPMM_F16, SPMM_F64, SPMM_F32, SPMM_BF16}; /* in any order */

/* Each type gets the same variants on each device as in a plan for it alone. The values are stored in the
 * widest type. */
static void each_type_gets_what_its_own_plan_has(void **state)
{
    const spmm_inspect_options_t cases[] = {
        OPTIONS(.n = some_n, .n_count = 2),
        OPTIONS(.ops = BOTH_OPS, .n = some_n + 1, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR),
        OPTIONS(.n = some_n, .n_count = 1, .compute = SPMM_COMPUTE_TF32),
        OPTIONS(.force_kernel = "window", .n = some_n, .n_count = 1),
    };
    spmm_matrix_t *m = inspect_generate(*state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_inspect_options_t options = cases[i];
        spmm_diag_t diag = {0};
        options.targets = devices;
        options.target_count = DEVICES;
        options.a_types = types;
        options.a_type_count = 4;
        spmm_plan_t *all = inspect_plan(m, &options);
        if (spmmi_plan_check(all, &diag) != SPMM_OK)
            fail_msg("%s", diag.text);
        assert_int_equal(all->dtype, SPMM_F64);
        no_part_is_there_twice(all);
        options.a_types = NULL;
        options.a_type_count = 0;
        for (int t = 0; t < 4; t++) {
            options.a_type = types[t];
            options.compute = types[t] == SPMM_F32 ? cases[i].compute : (spmm_compute_t)0;
            spmm_plan_t *one = inspect_plan(m, &options);
            for (int d = 0; d < DEVICES; d++)
                agree_on(one, all, targets[d]);
            if (types[t] == SPMM_F64)
                assert_memory_equal(one->values, all->values, (size_t)all->nnz * sizeof(double));
            spmm_plan_destroy(one);
        }
        spmm_plan_destroy(all);
    }
    spmm_matrix_destroy(m);
}

/* A list of one type is the same as naming this type, whatever other options say about it. */
static void one_type_is_that_type(void **state)
{
    static const spmm_dtype_t half[] = {SPMM_F16};
    const spmm_inspect_options_t options =
        OPTIONS(.a_types = half, .a_type_count = 1, .b_type = SPMM_F16, .c_type = SPMM_F32);
    spmm_matrix_t *m = inspect_generate("gen:band:300:9");
    (void)state;
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->dtype, SPMM_F16);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Checks that a candidate is measured as a plan of its own type. */
static spmm_status_t measure(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                             spmm_layout_t layout, double *us)
{
    uint32_t *const seen = context;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    (void)op, (void)n, (void)layout;
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_int_equal(spmm_plan_variant(plan, 0, &variant), SPMM_OK);
    assert_int_equal(info.a_type, variant.a_type);
    const double first = spmmi_value_load(plan->values, plan->dtype, 0);
    assert_true(first == spmmi_value_round(plan->dtype, first) && first != 0);
    *seen |= 1u << info.a_type;
    *us = 1;
    return SPMM_OK;
}

static void candidates_are_measured_in_their_type(void **state)
{
    uint32_t seen = 0;
    const spmm_inspect_options_t options =
        OPTIONS(.device = "cpu", .a_types = types, .a_type_count = 4, .n = some_n, .n_count = 1,
                TUNING(.measure = measure, .measure_context = &seen, .candidates = 2));
    spmm_matrix_t *m = inspect_generate("gen:band:300:9");
    (void)state;
    spmm_plan_destroy(inspect_plan(m, &options));
    assert_int_equal(seen, 1u << SPMM_F32 | 1u << SPMM_F64 | 1u << SPMM_F16 | 1u << SPMM_BF16);
    spmm_matrix_destroy(m);
}

/* The largest value of the matrix, 70000, is too large only for f16. */
static void values_must_fit_every_type(void **state)
{
    static const int64_t row_ptr[] = {0, 1, 3};
    static const int32_t col_ind[] = {0, 0, 1};
    static const double values[] = {1, 70000, 2}, fitting[] = {1, 65000, 2};
    static const spmm_dtype_t with_f16[] = {SPMM_F32, SPMM_F16}, with_bf16[] = {SPMM_F32, SPMM_BF16};
    const spmm_csr_t large = {2, 2, 3, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    const spmm_csr_t small = {2, 2, 3, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, fitting};
    const spmm_inspect_options_t options = OPTIONS(.a_types = with_f16, .a_type_count = 2);
    spmm_matrix_t *m = NULL;
    spmm_plan_t *plan = NULL, *updated = NULL;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(spmm_matrix_from_csr(&large, &m, NULL), SPMM_OK);
    assert_int_equal(spmm_inspect(m, &options, &plan, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(
        strstr(diag.text, "the value 70000 in row 2, column 1 (counted from 1) is too large for f16"));
    spmm_plan_destroy(
        inspect_plan(m, &(spmm_inspect_options_t)OPTIONS(.a_types = with_bf16, .a_type_count = 2)));
    spmm_matrix_destroy(m);
    /* New values must fit as well. */
    assert_int_equal(spmm_matrix_from_csr(&small, &m, NULL), SPMM_OK);
    plan = inspect_plan(m, &options);
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F64, &updated, &diag), SPMM_ERR_ARGUMENT);
    assert_null(updated);
    assert_non_null(strstr(diag.text, "too large for f16"));
    assert_int_equal(spmm_plan_with_values(plan, fitting, SPMM_F64, &updated, &diag), SPMM_OK);
    assert_int_equal(updated->variant_count, plan->variant_count);
    spmm_plan_destroy(updated);
    spmm_plan_destroy(plan);
    /* A pattern has no values that could be too large. */
    spmm_plan_destroy(inspect_plan(
        m, &(spmm_inspect_options_t)OPTIONS(.a_types = with_f16, .a_type_count = 2, .pattern_only = 1)));
    spmm_matrix_destroy(m);
}

static void one_target_is_that_device(void **state)
{
    static const char *const list[] = {"h200"};
    spmm_matrix_t *m = inspect_generate("gen:band:300:9");
    (void)state;
    spmm_plan_t *a = inspect_plan(m, &(spmm_inspect_options_t)OPTIONS(.targets = list, .target_count = 1));
    spmm_plan_t *b = inspect_plan(m, &(spmm_inspect_options_t)OPTIONS(.device = "h200"));
    void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    assert_int_equal(spmm_plan_write(a, NULL, &bytes[0], &size[0], NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(b, NULL, &bytes[1], &size[1], NULL), SPMM_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    spmm_plan_bytes_free(bytes[0]);
    spmm_plan_bytes_free(bytes[1]);
    spmm_plan_destroy(a);
    spmm_plan_destroy(b);
    spmm_matrix_destroy(m);
}

static void each_variant_has_a_winner(const spmm_plan_t *plan)
{
    assert_true(plan->trace_count <= SPMMI_TRACE_MAX);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        int winners = 0;
        for (uint32_t t = 0; t < plan->trace_count; t++)
            winners += plan->trace[t].variant == i && plan->trace[t].chosen;
        assert_true(winners > 0);
    }
}

static int all_are_of(const spmm_plan_t *plan, uint32_t target, spmm_family_t family)
{
    const struct spmmi_variant *v = NULL;
    for (uint32_t k = 0; (v = variant_of(plan, target, k)) != NULL; k++)
        if (plan->parts[v->part_first].family != family)
            return 0;
    return 1;
}

/* A kernel for GPUs is forced on the GPUs in the list, a kernel for the CPU on the CPU, and a kernel without
 * a target on all devices. */
static void a_kernel_with_a_target_is_forced_there(void **state)
{
    static const struct {
        const char *kernel;
        spmm_family_t family;
        int on_cpu, on_gpus;
    } cases[] = {{"cuda/tiled", SPMM_FAMILY_TILED, 0, 1},
                 {"cpu/tiled", SPMM_FAMILY_TILED, 1, 0},
                 {"tiled", SPMM_FAMILY_TILED, 1, 1}};
    spmm_matrix_t *m = inspect_generate("gen:rmat:12:20");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int first = 0; first <= 1; first++) { /* the list with and without the CPU */
            const spmm_inspect_options_t options =
                OPTIONS(.targets = devices + first, .target_count = (size_t)(DEVICES - first),
                        .force_kernel = cases[i].kernel);
            spmm_plan_t *plan = inspect_plan(m, &options);
            if (variant_of(plan, 1, 0) != NULL)
                assert_int_equal(all_are_of(plan, 1, cases[i].family), cases[i].on_cpu);
            assert_int_equal(all_are_of(plan, 80, cases[i].family), cases[i].on_gpus);
            assert_int_equal(all_are_of(plan, 90, cases[i].family), cases[i].on_gpus);
            spmm_plan_destroy(plan);
        }
    spmm_matrix_destroy(m);
}

/* Holds for any number of variants. */
static void each_variant_has_a_winner_in_the_trace(void **state)
{
    static const char *const many[] = {"any", "cpu", "a100", "h200"};
    static const int64_t all_n[] = {1, 2, 8, 16, 32, 64, 128, 256};
    const spmm_inspect_options_t options =
        OPTIONS(.targets = many, .target_count = 4, .n = all_n, .n_count = 8, .ops = BOTH_OPS);
    spmm_matrix_t *m = inspect_generate("gen:rmat:13:24");
    (void)state;
    spmm_plan_t *plan = inspect_plan(m, &options);
    each_variant_has_a_winner(plan);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void expect_refusal(const spmm_inspect_options_t *options, const char *text)
{
    spmm_matrix_t *m = inspect_generate("gen:band:300:9");
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_inspect(m, options, &plan, &diag), SPMM_ERR_ARGUMENT);
    assert_null(plan);
    if (strstr(diag.text, text) == NULL)
        fail_msg("%s", diag.text);
    spmm_matrix_destroy(m);
}

static void types_that_make_no_plan_are_refused(void **state)
{
    static const spmm_dtype_t halves[] = {SPMM_F16, SPMM_BF16}, twice[] = {SPMM_F32, SPMM_F16, SPMM_F16},
                              unknown[] = {SPMM_F32, (spmm_dtype_t)77}, widest_twice[] = {SPMM_F64, SPMM_F64};
    const struct {
        spmm_inspect_options_t options;
        const char *text;
    } cases[] = {
        {OPTIONS(.a_types = halves, .a_type_count = 2),
         "a_types has f16 and bf16, but neither can be rounded from the other: name a wider type too"},
        {OPTIONS(.a_types = twice, .a_type_count = 3), "a_types has f16 twice"},
        {OPTIONS(.a_types = widest_twice, .a_type_count = 2), "a_types has f64 twice"},
        {OPTIONS(.a_types = unknown, .a_type_count = 2), "unknown type 77 in a_types"},
        {OPTIONS(.a_type_count = 2), "a_types is NULL, and a_type_count is 2"},
        {OPTIONS(.a_types = types, .a_type_count = 65), "a_types is a list, and a_type_count is 65"},
        {OPTIONS(.a_types = types, .a_type_count = 4, .a_type = SPMM_F32),
         "a_types and a_type, b_type, c_type or sum_type contradict each other"},
        {OPTIONS(.a_types = types, .a_type_count = 4, .c_type = SPMM_F32),
         "a_types and a_type, b_type, c_type or sum_type contradict each other"},
        {OPTIONS(.a_types = halves, .a_type_count = 2, .sum_type = SPMM_F32),
         "a_types and a_type, b_type, c_type or sum_type contradict each other"},
        {OPTIONS(.a_types = twice, .a_type_count = 2, .compute = SPMM_COMPUTE_F64),
         "compute is f64, which is of no type in a_types"},
        {OPTIONS(.a_types = twice, .a_type_count = 2, .permute_output = 1),
         "permute_output makes one variant for all devices: name one device and one a_type"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(&cases[i].options, cases[i].text);
}

static const char *metadata_of(const spmm_plan_t *plan, const char *key)
{
    spmm_metadata_t pair;
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        if (strcmp(pair.key, key) == 0)
            return pair.value;
    return NULL;
}

static spmm_plan_t *full_plan(const int64_t *n, int n_count)
{
    const spmm_inspect_options_t options =
        OPTIONS(.targets = devices, .target_count = DEVICES, .a_types = types, .a_type_count = 4, .n = n,
                .n_count = n_count, .ops = BOTH_OPS);
    spmm_matrix_t *m = inspect_generate("gen:uniform:1024:512:128");
    spmm_diag_t diag = {0};
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_OK);
    assert_true(plan->variant_count > SPMMI_VARIANT_MAX - 4);
    each_variant_has_a_winner(plan);
    spmm_matrix_destroy(m);
    return plan;
}

/* Returns a copy of the plan with only those variants that an executor for this type can choose. */
static struct spmm_plan of_type(const spmm_plan_t *plan, spmm_dtype_t type)
{
    struct spmm_plan typed = *plan;
    typed.variant_count = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (spmmi_variant_type(&plan->variants[i]) == type)
            typed.variants[typed.variant_count++] = plan->variants[i];
    return typed;
}

/* Checks that the device gets its own variant or one that all GPUs share, and that it fits as wanted. */
static void picks_own(const struct spmm_plan *typed, int device, int op, int64_t n, uint32_t layout,
                      int is_fit_wanted)
{
    int fits = 0;
    const int v = spmmi_variant_pick(typed, (spmm_op_t)op, targets[device], n, layout, &fits);
    assert_true(v >= 0);
    const uint32_t target = typed->variants[v].target;
    assert_true(target == targets[device] || (device > 0 && target == SPMMI_TARGET_ANY));
    assert_int_equal(fits, is_fit_wanted);
}

/* A plan may have at most 64 variants. The metadata must tell what was merged, and every n must have a
 * variant. */
static void ranges_are_merged_where_a_plan_is_full(void **state)
{
    (void)state;
    spmm_plan_t *plan = full_plan(NULL, 0);
    assert_non_null(metadata_of(plan, "merged-ranges"));
    assert_non_null(strstr(metadata_of(plan, "merged-ranges"), " of n or layout"));
    for (int t = 0; t < 4; t++) {
        const struct spmm_plan typed = of_type(plan, types[t]);
        for (int kind = 0; kind < 4 * DEVICES; kind++)
            for (int64_t n = 1; n < 2000; n++)
                picks_own(&typed, kind / 4, kind & 1, n,
                          (kind & 2) != 0 ? SPMM_LAYOUTS_COL_MAJOR : SPMM_LAYOUTS_ROW_MAJOR, 1);
    }
    spmm_plan_destroy(plan);
}

/* In a full plan each device also has its own variant for n between the requested values. Otherwise a variant
 * of another target that covers the gap would be chosen. */
static void gaps_between_ranges_are_closed_where_a_plan_is_full(void **state)
{
    static const int64_t apart[] = {1, 32, 128, 500}; /* only the last two ranges of the CPU are neighbours */
    static const int64_t gaps[] = {5, 12, 49, 96};
    (void)state;
    spmm_plan_t *plan = full_plan(apart, 4);
    for (int t = 0; t < 4; t++) {
        const struct spmm_plan typed = of_type(plan, types[t]);
        for (int kind = 0; kind < 4 * DEVICES; kind++)
            for (int i = 0; i < 4; i++) {
                const uint32_t layout = (kind & 2) != 0 ? SPMM_LAYOUTS_COL_MAJOR : SPMM_LAYOUTS_ROW_MAJOR;
                picks_own(&typed, kind / 4, kind & 1, apart[i], layout, 1);
                picks_own(&typed, kind / 4, kind & 1, gaps[i], layout, 1);
            }
    }
    spmm_plan_destroy(plan);
}

static void count_warnings(void *context, spmm_log_level_t level, const char *text)
{
    *(int *)context +=
        level == SPMM_LOG_WARNING && strstr(text, "run a neighbour's kernel, at most ") != NULL;
}

/* Metadata of the caller has priority. */
static void metadata_of_the_caller_stay(void **state)
{
    static char large[65481]; /* with the other pair: 65,503 of 65,536 bytes */
    static const spmm_metadata_t own[] = {{"title", "a band"}, {"merged-ranges", "mine"}};
    const spmm_metadata_t full[] = {{"title", large}, {"license", "CC0-1.0"}};
    spmm_inspect_options_t options = OPTIONS(.targets = devices, .target_count = DEVICES, .a_types = types,
                                             .a_type_count = 4, .ops = BOTH_OPS, .metadata = own);
    spmm_matrix_t *m = inspect_generate("gen:uniform:1024:512:128");
    (void)state;
    int warnings = 0;
    options.metadata_count = 1;
    spmm_log_set(count_warnings, &warnings, SPMM_LOG_WARNING);
    spmm_plan_t *plan = inspect_plan(m, &options);
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    assert_int_equal(warnings, 1); /* about a loss of more than 5 % */
    assert_string_equal(metadata_of(plan, "title"), "a band");
    assert_non_null(metadata_of(plan, "merged-ranges"));
    spmm_plan_destroy(plan);
    options.metadata_count = 2;
    plan = inspect_plan(m, &options);
    assert_string_equal(metadata_of(plan, "merged-ranges"), "mine");
    spmm_plan_destroy(plan);
    memset(large, 'x', sizeof large - 1);
    options.metadata = full;
    plan = inspect_plan(m, &options);
    assert_string_equal(metadata_of(plan, "license"), "CC0-1.0");
    assert_null(metadata_of(plan, "merged-ranges"));
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void lists_that_make_no_plan_are_refused(void **state)
{
    static const char *const same[] = {"cpu", "h100", "h200"}, *const twice[] = {"any", "any"},
                             *const none[] = {"cpu", NULL}, *const wrong[] = {"h200", "h300"};
    const struct {
        spmm_inspect_options_t options;
        const char *text;
    } cases[] = {
        {OPTIONS(.targets = same, .target_count = 3),
         "the devices \"h100\" and \"h200\" have the same target, 90: name one of them"},
        {OPTIONS(.targets = twice, .target_count = 2),
         "the devices \"any\" and \"any\" have the same target, 0"},
        {OPTIONS(.targets = none, .target_count = 2), "target 1 is NULL"},
        {OPTIONS(.target_count = 1), "targets is NULL, but target_count is 1"},
        {OPTIONS(.targets = same, .target_count = 65), "target_count must be 0 to 64, found 65"},
        {OPTIONS(.targets = same, .target_count = 1, .device = "cpu"),
         "device \"cpu\" and targets contradict each other"},
        {OPTIONS(.targets = wrong, .target_count = 2), "found \"h300\""},
        {OPTIONS(.targets = devices, .target_count = DEVICES, .permute_output = 1),
         "permute_output makes one variant for all devices: name one device and one a_type"},
        {OPTIONS(.targets = same, .target_count = 1, .force_kernel = "cuda/rows"),
         "a kernel of GPUs, and the plan is for the device cpu"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(&cases[i].options, cases[i].text);
}

/* Lets each allocation fail: the failure must be reported, without a leak. */
static void short_memory_is_told(void **state)
{
    const spmm_inspect_options_t options = OPTIONS(.targets = devices, .target_count = DEVICES,
                                                   .a_types = types, .a_type_count = 4, .ops = BOTH_OPS);
    spmm_matrix_t *m = inspect_generate("gen:band:30:3");
    spmm_plan_t *plan = NULL;
    spmm_status_t status = SPMM_ERR_MEMORY;
    (void)state;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 1);
        status = spmm_inspect(m, &options, &plan, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && spmmi_alloc_live() == live));
    }
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"each_device_gets_what_its_own_plan_has of rmat", each_device_gets_what_its_own_plan_has, NULL, NULL,
         "gen:rmat:12:20"},
        {"each_device_gets_what_its_own_plan_has of a band", each_device_gets_what_its_own_plan_has, NULL,
         NULL, "gen:band:3000:9"},
        {"each_type_gets_what_its_own_plan_has of rmat", each_type_gets_what_its_own_plan_has, NULL, NULL,
         "gen:rmat:12:20"},
        cmocka_unit_test(one_target_is_that_device),
        cmocka_unit_test(one_type_is_that_type),
        cmocka_unit_test(candidates_are_measured_in_their_type),
        cmocka_unit_test(values_must_fit_every_type),
        cmocka_unit_test(types_that_make_no_plan_are_refused),
        cmocka_unit_test(ranges_are_merged_where_a_plan_is_full),
        cmocka_unit_test(gaps_between_ranges_are_closed_where_a_plan_is_full),
        cmocka_unit_test(metadata_of_the_caller_stay),
        cmocka_unit_test(a_kernel_with_a_target_is_forced_there),
        cmocka_unit_test(each_variant_has_a_winner_in_the_trace),
        cmocka_unit_test(lists_that_make_no_plan_are_refused),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
