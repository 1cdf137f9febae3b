/* SPDX-License-Identifier: Apache-2.0 */
/* See dense_output.h. */
#include "dense_output.h"

#include <string.h>

#include "export_dense.h"
#include "export_matrix.h"
#include "tools/cli/overwrite.h"

enum cli_result dense_output_check(const struct cli_program *program, const char *path, int is_forced)
{
    static const char npy[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
    const bool is_text = export_dense_is_text(path);
    if (strcmp(path, "-") == 0)
        return cli_complain(program, "-o -: standard output is for the report, so C needs a file");
    if (!is_text && export_form_of_file(path) != NULL)
        return cli_complain(program,
                            "%s: a dense C is written as .npy or .mtx, unless the files of a sparse "
                            "product follow the plan",
                            path);
    if (!is_forced && is_text && overwrite_loses(path, "", 0))
        return cli_complain(program, "%s exists; -f overwrites it", path);
    if (!is_forced && overwrite_loses(path, npy, sizeof npy))
        return cli_complain(program, "%s exists and is no NumPy file; -f overwrites it", path);
    return CLI_RUN;
}
