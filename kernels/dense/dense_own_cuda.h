/* SPDX-License-Identifier: Apache-2.0 */
/* Products that kernels of the family multiply, and not the library. */
#ifndef SPMMI_DENSE_OWN_CUDA_H
#define SPMMI_DENSE_OWN_CUDA_H

#include "executor/backend.h"
#include "dense_narrow_shape.h"
#include "dense_operands_cuda.h"
#include "dense_tile_shape.h"

/* Of few columns; columns is 0 where others multiply. Of f32 what may be multiplied as 3xtf32, also as tf32. */
struct spmmi_dense_narrow_shape spmmi_dense_narrow_of(const struct spmmi_device *device,
                                                      const struct spmmi_dense_a *a,
                                                      const struct spmmi_product *p);

/* Would the library store C by way of a copy? With a beta it writes sums. */
int spmmi_dense_library_copies_c(const struct spmmi_product *p);

/* Do warpgroups multiply B as it lies? Else its other form. */
int spmmi_dense_tile_reads(const struct spmmi_dense_a *a, const spmm_dense_t *b);

/* Of 16-bit types; columns is 0 where others multiply. */
struct spmmi_dense_tile_shape spmmi_dense_tile_of(const struct spmmi_device *device,
                                                  const struct spmmi_dense_a *a,
                                                  const struct spmmi_product *p);

#endif
