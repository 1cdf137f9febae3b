/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_plans.h. */
#include "bench_plans.h"

#include <stdio.h>

#define TILE_MAX 32 /* columns a thread of the tiled kernels */

struct maker {
    const spmm_matrix_t *matrix;
    const spmm_inspect_options_t *options;
    bench_plan_fn take;
    void *context;
};

static void make(const struct maker *maker, const spmm_inspect_options_t *options)
{
    spmm_plan_t *plan = NULL;
    if (spmm_inspect(maker->matrix, options, &plan, NULL) == SPMM_OK)
        maker->take(maker->context, plan, NULL, options->reorder);
    spmm_plan_destroy(plan);
}

static void make_rows(const struct maker *maker)
{
    static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT};
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
        spmm_inspect_options_t forced = *maker->options;
        forced.schedule = schedules[s];
        forced.layouts = 0;
        forced.n_count = 0;
        make(maker, &forced);
    }
}

/* The same plan with each number of columns that a thread may keep. */
static void make_tiles(const struct maker *maker, const spmm_inspect_options_t *options)
{
    spmm_plan_t *plan = NULL;
    if (spmm_inspect(maker->matrix, options, &plan, NULL) == SPMM_OK) {
        for (unsigned tile = 1; tile <= TILE_MAX; tile *= 2) {
            char kernel[64];
            snprintf(kernel, sizeof kernel, "cuda/tiled/%s/r%u", spmm_schedule_name(options->schedule), tile);
            maker->take(maker->context, plan, kernel, options->reorder);
        }
    }
    spmm_plan_destroy(plan);
}

/* An order that is that of the matrix is left out by the inspector: such a plan names the kernel of the plain one. */
static void make_tiled(const struct maker *maker, enum bench_plans plans)
{
    static const struct {
        spmm_schedule_t schedule;
        spmm_reorder_t reorder;
        uint32_t panel_rows;
    } variants[] = {
        {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_NONE, 256},      {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_NONE, 64},
        {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_RADIX, 256},     {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_RADIX, 64},
        {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_NONE, 256},  {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_NONE, 64},
        {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_RADIX, 256}, {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_RADIX, 64},
    };
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        spmm_inspect_options_t forced = *maker->options;
        forced.schedule = variants[v].schedule;
        forced.reorder = variants[v].reorder;
        forced.panel_rows = variants[v].panel_rows;
        if (plans == BENCH_PLANS_ALL)
            make(maker, &forced);
        else if (forced.reorder == SPMM_REORDER_NONE)
            make_tiles(maker, &forced);
    }
}

static int is_reordered(const spmm_plan_t *plan)
{
    spmm_part_info_t part;
    for (int i = 0; spmm_plan_part(plan, i, &part) == SPMM_OK; i++)
        if (part.is_reordered)
            return 1;
    return 0;
}

static int has_peeled(const spmm_plan_t *plan)
{
    spmm_part_info_t part;
    for (int i = 0; spmm_plan_part(plan, i, &part) == SPMM_OK; i++)
        if (part.is_peeled)
            return 1;
    return 0;
}

/* The same with long rows apart, where that is predicted to pay. */
static void make_peeled(const struct maker *maker, const spmm_inspect_options_t *options)
{
    spmm_inspect_options_t forced = *options;
    spmm_plan_t *plan = NULL;
    forced.peel = SPMM_PEEL_AUTO;
    if (spmm_inspect(maker->matrix, &forced, &plan, NULL) == SPMM_OK && has_peeled(plan))
        maker->take(maker->context, plan, NULL, options->reorder);
    spmm_plan_destroy(plan);
}

/* Every storage and height in one order and compute type. Whether that order is A's shows in the first plan already. */
static void make_tensor(const struct maker *maker, spmm_reorder_t order, spmm_compute_t compute)
{
    static const struct {
        const char *kernel;
        uint32_t panel_rows;
    } variants[] = {{"window/dense", 0},  {"window/packed", 0},  {"panel/dense", 64}, {"panel/packed", 64},
                    {"panel/dense", 128}, {"panel/packed", 128}, {"bcsr/dense", 64},  {"bcsr/dense", 128}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        spmm_inspect_options_t forced = *maker->options;
        spmm_plan_t *plan = NULL;
        int has_order = 0;
        forced.force_kernel = variants[v].kernel;
        forced.panel_rows = variants[v].panel_rows;
        forced.reorder = order;
        forced.compute = compute;
        forced.peel = SPMM_PEEL_NONE;
        if (spmm_inspect(maker->matrix, &forced, &plan, NULL) == SPMM_OK)
            has_order = order == SPMM_REORDER_NONE || is_reordered(plan);
        if (has_order)
            maker->take(maker->context, plan, NULL, order);
        spmm_plan_destroy(plan);
        if (order == SPMM_REORDER_NONE && maker->options->peel == SPMM_PEEL_AUTO)
            make_peeled(maker, &forced);
        if (!has_order)
            return;
    }
}

static int is_square(const spmm_matrix_t *matrix)
{
    spmm_csr_t view;
    return spmm_matrix_csr(matrix, &view) == SPMM_OK && view.rows == view.cols;
}

static void make_tensors(const struct maker *maker, enum bench_plans plans)
{
    static const spmm_reorder_t orders[] = {SPMM_REORDER_NONE, SPMM_REORDER_MINHASH, SPMM_REORDER_RCM};
    static const spmm_compute_t of_f32[] = {SPMM_COMPUTE_3XTF32, SPMM_COMPUTE_TF32};
    static const spmm_compute_t of_others[] = {(spmm_compute_t)0};
    const spmm_compute_t *const computes = maker->options->dtype == SPMM_F32 ? of_f32 : of_others;
    const int compute_count = maker->options->dtype == SPMM_F32 ? 2 : 1;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        if (orders[o] != SPMM_REORDER_NONE && plans == BENCH_PLANS_TENSOR_PLAIN)
            continue;
        if (orders[o] == SPMM_REORDER_RCM && !is_square(maker->matrix))
            continue;
        for (int c = 0; c < compute_count; c++)
            make_tensor(maker, orders[o], computes[c]);
    }
}

void bench_plans_each(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                      enum bench_plans plans, bench_plan_fn take, void *context)
{
    const struct maker maker = {matrix, options, take, context};
    make_rows(&maker);
    if (plans == BENCH_PLANS_ALL || plans == BENCH_PLANS_TILES)
        make_tiled(&maker, plans);
    else if (plans != BENCH_PLANS_DEFAULT)
        make_tensors(&maker, plans);
}
