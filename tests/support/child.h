/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of processes that a test starts. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <sys/types.h>

/* Waits for the end of a child. Returns its status, as waitpid does. */
int child_wait(pid_t child);

/* Removes what LLVM's OpenMP leaves in /dev/shm of a process that was killed: a file with the process's number. Where
 * the kill came before the file was written, a later process with that number dies of SIGBUS at its first parallel
 * region, or calls it another copy of the library. child_wait does it too. */
void child_forget(pid_t child);

#endif
