/* SPDX-License-Identifier: Apache-2.0 */
/* Four doubles at any address that a double may have. */
#ifndef SPMMI_CERTIFY_LANES_H
#define SPMMI_CERTIFY_LANES_H

typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));

#endif
