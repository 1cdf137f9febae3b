/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of types of A, B, C and sums in a product: the rows of types_list.def. */
#ifndef SPMMI_TYPES_H
#define SPMMI_TYPES_H

#include <spmm/common.h>

struct spmmi_types {
    spmm_dtype_t a, b, c, sum;
};

/* Returns the row with these types, or NULL if no kernel was compiled for them.
 * types.sum = 0 matches any sum type. */
const struct spmmi_types *spmmi_types_find(struct spmmi_types types);

/* Returns OK if kernels were compiled for these types, else
 * UNSUPPORTED with a message that lists all combinations. */
spmm_status_t spmmi_types_require(struct spmmi_types types, spmm_diag_t *diag);

#endif
