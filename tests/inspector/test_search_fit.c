/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which variants are merged if a plan has too many (search_fit.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspector/search/search_fit.h"

#define RANGES 4
#define GROUPS 17 /* four variants more than a plan can hold */
#define FAR 0.5   /* loss of a range with any kernel but its own */

static struct spmmi_draft_variant *of(struct spmmi_draft *draft, int group, int range)
{
    return &draft->variants[RANGES * group + range];
}

static void fill(struct spmmi_draft_variant *v, int group, int range)
{
    memset(v, 0, sizeof *v);
    v->of = (struct spmmi_variant){.op = SPMM_OP_N,
                                   .compute = SPMM_COMPUTE_F32,
                                   .layouts = SPMM_LAYOUTS_ROW_MAJOR,
                                   .target = SPMMI_TARGET_CPU,
                                   .n_min = 10 * range + 1,
                                   .n_max = 10 * range + 10,
                                   .part_first = (uint32_t)range,
                                   .part_count = 1};
    v->group = (uint32_t)group;
    v->decision = range;
    v->record_count = 1;
    v->records[0].predicted_us = range + 1;
    for (int i = 0; i < SPMMI_DECISION_MAX; i++)
        v->loss[i] = i == range ? 0 : FAR;
}

static struct spmmi_draft draft_make(int groups)
{
    struct spmmi_draft draft;
    assert_int_equal(spmmi_draft_open(groups, &draft, NULL), SPMM_OK);
    draft.group_count = (uint32_t)groups;
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < RANGES; i++)
            fill(&draft.variants[draft.variant_count++], g, i);
    for (uint32_t i = 0; i < RANGES; i++)
        draft.parts[draft.part_count++] = (struct spmmi_part){.op = SPMM_OP_N,
                                                              .family = SPMM_FAMILY_ROWS,
                                                              .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                                              .item_size = 4u << i};
    return draft;
}

static void fit(struct spmmi_draft *draft, int count, double loss)
{
    struct spmmi_merges merges;
    assert_int_equal(spmmi_draft_fit(draft, &merges, NULL), SPMM_OK);
    assert_int_equal(merges.count, count);
    assert_true(merges.loss == loss);
    assert_true(spmmi_draft_variants_needed(draft) <= SPMMI_VARIANT_MAX);
}

/* Returns the variant of a group whose range contains n; NULL if there is none. */
static const struct spmmi_draft_variant *at(const struct spmmi_draft *draft, uint32_t group, int64_t n)
{
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const struct spmmi_draft_variant *const v = &draft->variants[i];
        if (v->group == group && v->of.n_min <= n && n <= v->of.n_max)
            return v;
    }
    return NULL;
}

static void expect(const struct spmmi_draft *draft, uint32_t group, int64_t n_min, int64_t n_max,
                   int decision)
{
    const struct spmmi_draft_variant *const v = at(draft, group, n_min);
    assert_non_null(v);
    assert_int_equal(v->of.n_min, n_min);
    assert_int_equal(v->of.n_max, n_max);
    assert_int_equal(v->decision, decision);
    assert_int_equal(v->of.part_first, decision);
    assert_true(v->records[0].predicted_us == decision + 1);
}

static void a_draft_that_fits_stays(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS - 1);
    (void)state;
    fit(&draft, 0, 0);
    assert_int_equal(draft.variant_count, SPMMI_VARIANT_MAX);
    spmmi_draft_close(&draft);
}

/* Pairs with the smallest loss are merged first. Of the two kernels, the one with the smaller loss stays,
 * with its trace. */
static void the_least_loss_goes_first(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    (void)state;
    of(&draft, 3, 1)->loss[2] = 0.01;
    of(&draft, 5, 3)->loss[2] = 0.02;
    of(&draft, 16, 0)->loss[1] = 0.03;
    of(&draft, 16, 2)->loss[3] = 0.04;
    of(&draft, 0, 0)->loss[1] = 0.05;
    of(&draft, 1, 0)->loss[2] = 0; /* they are not neighbours */
    fit(&draft, 4, 0.04);
    expect(&draft, 3, 11, 30, 2);
    expect(&draft, 5, 21, 40, 2);
    expect(&draft, 16, 1, 20, 1);
    expect(&draft, 16, 21, 40, 3);
    expect(&draft, 0, 1, 10, 0);
    expect(&draft, 1, 1, 10, 0);
    spmmi_draft_close(&draft);
}

