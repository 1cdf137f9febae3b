/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_probe: prints how the tensor cores of this device round and align numbers, as a table
 * (docs/accuracy.md) or as CSV.
 *
 * usage: tensor_probe [--csv]
 * exit status: 0; 1 if a constant that docs/accuracy.md relies on does not hold; 2 on wrong use; 77
 * without a GPU */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "tensor_measure.h"

#define NO_GPU 77

static const char *const roundings[] = {
    [TENSOR_OTHERWISE] = "otherwise", [TENSOR_TO_ZERO] = "cut off", [TENSOR_TO_NEAREST] = "nearest",
    [TENSOR_DOWN] = "down",           [TENSOR_UP] = "up",           [TENSOR_AWAY] = "away from 0"};
static const char *const permutations[] = {[TENSOR_NO_ORDER] = "other than fma by fma",
                                           [TENSOR_ASCENDING] = "fma by fma; k ascending",
                                           [TENSOR_DESCENDING] = "fma by fma; k descending"};

/* Prints one cell of a row. An empty cell means that the column does not apply to the instruction. */
static void print_cell(const char *text, int is_csv)
{
    printf(is_csv ? ",%s" : " | %s", text);
}

static void print_number(const char *format, double number, int is_csv)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    print_cell(text, is_csv);
}

static void print_answer(int yes, int is_csv)
{
    print_cell(yes ? "yes" : "no", is_csv);
}

static void print_head(const struct cudaDeviceProp *device, int is_csv)
{
    static const char *const columns[] = {
        "at a time", "bits kept",  "aligned",  "result", "operand", "exponents",      "subnormal factor",
        "order",     "subnormals", "overflow", "NaN",    "model",   "most roundings", "share of the bound"};
    const int count = (int)(sizeof columns / sizeof columns[0]);
    if (!is_csv)
        printf("%s, capability %d.%d\n\n", device->name, device->major, device->minor);
    printf(is_csv ? "device,capability,instruction" : "| instruction");
    for (int i = 0; i < count; i++)
        print_cell(columns[i], is_csv);
    puts(is_csv ? "" : " |");
    for (int i = 0; !is_csv && i <= count; i++)
        printf("|---");
    if (!is_csv)
        puts("|");
}

/* Prints the constants that only sums of f32 have, then the order of f64. */
static void print_constants(enum tensor_mma mma, const struct tensor_findings *found, int is_csv)
{
    const struct tensor_constants *c = &found->constants;
    const char *const alignment = found->products_align_by_factors ? "of the factors" : "otherwise";
    if (mma == TENSOR_F64_K8) {
        for (int i = 0; i < 7; i++)
            print_cell("", is_csv);
        print_cell(permutations[c->order], is_csv);
        return;
    }
    if (found->group_is_regular)
        print_number("%.0f", c->group, is_csv);
    else
        print_cell("irregular", is_csv);
    if (found->kept_of_sum == found->kept_of_products) {
        print_number("%.0f", c->kept_bits, is_csv);
    } else {
        char text[48];
        snprintf(text, sizeof text, "%d; of the sum %d", found->kept_of_products, found->kept_of_sum);
        print_cell(text, is_csv);
    }
    print_cell(roundings[c->aligned], is_csv);
    print_cell(roundings[c->result], is_csv);
    print_cell(mma == TENSOR_TF32_K8 ? roundings[c->operand] : "", is_csv);
    print_cell(alignment, is_csv);
    print_cell(c->is_nominal ? "as the least normal one" : "as it is", is_csv);
    print_cell("", is_csv);
}

static void print_findings(const struct cudaDeviceProp *device, enum tensor_mma mma,
                           const struct tensor_findings *found, int is_csv)
{
    char model[48];
    if (is_csv)
        printf("%s,%d.%d,%s", device->name, device->major, device->minor, tensor_formats[mma].name);
    else
        printf("| %s", tensor_formats[mma].name);
    print_constants(mma, found, is_csv);
    print_answer(found->keeps_subnormals && found->zero_is_nothing, is_csv);
    print_answer(found->overflow_is_seen, is_csv);
    print_answer(found->special_is_seen, is_csv);
    snprintf(model, sizeof model, "%d of %d", found->model_matches, found->model_tried);
    print_cell(model, is_csv);
    print_number("%.3f", found->roundings, is_csv);
    print_number("%.3f", found->bound_share, is_csv);
    puts(is_csv ? "" : " |");
}

int main(int argc, char **argv)
{
    const int is_csv = argc == 2 && strcmp(argv[1], "--csv") == 0;
    struct cudaDeviceProp device;
    int device_count = 0, broken = 0;
    if (argc > 1 && !is_csv) {
        fputs("usage: tensor_probe [--csv]\n", stderr);
        return 2;
    }
    if (cudaGetDeviceCount(&device_count) != cudaSuccess || device_count == 0 ||
        cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
        puts("no GPU answers: skipped");
        return NO_GPU;
    }
    print_head(&device, is_csv);
    for (int i = 0; i < TENSOR_MMA_COUNT; i++) {
        const enum tensor_mma mma = (enum tensor_mma)i;
        const struct tensor_findings found = tensor_measure(mma, tensor_run_cuda, NULL);
        const char *const promise = tensor_broken_promise(mma, &found);
        print_findings(&device, mma, &found, is_csv);
        if (found.run_error != 0)
            fprintf(stderr, "%s: %s\n", tensor_formats[i].name,
                    cudaGetErrorString((cudaError_t)found.run_error));
        if (promise != NULL)
            fprintf(stderr, "%s: it does not hold that %s\n", tensor_formats[i].name, promise);
        broken |= promise != NULL;
    }
    return broken;
}
