/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the functions of cuBLASLt that the dense family loads. It multiplies nothing. */
#ifndef FAKE_CUBLASLT_H
#define FAKE_CUBLASLT_H

/* What its functions answer and have seen; the library's symbol fake_cublaslt. */
struct fake_cublaslt {
    int create_error, descriptor_error, heuristic_error, matmul_error; /* cublasStatus_t */
    int has_no_algorithm; /* the heuristic finds none, without an error */
    int heuristics, products,
        objects; /* calls; handles, descriptors, layouts, preferences that are not destroyed */
    int compute; /* cublasComputeType_t of the last descriptor */
    int c_type;  /* cudaDataType_t of the last layout, which is that of C */
};

#endif