/* Neighbours with equal kernels, for example of two layouts, are merged first. They do not count as
 * losses. */
static void equal_kernels_are_not_counted(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    (void)state;
    for (int i = 0; i < RANGES; i++) {
        of(&draft, 16, i)->of.part_first = 0;
        for (int k = 0; k < SPMMI_DECISION_MAX; k++) /* its loss by shared parts, before any merge */
            of(&draft, 16, i)->loss[k] = i == 3 ? (double)INFINITY : 0.04;
    }
    of(&draft, 2, 0)->loss[1] = 0.01;
    fit(&draft, 1, 0.01);
    assert_int_equal(at(&draft, 16, 1)->of.n_max, 40);
    spmmi_draft_close(&draft);
}

/* The loss of a range counts from its own kernel, over all merges, not only from the last one. */
static void losses_do_not_add_up_unseen(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    (void)state;
    of(&draft, 0, 0)->loss[1] = 0.01;
    of(&draft, 0, 1)->loss[2] = 0.02; /* but the first range loses FAR by this kernel */
    of(&draft, 1, 0)->loss[1] = of(&draft, 2, 0)->loss[1] = of(&draft, 3, 0)->loss[1] = 0.03;
    fit(&draft, 4, 0.03);
    expect(&draft, 0, 1, 20, 1);
    expect(&draft, 0, 21, 30, 2);
    spmmi_draft_close(&draft);
}

/* Measured decisions are merged like others if they lose little. Otherwise they come after all predicted
 * ones. */
static void measured_decisions_lose_last(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    (void)state;
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < RANGES; i++)
            of(&draft, g, i)->is_measured = g != 1;
    of(&draft, 0, 0)->loss[1] = 0.04;
    of(&draft, 2, 0)->loss[1] = 0.06;
    fit(&draft, 4, FAR);
    expect(&draft, 0, 1, 20, 1);
    assert_int_equal(at(&draft, 1, 1)->of.n_max, 40);
    expect(&draft, 2, 1, 10, 0);
    spmmi_draft_close(&draft);
    draft = draft_make(GROUPS);
    for (uint32_t i = 0; i < draft.variant_count; i++)
        draft.variants[i].is_measured = true;
    fit(&draft, 4, FAR);
    spmmi_draft_close(&draft);
}

static void what_is_not_known_goes_last_of_all(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    char text[128];
    (void)state;
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < RANGES; i++)
            for (int k = 0; k < RANGES; k++)
                if (i != k && g > 0)
                    of(&draft, g, i)->loss[k] = (double)INFINITY;
    fit(&draft, 4, (double)INFINITY);
    assert_int_equal(at(&draft, 0, 1)->of.n_max, 40);
    spmmi_draft_close(&draft);
    spmmi_merges_text(&(struct spmmi_merges){4, (double)INFINITY}, text, sizeof text);
    assert_string_equal(text, "4 ranges of n or layouts run a neighbour's kernel, with an unknown loss");
    spmmi_merges_text(&(struct spmmi_merges){1, 0.0512}, text, sizeof text);
    assert_string_equal(text, "1 range of n or layout runs a neighbour's kernel, at most 5.1 % slower");
}

/* The two layouts of one range of n can be merged, before or after ranges are. Layouts of different ranges
 * cannot. */
static void layouts_share_too(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    (void)state;
    for (int g = 0; g < GROUPS; g++)
        for (int i = 2; i < RANGES; i++) { /* both layouts have ranges 0 and 1 */
            struct spmmi_draft_variant *const v = of(&draft, g, i);
            v->of.layouts = SPMM_LAYOUTS_COL_MAJOR;
            v->of.n_min -= 20;
            v->of.n_max -= 20;
        }
    for (int g = 0; g < 4; g++) {
        of(&draft, g, 1)->loss[3] = 0.01; /* 11 to 20, with the column-major kernel */
        of(&draft, g, 0)->loss[3] = 0.001;
    }
    fit(&draft, 4, 0.01);
    for (uint32_t g = 0; g < 4; g++) {
        expect(&draft, g, 11, 20, 3);
        assert_int_equal(at(&draft, g, 11)->of.layouts, SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR);
        assert_int_equal(at(&draft, g, 1)->of.layouts, SPMM_LAYOUTS_ROW_MAJOR);
    }
    spmmi_draft_close(&draft);
}

