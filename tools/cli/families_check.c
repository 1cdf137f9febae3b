/* SPDX-License-Identifier: Apache-2.0 */
/* Combines --kernel and --schedule, see families.h. */
#include "families.h"

enum cli_result families_join_check(const struct cli_program *program, const char **kernel, int schedule)
{
    static char joined[FAMILIES_KERNEL_BYTES];
    if (schedule == 0)
        return CLI_RUN;
    const char *name = spmm_schedule_name((spmm_schedule_t)schedule);
    const int is_joined = families_join(*kernel, (spmm_schedule_t)schedule, joined, sizeof joined);
    if (!is_joined && *kernel == NULL)
        return cli_complain(
            program, "--schedule %s is one of several families: name it as --kernel FAMILY/%s", name, name);
    if (!is_joined)
        return cli_complain(program, "--kernel %s and --schedule %s contradict each other", *kernel, name);
    *kernel = joined;
    return CLI_RUN;
}
