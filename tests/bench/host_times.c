/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the host time of spmm_execute for GPU kernels, without the time of the CUDA runtime: host_times
 * [WORD], for kernels whose name contains WORD. No GPU is needed: calls of the runtime return at once, and
 * are counted. For each case, it prints the launches and other calls of the runtime, and the minimum and
 * the median time of a call in ns, over runs of many calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/executor/fake_runtime.h"
#include "tests/executor/runtime_cases.h"

#define RUNS 101
#define CALLS 100 /* calls per run */

static double ns_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_ns(const struct runtime_product *product)
{
    const double start = ns_now();
    for (int i = 0; i < CALLS; i++)
        (void)runtime_product_run(product);
    return (ns_now() - start) / CALLS;
}

static void measure(const struct runtime_case *of)
{
    struct runtime_product product;
    double ns[RUNS];
    runtime_product_make(of, &product);
    (void)run_ns(&product);
    fake_runtime_count();
    (void)runtime_product_run(&product);
    printf("%s: %d launches, %d other calls, ", product.name, fake_runtime.launches,
           fake_runtime.device_asks + fake_runtime.attributes + fake_runtime.maps + fake_runtime.others);
    for (int i = 0; i < RUNS; i++)
        ns[i] = run_ns(&product);
    qsort(ns, RUNS, sizeof *ns, compare);
    printf("least %.0f ns, median %.0f ns\n", ns[0], ns[RUNS / 2]);
    runtime_product_free(&product);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < runtime_case_count; i++)
        if (argc < 2 || strstr(runtime_cases[i].kernel, argv[1]) != NULL)
            measure(&runtime_cases[i]);
    return 0;
}