/* Each group needs at least one variant. */
static void groups_become_one_variant_each(void **state)
{
    struct spmmi_draft draft = draft_make(SPMMI_VARIANT_MAX);
    struct spmmi_merges merges;
    spmm_diag_t diag = {0};
    (void)state;
    for (uint32_t i = 0; i < draft.variant_count; i++) {
        struct spmmi_variant *const v = &draft.variants[i].of;
        v->layouts = i % 4 < 2 ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
        v->n_min = i % 2 == 0 ? 1 : 21;
        v->n_max = i % 2 == 0 ? 20 : 1001;
    }
    fit(&draft, 3 * SPMMI_VARIANT_MAX, FAR);
    for (uint32_t i = 0; i < draft.variant_count; i++) {
        assert_int_equal(draft.variants[i].of.n_min, 1);
        assert_int_equal(draft.variants[i].of.n_max, 1001);
        assert_int_equal(draft.variants[i].of.layouts, SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR);
    }
    spmmi_draft_close(&draft);
    draft = draft_make(SPMMI_VARIANT_MAX + 1);
    assert_int_equal(spmmi_draft_fit(&draft, &merges, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "can hold 64 variants, but 65 are needed"));
    spmmi_draft_close(&draft);
}

/* Two GPUs have the same variants as `any`, until `any` is merged to its first kernel and the GPUs to their
 * last. The variants that are then needed as well must be reported. */
static void cover_that_merges_take_is_told(void **state)
{
    struct spmmi_draft draft = draft_make(SPMMI_VARIANT_MAX + 2);
    struct spmmi_merges merges;
    spmm_diag_t diag = {0};
    (void)state;
    for (uint32_t i = 0; i < draft.variant_count; i++) /* `any` covers no other group */
        draft.variants[i].of.compute = i < 3 * RANGES ? SPMM_COMPUTE_F32 : SPMM_COMPUTE_F64;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < RANGES; i++) {
            of(&draft, g, i)->of.target = g == 0 ? SPMMI_TARGET_ANY : (uint32_t)(g + 70);
            of(&draft, g, i)->loss[g == 0 ? 0 : RANGES - 1] = 0;
        }
    assert_int_equal(spmmi_draft_groups_needed(&draft), SPMMI_VARIANT_MAX);
    assert_int_equal(spmmi_draft_fit(&draft, &merges, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "can hold 64 variants, but 66 are needed, even with one kernel"));
    spmmi_draft_close(&draft);
}

/* Nobody asks for the values of n between two ranges. In a full plan the upper range starts right after the
 * lower one, on all devices. */
static void gaps_are_closed_where_there_is_no_room(void **state)
{
    for (int groups = GROUPS - 1; groups <= GROUPS; groups++) {
        struct spmmi_draft draft = draft_make(groups);
        const int is_full = groups == GROUPS;
        (void)state;
        for (uint32_t i = 0; i < draft.variant_count; i++) {
            draft.variants[i].of.n_min += i % RANGES > 1 ? 100 : 0;
            draft.variants[i].of.n_max += i % RANGES > 1 ? 100 : 0;
        }
        for (uint32_t i = 0; i < draft.variant_count; i += 2 * RANGES) /* ranges with two layouts */
            for (int k = 1; k < RANGES; k += 2) {
                draft.variants[i + (uint32_t)k].of = draft.variants[i + (uint32_t)k - 1].of;
                draft.variants[i + (uint32_t)k].of.layouts = SPMM_LAYOUTS_COL_MAJOR;
                draft.variants[i + (uint32_t)k].of.part_first = (uint32_t)k;
            }
        for (int g = 0; g < groups; g++)
            of(&draft, g, 1)->loss[2] = 0.01 * (g + 1);
        fit(&draft, is_full ? 4 : 0, is_full ? 0.08 : 0);
        for (uint32_t g = 0; g < draft.group_count; g++) {
            const struct spmmi_draft_variant *const wide = at(&draft, g, 121);
            const int is_merged = is_full && g % 2 == 1 && g < 8;
            assert_int_equal(wide->of.n_min, is_merged ? 11 : !is_full ? 121 : g % 2 == 0 ? 11 : 21);
        }
        spmmi_draft_close(&draft);
    }
}

