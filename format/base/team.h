/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads that a parallel region may request from OpenMP.
 *
 * OpenMP runtimes end the process if they cannot start a thread, for example because a limit on the address
 * space or on the number of tasks of a user or control group is reached. Every parallel region therefore has
 * the clause num_threads(spmmi_team(N)). If a region needs more threads than the team of the calling thread
 * has, spmmi_team starts the missing threads for a moment, with the stack size that OpenMP uses. The region
 * then requests no more threads than could be started: at worst the calling thread alone.
 *
 * OpenMP keeps the team of a calling thread, so most calling threads need one trial only. After a region with
 * fewer threads, OpenMP has to start the others again. They are tried again too, because memory or tasks may
 * have been used up meanwhile, and threads that are still ending count against the limits.
 *
 * Remaining risk: between the trial and the region, another thread or process may use up what the trial
 * released. A parallel region of the caller or OMP_DYNAMIC may have made the team smaller. In these cases
 * OpenMP can still end the process. */
#ifndef SPMMI_TEAM_H
#define SPMMI_TEAM_H

#define SPMMI_TEAM_MAX 1024

/* Returns the number of threads that a caller asked for, at most SPMMI_TEAM_MAX. Logs a warning that names
 * `who` if the caller asked for more. */
int spmmi_team_clamp(int threads, const char *who);

/* Returns the number of threads for the next parallel region of the calling thread: at least 1, at most
 * SPMMI_TEAM_MAX. wanted > 0: never more than wanted, so callers may allocate memory for `wanted` threads.
 * wanted = 0: as many as OpenMP would use by default. */
int spmmi_team(int wanted);

#endif
