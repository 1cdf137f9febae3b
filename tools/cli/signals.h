/* SPDX-License-Identifier: Apache-2.0 */
/* What signals do to the files that a program writes. */
#ifndef SPMM_TOOLS_SIGNALS_H
#define SPMM_TOOLS_SIGNALS_H

#include "format/base/new_file.h"

/* At the start of a program: a file that grows past RLIMIT_FSIZE makes a write fail instead of ending the program. */
void signals_start(void);

/* From now on, a signal that ends the program, other than SIGKILL and those of a crash, removes the temporary name of
 * this file first; the exit status stays that of the signal. Signals that are ignored, as under nohup, stay ignored. */
void signals_guard(const struct spmmi_new_file *file);
/* Then nobody looks at the file any more. Does nothing where none is guarded. */
void signals_release(void);

#endif
