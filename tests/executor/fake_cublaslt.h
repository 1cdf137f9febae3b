/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the functions of cuBLASLt that the dense family loads. Its products compute nothing. */
#ifndef FAKE_CUBLASLT_H
#define FAKE_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

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
    int state;        /* cublasStatus_t of the algorithms */
    size_t workspace; /* bytes that they need */
};

#endif
