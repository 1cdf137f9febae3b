/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel families as the library lists them, for reports, help pages and programs that try every kernel. */
#ifndef SPMM_TOOLS_FAMILIES_H
#define SPMM_TOOLS_FAMILIES_H

#include <spmm/plan.h>

#include "cli.h"

/* Gets family index (0, 1, ..) in the library's order. Returns 0 if index is past the last family. */
int families_at(int index, spmm_family_info_t *family);
/* Returns the family's information. The name is "?" if the library does not have the family. */
spmm_family_info_t families_find(spmm_family_t family);
/* Returns the family whose name is one of the words between slashes in kernel, such as "rows" in
 * "cpu/rows/row-split". */
spmm_family_info_t families_of_kernel(const char *kernel);
/* Returns 1 if word is one of the words between the slashes of name, else 0. */
int families_has_word(const char *name, const char *word);

#define FAMILIES_KERNEL_BYTES 256 /* of a kernel name that a user gave, including the final zero */

/* A kernel that a plan can be forced to use. */
struct families_kernel {
    spmm_family_info_t family;
    spmm_schedule_info_t schedule;
    char name[64]; /* "family/schedule" */
};
/* Gets schedule index (0, 1, ..) among the schedules of all families, in the library's order. Returns 0 if
 * index is past the last schedule. */
int families_kernel_at(int index, struct families_kernel *kernel);

/* Expands pattern to the text of a help page, in lines of at most width characters. These words are replaced:
 *   {families} {kernels}   all families, all kernels
 *   {schedules}            the schedules of families_schedules
 *   {tensor}               families on tensor cores
 *   {staged}               families that stage B
 *   {long-rows}            families from which long rows may be split off
 *   {units}                families with a choice of heights, and the heights */
void families_help(char *text, size_t size, size_t width, const char *pattern);

/* Writes "FAMILY/SCHEDULE" to name. kernel is a kernel name with or without target and schedule, or NULL if
 * only one family has the schedule. Returns 0 if kernel has another schedule, if several families have this
 * one, or if name is too small. */
int families_join(const char *kernel, spmm_schedule_t schedule, char *name, size_t size);

/* Combines --kernel and --schedule (0: not given) into one kernel name. Complains if they contradict each
 * other. */
enum cli_result families_join_check(const struct cli_program *program, const char **kernel, int schedule);

/* Fills choices with "auto" (0) and all schedules. */
#define FAMILIES_CHOICES 32
void families_schedules(struct cli_choice choices[FAMILIES_CHOICES]);
/* Fills choices with the names of all families, to suggest. */
void families_names(struct cli_choice choices[FAMILIES_CHOICES]);

#endif
