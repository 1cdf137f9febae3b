/* SPDX-License-Identifier: Apache-2.0 */
/* Runs sparse products C = A B: spmm-run with operand files after the plan, or --product without a plan. */
#ifndef SPMM_TOOLS_RUN_SPARSE_H
#define SPMM_TOOLS_RUN_SPARSE_H

#include <spmm/product.h>
#include <stdbool.h>

#include "tools/cli/cli.h"

/* The options of the command line. */
struct run_sparse_request {
    const char *program;
    const char *plan;          /* NULL: a product without a plan (one shot) */
    struct cli_operands files; /* files of the operands */
    spmm_dtype_t dtype;        /* for one shot; 0: f32 */
    const char *diagonal, *output, *kernel;
    int device, threads, repeat; /* repeat -1: repeats for half a second */
    double alpha;
    spmm_read_options_t read;
    const char *check; /* NULL, or the value of --check */
    bool force;        /* output may replace any file */
    bool json, quiet;
};

/* run_sparse_wanted returns true if the command line asks for a sparse product. run_sparse_check then
 * complains about options that do not fit. */
bool run_sparse_wanted(const struct run_sparse_request *request);
enum cli_result run_sparse_check(const struct cli_program *program, const struct run_sparse_request *request);

/* Fails with ARGUMENT if the plan is of a sparse product, because such a plan needs the files of its
 * operands. */
spmm_status_t run_sparse_refuse(const spmm_plan_t *plan, spmm_diag_t *diag);

/* Runs the product. Returns an exit status. */
int run_sparse(const struct run_sparse_request *request);

#endif