/* Variants that are covered by a variant for any device take no room, whichever target was named first. */
static void covered_variants_take_no_room(void **state)
{
    for (int any = 0; any < GROUPS; any += GROUPS - 1) {
        struct spmmi_draft draft = draft_make(GROUPS);
        (void)state;
        for (int g = 0; g < GROUPS; g++)
            for (int i = 0; i < RANGES; i++)
                of(&draft, g, i)->of.target = g == any ? SPMMI_TARGET_ANY : (uint32_t)(g + 70);
        assert_int_equal(spmmi_draft_variants_needed(&draft), RANGES);
        of(&draft, 3, 2)->of.part_first = 1;
        of(&draft, 4, 2)->of.n_max++;
        of(&draft, 5, 2)->of.compute = SPMM_COMPUTE_F64;
        of(&draft, 6, 2)->of.layouts |= SPMM_LAYOUTS_COL_MAJOR;
        of(&draft, 7, 2)->of.op = SPMM_OP_T;
        assert_int_equal(spmmi_draft_variants_needed(&draft), RANGES + 5);
        fit(&draft, 0, 0);
        spmmi_draft_close(&draft);
    }
}

/* If there is no room and no variant is for any device yet, equal variants of all GPUs become variants for
 * any device. The CPU keeps its own. */
static void equal_variants_of_gpus_are_for_any_device(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS);
    spmm_plan_t *plan = calloc(1, sizeof *plan);
    struct spmmi_trace trace[SPMMI_VARIANT_MAX];
    (void)state;
    assert_non_null(plan);
    plan->trace = trace;
    for (int i = 0; i < RANGES; i++) {
        of(&draft, 0, i)->of.target = 80;
        of(&draft, 1, i)->of.target = 90;
    }
    of(&draft, 1, 1)->of.n_max++;
    of(&draft, 2, 0)->loss[1] = 0.01;
    assert_int_equal(spmmi_draft_variants_needed(&draft), RANGES * GROUPS);
    fit(&draft, 1, 0.01);
    spmmi_draft_write(&draft, plan);
    assert_int_equal(plan->variant_count, SPMMI_VARIANT_MAX);
    for (uint32_t i = 0; i < RANGES; i++)
        assert_int_equal(plan->variants[i].target, i == 1 ? 80 : SPMMI_TARGET_ANY);
    assert_int_equal(plan->variants[RANGES].target, 90);
    assert_int_equal(plan->variants[RANGES + 1].target, SPMMI_TARGET_CPU);
    free(plan);
    spmmi_draft_close(&draft);
    draft = draft_make(3);
    for (int i = 0; i < RANGES; i++) {
        of(&draft, 0, i)->of.target = 80;
        of(&draft, 1, i)->of.target = 90;
    }
    fit(&draft, 0, 0);
    assert_int_equal(spmmi_draft_variants_needed(&draft), 3 * RANGES);
    spmmi_draft_close(&draft);
}

/* If only two of three GPUs have a variant, it cannot be for any device: it would also run on the third GPU.
 * So both GPUs keep a variant each. */
static void what_some_gpus_have_is_not_shared(void **state)
{
    static const uint32_t gpus[] = {80, 86, 90};
    struct spmmi_draft draft = draft_make(GROUPS);
    spmm_plan_t *plan = calloc(1, sizeof *plan);
    struct spmmi_trace trace[SPMMI_VARIANT_MAX];
    (void)state;
    assert_non_null(plan);
    plan->trace = trace;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < RANGES; i++)
            of(&draft, g, i)->of.target = gpus[g];
    of(&draft, 1, 1)->of.part_first = 3;
    of(&draft, 1, 2)->of.layouts |= SPMM_LAYOUTS_COL_MAJOR; /* the same part, but more layouts */
    fit(&draft, 0, 0);
    spmmi_draft_write(&draft, plan);
    assert_int_equal(plan->variant_count, RANGES * GROUPS - 4); /* they share ranges 0 and 3 */
    for (int g = 0; g < 3; g++)
        for (int64_t n = 1; n <= 10 * RANGES; n++) {
            int fits = 0;
            const int64_t own = g == 1 && n > 10 && n <= 20 ? 3 : (n - 1) / 10;
            const int v = spmmi_variant_pick(plan, SPMM_OP_N, gpus[g], n, SPMM_LAYOUTS_ROW_MAJOR, &fits);
            assert_int_equal(plan->variants[v].part_first, own);
            assert_true(fits);
        }
    free(plan);
    spmmi_draft_close(&draft);
}

