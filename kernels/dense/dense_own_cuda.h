/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the products that kernels of the family multiply, instead of cuBLASLt. */
#ifndef SPMMI_DENSE_OWN_CUDA_H
#define SPMMI_DENSE_OWN_CUDA_H

#include "executor/backend.h"
#include "dense_narrow_shape.h"
#include "dense_operands_cuda.h"
#include "dense_tile_shape.h"

/* Returns the shape of a product of few columns; columns is 0 if other kernels have to multiply it. For f32
 * only products on tensor cores qualify; the kernels use 3xtf32, also if tf32 was asked for. */
struct spmmi_dense_narrow_shape spmmi_dense_narrow_of(const struct spmmi_device *device,
                                                      const struct spmmi_dense_a *a,
                                                      const struct spmmi_product *p);

/* Returns true if the library would write C through a copy. Only if beta is 0: otherwise it writes sums. */
int spmmi_dense_library_copies_c(const struct spmmi_product *p);

/* Returns true if warpgroups can multiply B as it is; else they need its other form. */
int spmmi_dense_tile_reads(const struct spmmi_dense_a *a, const spmm_dense_t *b);

/* Returns the shape of a product of 16-bit types by warpgroups; columns is 0 if other
 * kernels have to multiply it. */
struct spmmi_dense_tile_shape spmmi_dense_tile_of(const struct spmmi_device *device,
                                                  const struct spmmi_dense_a *a,
                                                  const struct spmmi_product *p);

#endif
