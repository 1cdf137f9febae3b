/* SPDX-License-Identifier: Apache-2.0 */
/* How signals treat the files that a program writes. */
#ifndef SPMM_TOOLS_SIGNALS_H
#define SPMM_TOOLS_SIGNALS_H

#include "format/base/new_file.h"

/* Call it at the start of a program. Afterwards a write that exceeds RLIMIT_FSIZE fails instead of ending the
 * program. */
void signals_start(void);

/* Starts to guard the file: a signal that ends the program, other than SIGKILL and crash signals, first
 * removes the file's temporary name. The exit status stays that of the signal. Ignored signals (nohup) stay
 * ignored. */
void signals_guard(const struct spmmi_new_file *file);
/* Stops guarding: afterwards no handler uses the file. Does nothing if no file is guarded. */
void signals_release(void);

#endif