/* One GPU alone would lose little by a merge. But this saves nothing, because the other GPU still needs both
 * variants. */
static void shared_variants_merge_on_all_gpus(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS + 1);
    (void)state;
    for (int i = 0; i < RANGES; i++) {
        of(&draft, 0, i)->of.target = 80;
        of(&draft, 1, i)->of.target = 90;
    }
    of(&draft, 0, 0)->loss[1] = 0.01; /* but FAR on the other GPU */
    of(&draft, 0, 2)->loss[3] = 0.03;
    of(&draft, 1, 2)->loss[3] = 0.02;
    of(&draft, 2, 0)->loss[1] = of(&draft, 3, 0)->loss[1] = of(&draft, 4, 0)->loss[1] = 0.04;
    fit(&draft, 4, 0.04);
    for (uint32_t g = 0; g < 2; g++) {
        expect(&draft, g, 1, 10, 0);
        expect(&draft, g, 21, 40, 3);
    }
    expect(&draft, 4, 1, 20, 1);
    spmmi_draft_close(&draft);
}

/* A reserve is the part that runs if a library is missing. A part that the CPU runs is no reserve for a
 * GPU. */
static void a_reserve_stays(void **state)
{
    struct spmmi_draft draft = draft_make(1);
    uint32_t reserve = 0;
    (void)state;
    spmmi_draft_add_parts(&draft,
                          &(struct spmmi_part){.op = SPMM_OP_N,
                                               .family = SPMM_FAMILY_ROWS,
                                               .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                               .item_size = 4},
                          1, &reserve);
    assert_int_equal(spmmi_draft_parts_needed(&draft), RANGES);
    spmmi_draft_keep(&draft, reserve);
    assert_int_equal(spmmi_draft_parts_needed(&draft), RANGES + 1);
    assert_true(draft.is_needed[reserve]);
    assert_true(spmmi_draft_keep_first_family(&draft, SPMM_OP_N));
    assert_false(spmmi_draft_keep_first_family(&draft, SPMM_OP_T));
    spmmi_draft_close(&draft);
    draft = draft_make(2);
    assert_false(spmmi_draft_keep_first_family(&draft, SPMM_OP_N));
    of(&draft, 1, 2)->of.target = 90;
    assert_true(spmmi_draft_keep_first_family(&draft, SPMM_OP_N));
    for (uint32_t i = 0; i < draft.variant_count; i++)
        draft.variants[i].of.part_first = 0;
    assert_int_equal(spmmi_draft_parts_needed(&draft), 2);
    assert_true(draft.is_needed[2]);
    spmmi_draft_close(&draft);
}

/* The reserve must be the first part of its family and op, although parts that are not needed and parts of
 * other families and ops are in front of it. */
static void a_reserve_is_the_first_of_its_kind(void **state)
{
    struct spmmi_draft draft = draft_make(2);
    spmm_plan_t *plan = calloc(1, sizeof *plan);
    struct spmmi_trace trace[2 * RANGES];
    (void)state;
    assert_non_null(plan);
    plan->trace = trace;
    draft.parts[1].family = SPMM_FAMILY_PANEL;
    draft.parts[3].op = SPMM_OP_T;
    for (int i = 0; i < RANGES; i++) {
        of(&draft, 0, i)->of.part_first = i == 0 ? 1 : (uint32_t)i;
        of(&draft, 1, i)->of.part_first = i == 0 ? 5 : (uint32_t)i;
    }
    for (uint32_t i = 0; i < 2; i++)
        draft.parts[draft.part_count++] =
            (struct spmmi_part){.op = SPMM_OP_N, .family = SPMM_FAMILY_ROWS, .item_size = 64u << i};
    spmmi_draft_keep(&draft, 3);
    spmmi_draft_keep(&draft, 4);
    spmmi_draft_write(&draft, plan);
    static const uint32_t item_sizes[] = {8, 64, 16, 32, 128}; /* part 0 is not needed */
    static const uint32_t parts[] = {0, 0, 2, 3, 4, 0, 2, 3};
    assert_int_equal(plan->part_count, sizeof item_sizes / sizeof *item_sizes);
    for (uint32_t i = 0; i < plan->part_count; i++)
        assert_int_equal(plan->parts[i].item_size, item_sizes[i]);
    for (uint32_t i = 0; i < plan->variant_count; i++)
        assert_int_equal(plan->variants[i].part_first, parts[i]);
    free(plan);
    spmmi_draft_close(&draft);
}

