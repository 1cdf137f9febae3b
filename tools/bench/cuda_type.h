/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the name that CUDA's libraries have for a value type. */
#ifndef SPMM_TOOLS_CUDA_TYPE_H
#define SPMM_TOOLS_CUDA_TYPE_H

#include <library_types.h>

#include <spmm/common.h>

cudaDataType cuda_type(spmm_dtype_t dtype);

#endif
