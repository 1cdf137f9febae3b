/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the metrics of a tiled schedule directly from their definitions: slowly, and in another way than the
 * library. */
#ifndef SPMM_TESTS_ROW_BLOCK_LITERAL_H
#define SPMM_TESTS_ROW_BLOCK_LITERAL_H

#include <stdbool.h>

#include "inspector/matrix/matrix.h"
#include "inspector/analysis/row_block_metrics.h"

/* Takes O(row blocks * cols) time. */
void row_block_literal(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out);

/* Returns a generated matrix; fails the test if there is none. The caller destroys it. */
spmm_matrix_t *row_block_matrix(const char *spec);

/* Returns an input with the units of m and n = 70, in a random order if is_shuffled. The caller sets the
 * other members of the schedule and closes the input. */
struct spmmi_row_block_input row_block_input_open(const spmm_matrix_t *m, uint32_t segment, bool is_shuffled);
void row_block_input_close(struct spmmi_row_block_input *in);

#endif
