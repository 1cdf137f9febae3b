/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix files of a product's operands. A file that is named twice is read once and is one operand. */
#ifndef SPMM_TOOLS_PRODUCT_FILES_H
#define SPMM_TOOLS_PRODUCT_FILES_H

#include <spmm/product.h>

struct product_files {
    int count; /* number of different files */
    const char *path[SPMM_PRODUCT_FACTORS];
    spmm_matrix_t *matrix[SPMM_PRODUCT_FACTORS];
    int operand[SPMM_PRODUCT_FACTORS]; /* for each given name, the index of its file */
};

/* Reads `given` files, at most SPMM_PRODUCT_FACTORS. *culprit becomes the file that a failure is about. */
spmm_status_t product_files_open(char **names, int given, const spmm_read_options_t *read,
                                 struct product_files *files, const char **culprit, spmm_diag_t *diag);
void product_files_close(struct product_files *files);

#endif
