/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of the length of one MMA, and who computes them: a GPU, or a model of one. */
#ifndef TEST_TENSOR_DOT_H
#define TEST_TENSOR_DOT_H

/* The instructions that the library uses, all mma.sync with 16 rows and 8 columns. */
enum tensor_mma {
    TENSOR_TF32_K8,
    TENSOR_F16_K8,
    TENSOR_F16_K16,
    TENSOR_BF16_K8,
    TENSOR_BF16_K16,
    TENSOR_F64_K8,
    TENSOR_MMA_COUNT
};

/* An instruction and the format of its factors; the exponents are those of normal numbers. */
struct tensor_format {
    const char *name;
    int k, fraction_bits, exponent_min, exponent_max;
};
extern const struct tensor_format tensor_formats[TENSOR_MMA_COUNT];

#define TENSOR_K_MAX 16

/* d = c + the sum of a[k] b[k]. Factors are numbers of the instruction's format, those of tf32 any of f32; c and d are
 * f32, of f64 f64. */
struct tensor_dot {
    double a[TENSOR_K_MAX], b[TENSOR_K_MAX], c, d;
};

/* Fills in d. 0: done. */
typedef int (*tensor_run)(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

/* A tensor_run on the current device, without context; dot i is element (i % 16, i / 16 % 8) of an MMA of its own.
 * The result is a cudaError_t. */
int tensor_run_cuda(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

#endif
