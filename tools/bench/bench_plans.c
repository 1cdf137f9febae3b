/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_plans.h. */
#include "bench_plans.h"

#include <stdio.h>
#include <string.h>

#include "tools/cli/families.h"

#define HELP_WIDTH 82
#define TILE_MAX 32      /* maximum columns per thread of kernels that stage B */
#define GPU_UNIT_MAX 128 /* maximum height of tensor-core kernels on GPUs */

static const char plans_pattern[] =
    "all: {staged} also with every schedule, without a permutation and with radix, in row blocks of 256 "
    "and of 64; tiles: {staged} without a permutation, with 1 to 32 columns a thread on a GPU; tensor: "
    "{tensor} with every storage, permutation and compute type, row blocks and block-row groups of 64 and "
    "128 rows; tensor-plain: the same without a permutation (default: none of these)";

char bench_plans_help[BENCH_PLANS_HELP_BYTES];

void bench_plans_help_make(void)
{
    families_help(bench_plans_help, sizeof bench_plans_help, HELP_WIDTH, plans_pattern);
}

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

/* Makes plans of the first family, which supports every matrix, for all layouts and n. */
static void make_rows(const struct maker *maker)
{
    spmm_family_info_t first = {.struct_size = sizeof first};
    struct families_kernel kernel;
    (void)spmm_family_at(0, &first);
    for (int i = 0; families_kernel_at(i, &kernel); i++) {
        spmm_inspect_options_t forced = *maker->options;
        if (kernel.family.family != first.family)
            continue;
        forced.force_kernel = kernel.name;
        forced.layouts = 0;
        forced.n_count = 0;
        make(maker, &forced);
    }
}

/* Makes one plan and forces each number of columns per thread with it. */
static void make_tiles(const struct maker *maker, const spmm_inspect_options_t *options)
{
    spmm_plan_t *plan = NULL;
    if (spmm_inspect(maker->matrix, options, &plan, NULL) == SPMM_OK) {
        for (unsigned tile = 1; tile <= TILE_MAX; tile *= 2) {
            char kernel[80];
            snprintf(kernel, sizeof kernel, "cuda/%s/r%u", options->force_kernel, tile);
            maker->take(maker->context, plan, kernel, options->reorder);
        }
    }
    spmm_plan_destroy(plan);
}

/* Makes plans of a family that stages B. The inspector drops a permutation that changes nothing, so such a
 * plan runs the kernel without a permutation, which is measured only once. */
static void make_staged(const struct maker *maker, const char *kernel, enum bench_plans plans)
{
    static const struct {
        spmm_reorder_t reorder;
        uint32_t block_rows;
    } variants[] = {{SPMM_REORDER_NONE, 256},
                    {SPMM_REORDER_NONE, 64},
                    {SPMM_REORDER_RADIX, 256},
                    {SPMM_REORDER_RADIX, 64}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        spmm_inspect_options_t forced = *maker->options;
        spmm_tiled_options_t tiled = SPMM_TILED_OPTIONS_INIT;
        tiled.block_rows = variants[v].block_rows;
        forced.force_kernel = kernel;
        forced.reorder = variants[v].reorder;
        forced.tiled = &tiled;
        if (plans == BENCH_PLANS_ALL)
            make(maker, &forced);
        else if (forced.reorder == SPMM_REORDER_NONE)
            make_tiles(maker, &forced);
    }
}

static void make_all_staged(const struct maker *maker, enum bench_plans plans)
{
    struct families_kernel kernel;
    for (int i = 0; families_kernel_at(i, &kernel); i++)
        if (kernel.family.stage_slots_max > 0)
            make_staged(maker, kernel.name, plans);
}

static int is_reordered(const spmm_plan_t *plan)
{
    spmm_part_info_t part = {.struct_size = sizeof part};
    for (int i = 0; spmm_plan_part(plan, i, &part) == SPMM_OK; i++)
        if (part.is_reordered)
            return 1;
    return 0;
}

static int has_long_rows(const spmm_plan_t *plan)
{
    spmm_part_info_t part = {.struct_size = sizeof part};
    for (int i = 0; spmm_plan_part(plan, i, &part) == SPMM_OK; i++)
        if (part.is_long_rows)
            return 1;
    return 0;
}

/* Makes a plan with long rows split off. Omits it if the inspector does not predict that this is faster. */
static void make_long_rows(const struct maker *maker, const spmm_inspect_options_t *options)
{
    spmm_inspect_options_t forced = *options;
    spmm_tcblock_options_t tcblock = *options->tcblock;
    spmm_plan_t *plan = NULL;
    tcblock.long_rows = SPMM_LONG_ROWS_AUTO;
    forced.tcblock = &tcblock;
    if (spmm_inspect(maker->matrix, &forced, &plan, NULL) == SPMM_OK && has_long_rows(plan))
        maker->take(maker->context, plan, NULL, options->reorder);
    spmm_plan_destroy(plan);
}

