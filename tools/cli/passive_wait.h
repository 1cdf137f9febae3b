/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP threads that sleep while they wait, instead of spinning on the cores that others need. */
#ifndef SPMM_TOOLS_PASSIVE_WAIT_H
#define SPMM_TOOLS_PASSIVE_WAIT_H

/* The first call of main. Where the user has set none of OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME, the
 * program starts itself again with OMP_WAIT_POLICY=passive: libgomp reads its environment when it is loaded, before
 * main, and has no function for this. Does nothing where the program cannot find itself. */
void passive_wait(char **argv);

#endif
