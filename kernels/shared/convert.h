/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions on the GPU that families share: layouts of B and C, values of A through a map. */
#ifndef SPMMI_CONVERT_H
#define SPMMI_CONVERT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[map[q]] = in[q] for count values of the plan's type: puts values of A into their slices or blocks.
 * Skips positions that are not below room, such as SPMMI_NONE. */
int spmmi_scatter_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                       uint32_t room, void *cuda_stream);

/* Layout conversion of a rows x n matrix on the device; each returns a cudaError_t. 16-bit types: beta = 0
 * only.
 * rows_from_columns: dst row-major (ldd) = src column-major (lds); columns n .. ldd of dst become 0.
 * shared_bytes: more shared memory per block, so that multiprocessors divide their memory into shared memory
 * and L1 cache as the next kernel needs it; or 0.
 * columns_from_rows: dst column-major (ldd) = src row-major (lds) + beta * dst; beta = 0: dst is not read. */
int spmmi_rows_from_columns_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                 int64_t ldd, uint32_t shared_bytes, void *cuda_stream);
int spmmi_columns_from_rows_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                 int64_t ldd, double beta, void *cuda_stream, int is_dependent);

/* dst = src, both column-major; their columns may begin at any address. */
int spmmi_columns_copy_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                            int64_t ldd, void *cuda_stream, int is_dependent);

/* Returns 0 if this build has code for the current device. */
int spmmi_kernels_load_cuda(void);

/* out[q] = in[map[q]] for count values; `in` has room values. A position that is not below room reads the
 * last one. */
int spmmi_gather_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                      uint32_t room, void *cuda_stream);

#ifdef __cplusplus
}
#endif
#endif
