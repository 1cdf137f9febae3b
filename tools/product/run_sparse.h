/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-run with matrices beside the plan, or --product without a plan: C = A B with sparse C. */
#ifndef SPMM_TOOLS_RUN_SPARSE_H
#define SPMM_TOOLS_RUN_SPARSE_H

#include <spmm/product.h>
#include <stdbool.h>

#include "tools/cli/cli.h"

/* What the command line says. */
struct run_sparse_request {
    const char *program;
    const char *plan;          /* NULL: one shot */
    struct cli_operands files; /* of the operands */
    spmm_dtype_t dtype;        /* one shot; 0: f32 */
    const char *diagonal, *output, *kernel;
    int device, threads, repeat; /* repeat: -1: half a second */
    double alpha;
    spmm_read_options_t read;
    const char *check; /* NULL, or a word */
    bool force;        /* output replaces any file */
    bool json, quiet;
};

/* Is it a product of sparse matrices? Then: does the command line fit? */
bool run_sparse_wanted(const struct run_sparse_request *request);
enum cli_result run_sparse_check(const struct cli_program *program, const struct run_sparse_request *request);

/* The plan of a product needs the files of its operands. Errors: ARGUMENT where it is one. */
spmm_status_t run_sparse_refuse(const spmm_plan_t *plan, spmm_diag_t *diag);

/* Returns an exit status. */
int run_sparse(const struct run_sparse_request *request);

#endif
