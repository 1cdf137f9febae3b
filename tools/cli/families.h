/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel families as the library lists them, for reports, help pages and the programs that try them all. */
#ifndef SPMM_TOOLS_FAMILIES_H
#define SPMM_TOOLS_FAMILIES_H

#include <spmm/plan.h>

#include "cli.h"

/* Family 0, 1, .. in the library's order. Returns 0 past the last one. */
int families_at(int index, spmm_family_info_t *family);
/* The family; its name is "?" where the library has none. */
spmm_family_info_t families_find(spmm_family_t family);
/* The one that is named between the slashes of a kernel's name, such as "rows" in "cpu/rows/row-split". */
spmm_family_info_t families_of_kernel(const char *kernel);
/* Is this one of the words between the slashes of a name? */
int families_has_word(const char *name, const char *word);

#define FAMILIES_KERNEL_BYTES 256 /* of a name that a user gave, which is no longer */

/* A kernel that a plan can be forced to. */
struct families_kernel {
    spmm_family_info_t family;
    spmm_schedule_info_t schedule;
    char name[64]; /* "family/schedule" */
};
/* Schedule 0, 1, .. of all families, in the library's order. Returns 0 past the last one. */
int families_kernel_at(int index, struct families_kernel *kernel);

/* Text for a help page: pattern in lines of at most width characters, with the library's words for
 *   {families} {kernels}   all of them
 *   {schedules}            those of families_schedules
 *   {tensor}               families on tensor cores
 *   {staged}               families that stage B
 *   {long-rows}            families that long rows may be split off
 *   {units}                families and the rows that they take together, where they have a choice */
void families_help(char *text, size_t size, size_t width, const char *pattern);

/* "FAMILY/SCHEDULE" of a schedule and of the kernel, which may be a name with or without target and schedule, or NULL
 * for a schedule that one family alone has. Returns 0 where that is another kernel, several families have it, or there
 * is no room. */
int families_join(const char *kernel, spmm_schedule_t schedule, char *name, size_t size);

/* What --kernel and --schedule (0: none) say together, as a kernel; complains where they contradict each other. */
enum cli_result families_join_check(const struct cli_program *program, const char **kernel, int schedule);

/* "auto" (0) and all schedules. */
#define FAMILIES_CHOICES 32
void families_schedules(struct cli_choice choices[FAMILIES_CHOICES]);
/* The names of all families, to suggest. */
void families_names(struct cli_choice choices[FAMILIES_CHOICES]);

#endif
