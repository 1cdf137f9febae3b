/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the matrix that a command line names: a file, "-" for standard input, or a generator string. */
#ifndef SPMM_TOOLS_MATRIX_INPUT_H
#define SPMM_TOOLS_MATRIX_INPUT_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "cli_option.h"

/* Options of the command line about reading matrix files. */
struct matrix_input_options {
    int real_part, abs, base;
    int64_t vertices;
    const char *variable;
};
extern struct matrix_input_options matrix_input_given;
extern const struct cli_choice matrix_input_bases[];
/* clang-format off */
#define MATRIX_INPUT_OPTIONS \
    {0, "real-part", CLI_FLAG, &matrix_input_given.real_part, \
     .help = "read the real parts of a complex matrix"}, \
    {0, "abs", CLI_FLAG, &matrix_input_given.abs, .help = "read the absolute values of a complex matrix"}, \
    {0, "base", CLI_CHOICE, &matrix_input_given.base, .value = "0|1", .choices = matrix_input_bases, \
     .help = "lists of edges: vertices count from 0 or from 1;\ndefault: from 0, if there is a vertex 0"}, \
    {0, "vertices", CLI_INT, &matrix_input_given.vertices, .value = "N", .min = 1, .max = INT32_MAX - 1, \
     .help = "lists of edges: rows and columns; default: the\nlargest vertex, or \"Nodes: N\" in a comment"}, \
    {0, "variable", CLI_TEXT, &matrix_input_given.variable, .value = "NAME", \
     .help = "MATLAB files: the variable to read; default: the\nonly sparse one, or else the only full one"}
/* clang-format on */

/* Loads or generates the matrix. Without a budget in the options, files get the budget of machine_memory.h.
 * Generators ignore the options. */
spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag);

/* Returns the size of a regular file in bytes, else 0. *is_compressed: whether it is compressed with gzip,
 * zstd, xz or bzip2, or is an .npz file. */
uint64_t matrix_input_bytes(const char *path, bool *is_compressed);

/* Replaces the matrix by PAP^T if the plan has a symmetric permutation and the sizes match. Otherwise changes
 * nothing. */
spmm_status_t matrix_input_permute(const spmm_plan_t *plan, int threads, spmm_matrix_t **matrix,
                                   spmm_diag_t *diag);

#endif
