/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of processes that a test starts. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <sys/types.h>

/* Waits for the end of a child. Returns its status, as waitpid does. */
int child_wait(pid_t child);

/* Removes the file that LLVM's OpenMP leaves in /dev/shm if a process is killed. The process's number is part
 * of its name. If the file is still empty, a later process with that number dies of SIGBUS at its first
 * parallel region; otherwise it may report a second copy of the library. child_wait calls this function. */
void child_forget(pid_t child);

#endif