/* Plans contain this text, so it must be the same in all locales. */
static void texts_do_not_depend_on_the_locale(void **state)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++) {
        if (setlocale(LC_NUMERIC, commas[i]) == NULL)
            continue;
        spmmi_merges_text(&(struct spmmi_merges){2, 0.132}, text, sizeof text);
        (void)setlocale(LC_NUMERIC, "C");
        assert_string_equal(text, "2 ranges of n or layouts run a neighbour's kernel, at most 13.2 % slower");
        return;
    }
    print_message("skipped: no locale with a decimal comma is installed\n");
    skip();
}

/* Each variant has parts of its own, with long rows. Variants are also merged if there are too many parts.
 * Only the parts that are needed are written. */
static void parts_have_room_too(void **state)
{
    struct spmmi_draft draft = draft_make(GROUPS - 1);
    spmm_plan_t *plan = calloc(1, sizeof *plan);
    struct spmmi_trace trace[SPMMI_VARIANT_MAX];
    (void)state;
    assert_non_null(plan);
    plan->trace = trace;
    for (uint32_t i = 0; i < draft.variant_count; i++) {
        uint32_t index = 0;
        struct spmmi_part made[2] = {
            {.op = SPMM_OP_N, .family = SPMM_FAMILY_PANEL, .item_size = i + 1},
            {.op = SPMM_OP_N, .family = SPMM_FAMILY_ROWS, .item_size = i + 1, .flags = SPMMI_PART_LONG_ROWS}};
        spmmi_draft_add_parts(&draft, made, 2, &index);
        assert_int_equal(index, RANGES + 2 * i);
        draft.variants[i].of.part_first = index;
        draft.variants[i].of.part_count = 2;
    }
    spmmi_draft_keep(&draft, 0);
    assert_int_equal(spmmi_draft_parts_needed(&draft), 2 * SPMMI_VARIANT_MAX + 1); /* 1: part 0 */
    fit(&draft, 33, FAR);
    spmmi_draft_write(&draft, plan);
    assert_int_equal(plan->variant_count, SPMMI_VARIANT_MAX - 33);
    assert_int_equal(plan->part_count, 63);
    assert_int_equal(plan->trace_count, plan->variant_count);
    assert_int_equal(plan->parts[0].family, SPMM_FAMILY_ROWS);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        assert_int_equal(plan->variants[i].part_first, 2 * i + 1);
        assert_int_equal(plan->parts[2 * i + 1].item_size, plan->parts[2 * i + 2].item_size);
    }
    free(plan);
    spmmi_draft_close(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draft_that_fits_stays),
        cmocka_unit_test(the_least_loss_goes_first),
        cmocka_unit_test(equal_kernels_are_not_counted),
        cmocka_unit_test(losses_do_not_add_up_unseen),
        cmocka_unit_test(measured_decisions_lose_last),
        cmocka_unit_test(what_is_not_known_goes_last_of_all),
        cmocka_unit_test(layouts_share_too),
        cmocka_unit_test(groups_become_one_variant_each),
        cmocka_unit_test(cover_that_merges_take_is_told),
        cmocka_unit_test(gaps_are_closed_where_there_is_no_room),
        cmocka_unit_test(covered_variants_take_no_room),
        cmocka_unit_test(equal_variants_of_gpus_are_for_any_device),
        cmocka_unit_test(what_some_gpus_have_is_not_shared),
        cmocka_unit_test(shared_variants_merge_on_all_gpus),
        cmocka_unit_test(a_reserve_stays),
        cmocka_unit_test(a_reserve_is_the_first_of_its_kind),
        cmocka_unit_test(texts_do_not_depend_on_the_locale),
        cmocka_unit_test(parts_have_room_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
