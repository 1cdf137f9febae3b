/* SPDX-License-Identifier: Apache-2.0 */
/* See option_names.h. */
#include "option_names.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *member, *option;
} names[] = {
    {"a_type", "dtype"},
    {"compute", "compute"},
    {"device", "device"},
    {"force_kernel", "kernel"},
    {"metadata", "meta, --meta-file"},
    {"reorder", "reorder"},
    {"permute_output", "permuted-output"},
    {"symmetric_permutation", "symmetric-permutation"},
    {"options in tiled", "balance, --panel-rows, --stage-slots"},
    {"tiled.balance", "balance"},
    {"tiled.segment_length", "balance"},
    {"tiled.segment_min", "segment-least"},
    {"tiled.segment_scale", "segment-scale"},
    {"tiled.u_min", "u-min"},
    {"tiled.cv_max", "cv-max"},
    {"tiled.block_rows", "panel-rows"},
    {"tiled.blocks_per_sm", "blocks-per-sm"},
    {"tiled.stage_slots", "stage-slots"},
    {"tcblock.block_rows", "panel-rows"},
    {"tcblock.long_rows", "long-rows"},
};

void option_names_add(spmm_diag_t *diag)
{
    char sentence[sizeof diag->text];
    const char *before = " (--";
    if (diag->status != SPMM_ERR_ARGUMENT)
        return;
    snprintf(sentence, sizeof sentence, "%s", diag->text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t used = strlen(diag->text);
        if (strstr(sentence, names[i].member) == NULL || used + strlen(names[i].option) + 6 > sizeof sentence)
            continue;
        snprintf(diag->text + used, sizeof diag->text - used, "%s%s", before, names[i].option);
        before = ", --";
    }
    if (before[0] == ',')
        strcat(diag->text, ")");
}
