/* SPDX-License-Identifier: Apache-2.0 */
/* Lets OpenMP threads sleep while they wait, instead of spinning on cores that other programs need. */
#ifndef SPMM_TOOLS_PASSIVE_WAIT_H
#define SPMM_TOOLS_PASSIVE_WAIT_H

/* Call it first in main. If the user has set none of OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME, the
 * program executes itself again with OMP_WAIT_POLICY=passive: libgomp reads its environment when it is
 * loaded, before main, and has no function for this setting. Does nothing if the program cannot find its own
 * file. */
void passive_wait(char **argv);

#endif
