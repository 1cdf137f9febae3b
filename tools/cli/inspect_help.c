/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_help.h. */
#include "inspect_help.h"

#define HELP_WIDTH 58

static const char *const patterns[HELP_COUNT] = {
    [HELP_COMPUTE] =
        "least accurate compute type that may be chosen: auto (default: as accurate as TYPE); of f32 "
        "also f32 (no tensor cores), 3xtf32 (as auto) or tf32 (11 bits)",
    [HELP_SCHEDULE] = "auto (default), {schedules}; one of several families needs --kernel FAMILY too",
    [HELP_KERNEL] =
        "[TARGET/]FAMILY[/SCHEDULE], a kernel's name without its INSTANCE: {families}, or one with its "
        "schedule: {kernels}; TARGET, cpu or cuda: on that target alone",
    [HELP_BALANCE] =
        "{staged}, cutting rows into segments: auto (default: the decision chart, unless the contrary is "
        "predicted to be faster by a margin), chart, none, or segments[:LENGTH] of so many nonzeros",
    [HELP_LONG_ROWS] =
        "{long-rows}: long-row split, rows far longer than their neighbours are computed by a separate "
        "kernel: auto (default: where that is predicted to be faster) or keep (never)",
    [HELP_BLOCK_ROWS] =
        "height of a row block or block-row group, in rows (tiled: in units); {units}; default: the "
        "largest that gives enough thread blocks, or the one that is predicted to be fastest",
    [HELP_BLOCKS] = "{staged}: enough thread blocks per multiprocessor; default 2",
    [HELP_STAGE_SLOTS] = "{staged}: rows of B in a stage; default 447",
};

char inspect_help[HELP_COUNT][INSPECT_HELP_BYTES];
struct cli_choice inspect_families[FAMILIES_CHOICES];

void inspect_help_make(void)
{
    families_names(inspect_families);
    for (int h = 0; h < HELP_COUNT; h++)
        families_help(inspect_help[h], sizeof inspect_help[h], HELP_WIDTH, patterns[h]);
}
