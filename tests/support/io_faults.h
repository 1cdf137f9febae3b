/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of system calls on plan files: the k-th call fails in one of several ways. */
#ifndef TEST_IO_FAULTS_H
#define TEST_IO_FAULTS_H

#include <stdint.h>

#include "format/base/file_io.h"

enum io_fault {
    IO_FAULT_EIO,
    IO_FAULT_ENOSPC,
    IO_FAULT_EDQUOT,
    IO_FAULT_EINTR, /* the call must be repeated */
    IO_FAULT_SHORT, /* read and write transfer one byte; other calls are not changed */
    IO_FAULT_KILL,  /* the process is killed instead of making the call */
    IO_FAULT_COUNT
};

/* Makes the k-th call from now on fail (0: the next one). k < 0: no call fails. Calls are counted. */
void io_faults_start(int64_t k, enum io_fault fault);
/* Also makes O_TMPFILE fail, so that files without a name are not available. Lasts until io_faults_stop. */
void io_faults_named_only(void);
/* Restores the system's calls. Returns the number of calls since the start. *failed_call names the call that
 * failed, or is NULL. "open unnamed" is an open with O_TMPFILE; "late fsync" and "late close" follow a
 * rename. */
int64_t io_faults_stop(const char **failed_call);

#endif
