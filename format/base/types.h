/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of types of A, B, C and sums in a product: the rows of types_list.def. */
#ifndef SPMMI_TYPES_H
#define SPMMI_TYPES_H

#include <spmm/common.h>

struct spmmi_types {
    spmm_dtype_t a, b, c, sum;
};

/* A sum type of 0 fits any row with those of A, B and C. NULL where no kernel was compiled for them. */
const struct spmmi_types *spmmi_types_find(struct spmmi_types types);

/* OK, or UNSUPPORTED with a sentence that lists what kernels were compiled for. */
spmm_status_t spmmi_types_require(struct spmmi_types types, spmm_diag_t *diag);

#endif
