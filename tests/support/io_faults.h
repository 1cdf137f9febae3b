/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of plan files that fail on purpose: the k-th call, in one of several ways. */
#ifndef TEST_IO_FAULTS_H
#define TEST_IO_FAULTS_H

#include <stdint.h>

#include "format/base/file_io.h"

enum io_fault {
    IO_FAULT_EIO,
    IO_FAULT_ENOSPC,
    IO_FAULT_EDQUOT,
    IO_FAULT_EINTR, /* the call must be made again */
    IO_FAULT_SHORT, /* read and write move one byte; other calls are left alone */
    IO_FAULT_KILL,  /* the process is killed instead of the call */
    IO_FAULT_COUNT
};

/* From now on the k-th call fails (0 = the next one); k < 0: none. Calls are counted. */
void io_faults_start(int64_t k, enum io_fault fault);
/* Besides, files without a name do not exist. Lasts until io_faults_stop. */
void io_faults_named_only(void);
/* Back to the system's calls. Returns the number of calls since the start; *failed_call names the one that failed,
 * or is NULL: "open unnamed" is one with O_TMPFILE, "late fsync" and "late close" come after a rename. */
int64_t io_faults_stop(const char **failed_call);

#endif
