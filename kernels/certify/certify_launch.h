/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a certificate on a GPU. Each function enqueues its work and returns a cudaError_t. */
#ifndef SPMMI_CERTIFY_LAUNCH_H
#define SPMMI_CERTIFY_LAUNCH_H

#include "certify_rule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dense matrix on the device; steps are in elements. */
struct spmmi_certify_dense {
    const void *data;
    int64_t rows, cols, row_step, column_step;
};

/* All pointers are device pointers; the struct itself is on the host. */
struct spmmi_certify_rows {
    struct spmmi_certify_rule rule;
    int64_t rows; /* of C */
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values;
    const uint32_t *permutation; /* NULL: none */
    struct spmmi_certify_projection b, c, before;
    int vectors, lanes;
    struct spmmi_certify_counts *counts;
};

/* The findings, in numbers that do not depend on the order in which they are merged. All are 0 at first. */
struct spmmi_certify_counts {
    unsigned long long failed, by_class;
    unsigned long long last;  /* rows - 1 - the first row that failed; 0 if none failed */
    unsigned long long ratio; /* bits of a double that is not negative: larger bits are a larger value */
};

/* Projects d into `to`. dtype: the type of its values, a number of spmm_dtype_t. */
int spmmi_certify_project_cuda(int dtype, const struct spmmi_certify_dense *d, uint64_t seed,
                               const struct spmmi_certify_projection *to, void *stream);
/* Judges the rows of C. dtype: the type of the values of A. */
int spmmi_certify_judge_cuda(int dtype, const struct spmmi_certify_rows *rows, void *stream);

#ifdef __cplusplus
}
#endif
#endif
