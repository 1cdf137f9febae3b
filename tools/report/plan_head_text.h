/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the header of a plan file. */
#ifndef SPMM_TOOLS_PLAN_HEAD_TEXT_H
#define SPMM_TOOLS_PLAN_HEAD_TEXT_H

/* Prints header, names and sections of a plan file, which may be truncated. If path is "-", reads at most 1
 * MB of standard input. Returns an exit status. */
int plan_head_text(const char *program, const char *path, int is_quiet);

#endif
