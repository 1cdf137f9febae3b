/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_help.h. */
#include "inspect_help.h"

#include "families.h"

#define HELP_WIDTH 58

static const char *const patterns[HELP_COUNT] = {
    [HELP_SCHEDULE] = "auto (default), {schedules}",
    [HELP_KERNEL] = "[TARGET/]FAMILY[/SCHEDULE]: {families}, or one with its schedule: {kernels}; with cpu/ "
                    "or cuda/ before it, on that target alone",
    [HELP_BALANCE] =
        "{staged}: auto (default: the decision chart, unless the contrary is predicted to be faster "
        "by a margin), chart, none, or segments[:LENGTH] of so many nonzeros",
    [HELP_LONG_ROWS] =
        "{peeled}: are rows far longer than their neighbours split off and computed by a separate "
        "kernel? auto (default: where that is predicted to pay) or keep",
    [HELP_BLOCK_ROWS] =
        "rows or units that are taken together, {units}; default: the tallest that gives enough "
        "blocks, or what is predicted to be fastest",
    [HELP_BLOCKS] = "{staged}: enough blocks a multiprocessor; default 2",
    [HELP_STAGE_SLOTS] = "{staged}: rows of B a stage; default 447",
};

char inspect_help[HELP_COUNT][INSPECT_HELP_BYTES];

void inspect_help_make(void)
{
    for (int h = 0; h < HELP_COUNT; h++)
        families_help(inspect_help[h], sizeof inspect_help[h], HELP_WIDTH, patterns[h]);
}