/* The options that all plans of a group share. The first plan of the group shows whether the permutation
 * changes anything. */
struct tensor_case {
    spmm_reorder_t permutation;
    spmm_compute_t compute;
};

/* Makes one plan. Returns 0 if the plan was refused or the permutation changes nothing; then the other plans
 * of the group are omitted. */
static int make_tensor(const struct maker *maker, const struct tensor_case *of, const char *kernel,
                       uint32_t block_rows)
{
    spmm_inspect_options_t forced = *maker->options;
    spmm_tcblock_options_t tcblock = SPMM_TCBLOCK_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    int has_permutation = 0;
    tcblock.block_rows = block_rows;
    tcblock.long_rows = SPMM_LONG_ROWS_KEEP;
    forced.force_kernel = kernel;
    forced.reorder = of->permutation;
    forced.compute = of->compute;
    forced.tcblock = &tcblock;
    if (spmm_inspect(maker->matrix, &forced, &plan, NULL) == SPMM_OK)
        has_permutation = of->permutation == SPMM_REORDER_NONE || is_reordered(plan);
    if (has_permutation)
        maker->take(maker->context, plan, NULL, of->permutation);
    spmm_plan_destroy(plan);
    if (of->permutation == SPMM_REORDER_NONE)
        make_long_rows(maker, &forced);
    return has_permutation;
}

/* Makes every schedule of a family with this height. block_rows 0: the family has only one height. */
static int make_schedules(const struct maker *maker, const struct tensor_case *of, spmm_family_t family,
                          uint32_t block_rows)
{
    struct families_kernel kernel;
    int has_permutation = 1;
    for (int i = 0; has_permutation && families_kernel_at(i, &kernel); i++)
        if (kernel.family.family == family)
            has_permutation = make_tensor(maker, of, kernel.name, block_rows);
    return has_permutation;
}

/* Makes every storage and height that GPUs support, for one permutation and compute type. */
static void make_heights(const struct maker *maker, const struct tensor_case *of)
{
    spmm_family_info_t family = {.struct_size = sizeof family};
    int has_permutation = 1;
    for (int i = 0; has_permutation && spmm_family_at(i, &family) == SPMM_OK; i++) {
        if (!family.uses_tensor_cores)
            continue;
        if (family.block_rows_min == family.block_rows_max)
            has_permutation = make_schedules(maker, of, family.family, 0);
        for (uint32_t rows = family.block_rows_min;
             has_permutation && family.block_rows_min < family.block_rows_max && rows <= GPU_UNIT_MAX;
             rows *= 2)
            has_permutation = make_schedules(maker, of, family.family, rows);
    }
}

static int is_square(const spmm_matrix_t *matrix)
{
    spmm_csr_t view;
    return spmm_matrix_csr(matrix, &view) == SPMM_OK && view.rows == view.cols;
}

/* Returns 1 for the permutations that are measured. The others gain less or take too long to make. */
static int is_measured(const struct maker *maker, enum bench_plans plans, const spmm_reorder_info_t *info)
{
    static const char *const names[] = {"minhash", "rcm", "growing"};
    if (info->kind == SPMM_REORDER_NONE)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(info->name, names[i]) == 0)
            return plans != BENCH_PLANS_TENSOR_PLAIN && (!info->needs_square || is_square(maker->matrix));
    return 0;
}

static void make_tensors(const struct maker *maker, enum bench_plans plans)
{
    static const spmm_compute_t of_f32[] = {SPMM_COMPUTE_3XTF32, SPMM_COMPUTE_TF32};
    static const spmm_compute_t of_others[] = {(spmm_compute_t)0};
    const spmm_compute_t *const computes = maker->options->a_type == SPMM_F32 ? of_f32 : of_others;
    const int compute_count = maker->options->a_type == SPMM_F32 ? 2 : 1;
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    for (int i = 0; spmm_reorder_at(i, &info) == SPMM_OK; i++)
        for (int c = 0; c < compute_count && is_measured(maker, plans, &info); c++)
            make_heights(maker, &(struct tensor_case){info.kind, computes[c]});
}

void bench_plans_each(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                      enum bench_plans plans, bench_plan_fn take, void *context)
{
    const struct maker maker = {matrix, options, take, context};
    make_rows(&maker);
    if (plans == BENCH_PLANS_ALL || plans == BENCH_PLANS_TILES)
        make_all_staged(&maker, plans);
    else if (plans != BENCH_PLANS_DEFAULT)
        make_tensors(&maker, plans);
}
