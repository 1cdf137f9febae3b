/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the device memory that executors hold, computed by spmm_executor_memory_bytes: executor_bytes [-n
 * N] PLAN.., for row-major products with N columns only, or for all products of a plan. No GPU is needed:
 * tests/executor/fake_runtime.h simulates an H100.
 * Prints a line for each plan with the bytes of A as CSR (values, and 4 bytes per column and row pointer).
 * For all plans of a type, it prints the geometric mean and the maximum of the ratio, and how many ratios
 * exceed 1.15. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/executor.h>

#define ABOVE 1.15

struct tally {
    double logs, most;
    int plans, above;
};

static double csr_bytes(const spmm_plan_info_t *info)
{
    return 4.0 * (double)(info->rows + 1) + (double)info->nnz * (4.0 + (double)spmm_dtype_size(info->a_type));
}

static void tally_add(struct tally *tally, double ratio)
{
    tally->logs += log(ratio);
    tally->most = ratio > tally->most ? ratio : tally->most;
    tally->above += ratio > ABOVE;
    tally->plans++;
}

/* Adds the plan of a file to the tallies. Returns 0 if it cannot be loaded or measured. */
static int count(const char *path, const spmm_executor_options_t *options, struct tally tallies[])
{
    spmm_plan_t *plan = NULL;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_diag_t diag;
    uint64_t host = 0, device = 0;
    spmm_status_t status = spmm_plan_load(path, NULL, &plan, &diag);
    if (status == SPMM_OK)
        status = spmm_executor_memory_bytes(plan, 0, options, &host, &device, &diag);
    if (status == SPMM_OK && spmm_plan_info(plan, &info) == SPMM_OK) {
        const double csr = csr_bytes(&info);
        printf("%s,%s,%.0f,%llu,%.3f\n", path, spmm_dtype_name(info.a_type), csr, (unsigned long long)device,
               (double)device / csr);
        tally_add(&tallies[info.a_type], (double)device / csr);
    } else {
        fprintf(stderr, "%s: %s\n", path, diag.text);
    }
    spmm_plan_destroy(plan);
    return status == SPMM_OK;
}

int main(int argc, char **argv)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    struct tally tallies[SPMM_BF16 + 1] = {{0, 0, 0, 0}};
    int first = 1, failed = 0;
    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        options.n_min = options.n_max = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
        if (options.n_min < 1) {
            fputs("usage: executor_bytes [-n COLUMNS] PLAN..\n", stderr);
            return 2;
        }
        options.ops = SPMM_OPS_N;
        options.layouts = SPMM_LAYOUTS_ROW_MAJOR;
        first = 3;
    }
    puts("plan,type,csr_bytes,device_bytes,ratio");
    for (int i = first; i < argc; i++)
        failed += !count(argv[i], &options, tallies);
    for (spmm_dtype_t type = SPMM_F32; type <= SPMM_BF16; type++)
        if (tallies[type].plans > 0)
            printf("%s: %d plans, mean %.2f, most %.1f, %d above %g\n", spmm_dtype_name(type),
                   tallies[type].plans, exp(tallies[type].logs / tallies[type].plans), tallies[type].most,
                   tallies[type].above, ABOVE);
    return failed > 0;
}
