/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a certificate for every machine. */
#include "certify_lanes.h"

#define TARGET
#define LEVEL spmmi_certify_portable
#define ADD_EXACT(a, x, sum) ((a) * (x) + (sum))
#define PRODUCT_ERROR(a, x, product)                                                                       \
    ((lanes4){fma(a, (x)[0], -(product)[0]), fma(a, (x)[1], -(product)[1]), fma(a, (x)[2], -(product)[2]), \
              fma(a, (x)[3], -(product)[3])})
#include "certify_cpu_level.h"
