/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: plans, executors, the command line. */
#include "solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double solver_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void solver_fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

void solver_require(spmm_status_t status, const spmm_diag_t *diag)
{
    if (status != SPMM_OK)
        solver_fail(diag->text[0] != '\0' ? diag->text : spmm_status_text(status));
}

/* --device N|cpu */
static int device_number(int argc, char **argv)
{
    if (argc == 2)
        return SPMM_DEVICE_CPU;
    if (argc != 4 || strcmp(argv[2], "--device") != 0)
        solver_fail("usage: PROGRAM PLAN [--device N|cpu]");
    return strcmp(argv[3], "cpu") == 0 ? SPMM_DEVICE_CPU : atoi(argv[3]);
}

/* Iterations keep their vectors in the order of the plan. A plan that permutes only C cannot be used in iterations. */
static void plan_check(struct solver *solver, int needs_square)
{
    int64_t count = 0;
    const uint32_t *permutation = NULL;
    const spmm_plan_info_t *info = &solver->info;
    if (info->a_type != SPMM_F64 || !info->has_values)
        solver_fail("the plan must be of f64 with values: spmm-inspect --dtype f64");
    if (info->rows == 0 || info->cols == 0)
        solver_fail("the matrix has no rows or no columns");
    if (needs_square && info->rows != info->cols)
        solver_fail("the matrix must be square");
    for (int part = 0; part < info->part_count; part++)
        if (spmm_plan_row_permutation(solver->plan, part, &permutation, &count) == SPMM_OK)
            solver_fail("the plan permutes its output: inspect without --permuted-output");
    (void)spmm_plan_symmetric_permutation(solver->plan, &solver->permutation, &count);
}

int solver_take_count(int *argc, char **argv, const char *option)
{
    if (*argc < 4 || strcmp(argv[*argc - 2], option) != 0)
        return 0;
    *argc -= 2;
    const int count = atoi(argv[*argc + 1]);
    if (count < 1)
        solver_fail("the last option wants a count above 0");
    return count;
}

const struct device *solver_device(int argc, char **argv)
{
    const int number = device_number(argc, argv);
    const struct device *device = number == SPMM_DEVICE_CPU ? &device_cpu : device_cuda(number);
    if (device == NULL)
        solver_fail("this program was built without CUDA");
    return device;
}

void solver_open(struct solver *solver, int argc, char **argv, int needs_square, int ops)
{
    const double started = solver_seconds();
    solver_open_on(solver, solver_device(argc, argv), argv[1], needs_square, ops);
    solver->started = started;
}

void solver_open_on(struct solver *solver, const struct device *device, const char *path, int needs_square,
                    int ops)
{
    spmm_diag_t diag = {.text = ""};
    char name[64] = "";
    memset(solver, 0, sizeof *solver);
    solver->started = solver_seconds();
    solver->device = device;
    solver_require(spmm_plan_load(path, NULL, &solver->plan, &diag), &diag);
    solver->info.struct_size = sizeof solver->info;
    solver_require(spmm_plan_info(solver->plan, &solver->info), &diag);
    plan_check(solver, needs_square);
    product_open(solver, device->number, ops);
    (void)spmm_device_name(device->number, name, sizeof name);
    printf("%s: %lld x %lld, %lld nonzeros, on %s\n", path, (long long)solver->info.rows,
           (long long)solver->info.cols, (long long)solver->info.nnz, name);
    solver->ready = solver_seconds();
}

void solver_iterated(struct solver *solver, int iterations)
{
    solver->device->wait();
    solver->stopped = solver_seconds();
    solver->iterations = iterations;
}

int solver_close(struct solver *solver, int is_right)
{
    printf("%d iterations in %.4f s, %.3f s with loading the plan: %s\n", solver->iterations,
           solver->stopped - solver->ready, solver->stopped - solver->started, is_right ? "right" : "WRONG");
    for (int i = 0; i < solver->block_count; i++)
        solver->device->release(solver->blocks[i]);
    product_close(solver);
    spmm_plan_destroy(solver->plan);
    return is_right ? 0 : 1;
}
