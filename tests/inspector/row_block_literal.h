/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of a tiled schedule counted by their definitions, slowly and in another way than the library does. */
#ifndef SPMM_TESTS_ROW_BLOCK_LITERAL_H
#define SPMM_TESTS_ROW_BLOCK_LITERAL_H

#include <stdbool.h>

#include "inspector/matrix/matrix.h"
#include "inspector/analysis/row_block_metrics.h"

/* O(row blocks * cols) time. */
void row_block_literal(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out);

/* A generated matrix; fails the test when there is none. */
spmm_matrix_t *row_block_matrix(const char *spec);

/* Its units and n = 70, in a random order if is_shuffled; the rest of the schedule is the caller's. */
struct spmmi_row_block_input row_block_input_open(const spmm_matrix_t *m, uint32_t segment, bool is_shuffled);
void row_block_input_close(struct spmmi_row_block_input *in);

#endif
