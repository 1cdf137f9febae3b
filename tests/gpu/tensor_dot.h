/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products with the length of one MMA, and the interface of what computes them: a GPU, or a model of
 * one. */
#ifndef TEST_TENSOR_DOT_H
#define TEST_TENSOR_DOT_H

/* The instructions that the library uses: mma.sync with 16 rows and 8 columns. */
enum tensor_mma {
    TENSOR_TF32_K8,
    TENSOR_F16_K8,
    TENSOR_F16_K16,
    TENSOR_BF16_K8,
    TENSOR_BF16_K16,
    TENSOR_F64_K8,
    TENSOR_MMA_COUNT
};

/* The format of an instruction's factors. The exponents are the limits of normal numbers. */
struct tensor_format {
    const char *name;
    int k, fraction_bits, exponent_min, exponent_max;
};
extern const struct tensor_format tensor_formats[TENSOR_MMA_COUNT];

#define TENSOR_K_MAX 16

/* d = c + the sum of all a[k] * b[k]. Factors are numbers of the instruction's format, or any f32 numbers
 * for tf32. c and d are f32 numbers, or f64 numbers for f64. */
struct tensor_dot {
    double a[TENSOR_K_MAX], b[TENSOR_K_MAX], c, d;
};

/* Computes d of all dot products. Returns 0 on success. */
typedef int (*tensor_run)(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

/* A tensor_run on the current device; context is unused. Each dot product has an MMA of its own, and dot i
 * is element (i % 16, i / 16 % 8) of it. Returns a cudaError_t. */
int tensor_run_cuda(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

#endif
