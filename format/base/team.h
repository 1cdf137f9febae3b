/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads a parallel region may ask OpenMP for.
 *
 * OpenMP runtimes end the process when they cannot start a thread: a limit of the address space, of the tasks of a user
 * or of a control group is reached. Every parallel region therefore says num_threads(spmmi_team(N)). When a region
 * needs more threads than the calling thread's team has, so many are started for a moment, with the stacks that
 * OpenMP gives, and the region asks for no more than could be started: at worst for the calling thread alone.
 *
 * OpenMP keeps the team of a calling thread, so a process tries once for most of its calling threads. After a region of
 * fewer threads OpenMP starts the others anew, and they are tried again: the room may be used up, and threads that are
 * still ending count.
 *
 * What remains: between the trial and the region, another thread or process may take what the trial gave back, and a
 * region of the caller's own or OMP_DYNAMIC may have made the team of this thread smaller. Then OpenMP ends the process
 * as before. */
#ifndef SPMMI_TEAM_H
#define SPMMI_TEAM_H

#define SPMMI_TEAM_MAX 1024

/* threads as a caller asked for them, at most SPMMI_TEAM_MAX; a warning that `who` takes no more where they were. */
int spmmi_team_clamp(int threads, const char *who);

/* wanted 0: as many as OpenMP would take. At least 1, at most SPMMI_TEAM_MAX, and never more than wanted. For the next
 * region of the calling thread only; callers have memory for `wanted` threads. */
int spmmi_team(int wanted);

#endif
