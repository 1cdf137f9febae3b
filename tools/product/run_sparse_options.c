/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the options of a sparse product: see run_sparse.h. */
#include <string.h>

#include "run_sparse.h"
#include "tools/cli/overwrite.h"
#include "tools/export/export_matrix.h"

#define CHECK_SELF "self"

bool run_sparse_wanted(const struct run_sparse_request *r)
{
    return r->plan == NULL || r->files.count > 0;
}

/* Complains about options that belong to another kind of run. */
static enum cli_result check_options(const struct cli_program *program, const struct run_sparse_request *r)
{
    static const char *const of_once[] = {"product",    "dtype",  "device",   "check",  "output",
                                          "force",      "repeat", "threads",  "budget", "force-kernel",
                                          "drop-zeros", "base",   "vertices", "abs",    "real-part",
                                          "variable",   "json",   "quiet",    NULL};
    static const char *const of_plan[] = {"alpha",      "diagonal", "force-kernel", "device",  "check",
                                          "output",     "force",    "repeat",       "threads", "budget",
                                          "drop-zeros", "base",     "vertices",     "abs",     "real-part",
                                          "variable",   "json",     "quiet",        NULL};
    const char *const other = cli_given_beside(program, r->plan == NULL ? of_once : of_plan);
    if (other == NULL)
        return CLI_RUN;
    return cli_complain(program, "--%s is not valid with %s", other,
                        r->plan == NULL ? "--product" : "plans of sparse products");
}

enum cli_result run_sparse_check(const struct cli_program *program, const struct run_sparse_request *r)
{
    if (!run_sparse_wanted(r))
        return r->diagonal != NULL ? cli_complain(program, "--diagonal needs the plan of a sparse product")
                                   : CLI_RUN;
    if (r->plan == NULL && r->files.count > 2)
        return cli_complain(program, "--product: expected one or two matrices, found %d", r->files.count);
    if (check_options(program, r) != CLI_RUN)
        return CLI_USAGE;
    if (r->check != NULL && strcmp(r->check, CHECK_SELF) != 0)
        return cli_complain(program, "--check of a sparse product: expected self, found '%s'", r->check);
    const struct export_form *form = r->output != NULL ? export_form_of_file(r->output) : NULL;
    if (r->output != NULL && (form == NULL || form->is_pattern_only))
        return cli_complain(
            program,
            "%s: expected a name that ends with .mtx, .npz or another form of spmm-export with values",
            r->output);
    if (r->output != NULL && !r->force && overwrite_loses(r->output, "", 0))
        return cli_complain(program, "%s exists; -f overwrites it", r->output);
    return CLI_RUN;
}
