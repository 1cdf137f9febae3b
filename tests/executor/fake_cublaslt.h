/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the functions of cuBLASLt that the dense family loads. Its products compute nothing. */
#ifndef FAKE_CUBLASLT_H
#define FAKE_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_CHOICES 4

/* What the functions return, and what they recorded. The library exports it as the symbol fake_cublaslt. */
struct fake_cublaslt {
    int create_error, descriptor_error, heuristic_error, matmul_error; /* cublasStatus_t */
    int has_no_algorithm; /* the heuristic finds no algorithm, but reports success */
    int heuristics, products,
        objects;      /* calls; handles, descriptors, layouts and preferences that are not destroyed */
    int compute;      /* cublasComputeType_t of the last descriptor */
    int c_type;       /* cudaDataType_t of the last layout, which is the layout of C */
    uint64_t numbers; /* CUBLASLT_NUMERICAL_IMPL_FLAGS that the last preference allows */
    int wanted;       /* number of algorithms that the last heuristic call asked for */
    float waves[FAKE_CHOICES]; /* wave counts of the first algorithms; the others have 0 */
    int state[FAKE_CHOICES];   /* cublasStatus_t of these algorithms */
    size_t workspace[FAKE_CHOICES];
    int choice; /* index of the algorithm that the last product used */
};

#endif
