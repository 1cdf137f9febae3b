/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA's libraries call the value types. */
#ifndef SPMM_TOOLS_CUDA_TYPE_H
#define SPMM_TOOLS_CUDA_TYPE_H

#include <library_types.h>

#include <spmm/common.h>

cudaDataType cuda_type(spmm_dtype_t dtype);

#endif
