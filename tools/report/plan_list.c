/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_list.h. */
#include "plan_list.h"

#include <stdio.h>

#include "plan_report.h"
#include "plan_targets.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/print_text.h"

#define LINE "%13s %13s %15s  %-6s %8s  %6s  %-12s  "

static void print_line(const char *file, const spmm_plan_t *plan)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES], bytes[PRINT_UNITS_BYTES];
    char share[PRINT_UNITS_BYTES], targets[PLAN_TARGETS_BYTES], types[PLAN_TYPES_BYTES];
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)spmm_plan_info(plan, &info);
    snprintf(share, sizeof share, "%.3f", (double)info.file_bytes / (double)info.csr_bytes);
    plan_targets_text(plan, targets);
    plan_types_text(plan, types);
    printf(LINE, print_count(rows, info.rows), print_count(cols, info.cols), print_count(nnz, info.nnz),
           info.has_values ? types : "none", print_bytes(bytes, info.file_bytes), share, targets);
    print_escaped(stdout, file);
    putchar('\n');
}

int plan_list(const char *program, char **files, int count, const spmm_load_options_t *load, int prints)
{
    int highest = EXIT_DONE;
    if (prints)
        printf(LINE "file\n", "rows", "columns", "nonzeros", "values", "size", "of CSR", "targets");
    for (int i = 0; i < count; i++) {
        int code = EXIT_DONE;
        spmm_plan_t *plan = plan_input_of(program, files[i], load, &code);
        highest = code > highest ? code : highest;
        if (plan != NULL && prints)
            print_line(files[i], plan);
        spmm_plan_destroy(plan);
    }
    const int flushed = exit_flush(program);
    return flushed > highest ? flushed : highest;
}
