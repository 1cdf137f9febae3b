/* SPDX-License-Identifier: Apache-2.0 */
/* One plan for several machines: what each gets, what is shared, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
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

/* The variant of this target that comes after the first `skipped` ones. */
static const struct spmmi_variant *variant_of(const spmm_plan_t *plan, uint32_t target, uint32_t skipped)
{
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (plan->variants[i].target == target && skipped-- == 0)
            return &plan->variants[i];
    return NULL;
}

/* The variants for this target are the same ones, of equal parts, for the same reasons. */
static void agree_on(const spmm_plan_t *one, const spmm_plan_t *all, uint32_t target)
{
    const struct spmmi_variant *v = NULL;
    for (uint32_t k = 0; (v = variant_of(one, target, k)) != NULL; k++) {
        const struct spmmi_variant *w = variant_of(all, target, k);
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
            struct spmmi_trace expected = one->trace[t];
            expected.variant = all->trace[u].variant;
            assert_memory_equal(&expected, &all->trace[u], sizeof expected);
        }
    }
    assert_null(variant_of(all, target, 64));
    uint32_t count = 0;
    while (variant_of(one, target, count) != NULL)
        count++;
    assert_true(count > 0);
    assert_null(variant_of(all, target, count));
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

/* Each target gets what a plan for it alone has; the CPU too where nobody names it. */
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

static int all_are_of(const spmm_plan_t *plan, uint32_t target, spmm_family_t family)
{
    const struct spmmi_variant *v = NULL;
    for (uint32_t k = 0; (v = variant_of(plan, target, k)) != NULL; k++)
        if (plan->parts[v->part_first].family != family)
            return 0;
    return 1;
}

/* A kernel of GPUs is forced on the GPUs of the list, one of the CPU on the CPU; without a target on all. */
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
        for (int first = 0; first <= 1; first++) { /* the CPU named, or beside the others */
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

/* The trace has a winner of each variant, however many there are. */
static void each_variant_has_a_winner_in_the_trace(void **state)
{
    static const char *const many[] = {"any", "cpu", "a100", "h200"};
    static const int64_t all_n[] = {1, 8, 32, 64, 128, 256};
    const spmm_inspect_options_t options =
        OPTIONS(.targets = many, .target_count = 4, .n = all_n, .n_count = 6, .ops = BOTH_OPS);
    spmm_matrix_t *m = inspect_generate("gen:rmat:13:24");
    (void)state;
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_true(plan->trace_count <= SPMMI_TRACE_MAX);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        int winners = 0;
        for (uint32_t t = 0; t < plan->trace_count; t++)
            winners += plan->trace[t].variant == i && plan->trace[t].chosen;
        assert_true(winners > 0);
    }
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
         "permute_output makes one variant for all devices: name one of the 3"},
        {OPTIONS(.targets = same, .target_count = 1, .force_kernel = "cuda/rows"),
         "a kernel of GPUs, and the plan is for the device cpu"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(&cases[i].options, cases[i].text);
}

/* Memory that is short anywhere is told, and nothing is lost. */
static void short_memory_is_told(void **state)
{
    const spmm_inspect_options_t options = OPTIONS(.targets = devices, .target_count = DEVICES);
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
        cmocka_unit_test(one_target_is_that_device),
        cmocka_unit_test(a_kernel_with_a_target_is_forced_there),
        cmocka_unit_test(each_variant_has_a_winner_in_the_trace),
        cmocka_unit_test(lists_that_make_no_plan_are_refused),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
