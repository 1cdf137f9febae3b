/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices as command lines name them: a file, "-" for standard input, or a generator string. */
#ifndef SPMM_TOOLS_MATRIX_INPUT_H
#define SPMM_TOOLS_MATRIX_INPUT_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "cli_option.h"

/* How files are read, by the options of the command line. */
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

/* Without a budget in the options, files get that of machine_memory.h; generators use no options. */
spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag);

/* The bytes of a regular file, else 0, and whether they are compressed: by gzip, zstd, xz, bzip2, or as .npz. */
uint64_t matrix_input_bytes(const char *path, bool *is_compressed);

/* PAP^T takes the place of the matrix where that is what the plan holds, and rows and columns are as many. */
spmm_status_t matrix_input_permute(const spmm_plan_t *plan, int threads, spmm_matrix_t **matrix,
                                   spmm_diag_t *diag);

#endif
