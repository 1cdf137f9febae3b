/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the functions of cuBLASLt that the dense family loads. It multiplies nothing. */
#ifndef FAKE_CUBLASLT_H
#define FAKE_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_CHOICES 4

/* What its functions answer and have seen; the library's symbol fake_cublaslt. */
struct fake_cublaslt {
    int create_error, descriptor_error, heuristic_error, matmul_error; /* cublasStatus_t */
    int has_no_algorithm; /* the heuristic finds none, without an error */
    int heuristics, products,
        objects;               /* calls; handles, descriptors, layouts, preferences that are not destroyed */
    int compute;               /* cublasComputeType_t of the last descriptor */
    int c_type;                /* cudaDataType_t of the last layout, which is that of C */
    uint64_t numbers;          /* what the last preference allows: CUBLASLT_NUMERICAL_IMPL_FLAGS */
    int wanted;                /* algorithms, at the last call */
    float waves[FAKE_CHOICES]; /* of the algorithms that the heuristic finds; the others: 0 */
    int state[FAKE_CHOICES];   /* of them: cublasStatus_t */
    size_t workspace[FAKE_CHOICES];
    int choice; /* of them, that of the last product */
};

#endif
