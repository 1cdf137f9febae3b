/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices as command lines name them: a file, "-" for standard input, or a generator string. */
#ifndef SPMM_TOOLS_MATRIX_INPUT_H
#define SPMM_TOOLS_MATRIX_INPUT_H

#include <spmm/inspector.h>
#include <stdbool.h>

/* Without a budget in the options, files get that of machine_memory.h; generators use no options. */
spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag);

/* The bytes of a regular file, else 0, and whether they are compressed: by gzip, zstd, xz, bzip2, or as .npz. */
uint64_t matrix_input_bytes(const char *path, bool *is_compressed);

/* PAP^T takes the place of the matrix where that is what the plan holds, and rows and columns are as many. */
spmm_status_t matrix_input_permute(const spmm_plan_t *plan, int threads, spmm_matrix_t **matrix,
                                   spmm_diag_t *diag);

#endif
