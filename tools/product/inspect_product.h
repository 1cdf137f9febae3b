/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-inspect --product and --triple: makes a plan of a product from its factors. */
#ifndef SPMM_TOOLS_INSPECT_PRODUCT_H
#define SPMM_TOOLS_INSPECT_PRODUCT_H

#include <spmm/product.h>
#include <stdbool.h>

#include "tools/cli/cli.h"
#include "tools/cli/cli_option.h"

struct inspect_product_options {
    int product, triple, transpose_b, lower, diagonal;
    int64_t piece_products;
};
extern struct inspect_product_options inspect_product_given;
/* clang-format off */
#define INSPECT_PRODUCT_OPTIONS \
    {0, "product", CLI_FLAG, &inspect_product_given.product, \
     .help = "a plan of the sparse product C = A B of two files, or\nof A A of one: the pattern of C, whose values " \
             "spmm-run\ncomputes"}, \
    {0, "triple", CLI_FLAG, &inspect_product_given.triple, \
     .help = "the same of C = R (A P) of three files, or of two, A\nand P, of C = P^T (A P)"}, \
    {0, "transpose-b", CLI_FLAG, &inspect_product_given.transpose_b, \
     .help = "with --product: C = A B^T, of one file A A^T"}, \
    {0, "lower", CLI_FLAG, &inspect_product_given.lower, \
     .help = "of a product: C is symmetric, compute its lower triangle"}, \
    {0, "diagonal", CLI_FLAG, &inspect_product_given.diagonal, \
     .help = "with --product: a diagonal matrix between the factors,\nC = A D B"}, \
    {0, "piece-products", CLI_INT, &inspect_product_given.piece_products, .value = "N", .min = 1, .max = INT64_MAX, \
     .help = "of a product: cut rows of C with more multiplications;\ndefault: an 8,448th of all, at least " \
             "4,096 (where\nfew rows have many: a 16,896th, at least 256)"}
/* clang-format on */

/* The other options of the command line. */
struct inspect_product_request {
    const char *program, *output; /* output is NULL, a file, or "-" */
    struct cli_operands operands;
    spmm_dtype_t dtype;
    spmm_read_options_t read;
    spmm_save_options_t save;
    bool json, quiet;
};

/* Checks that the options fit each other, the number of files, and dtype_count, the number of types of
 * --dtype. */
enum cli_result inspect_product_check(const struct cli_program *program, const struct cli_operands *operands,
                                      size_t dtype_count);
/* Returns true if --product or --triple was given. */
bool inspect_product_wanted(void);
/* Makes the plan. Returns an exit status. */
int inspect_product_run(const struct inspect_product_request *request);

#endif
