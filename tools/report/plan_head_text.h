/* SPDX-License-Identifier: Apache-2.0 */
/* What the beginning of a plan file says. */
#ifndef SPMM_TOOLS_PLAN_HEAD_TEXT_H
#define SPMM_TOOLS_PLAN_HEAD_TEXT_H

/* Prints header, names and sections of a file, which may be incomplete, or of what - gives, of which less than 1 MB is
 * read. Returns an exit status. */
int plan_head_text(const char *program, const char *path, int is_quiet);

#endif
