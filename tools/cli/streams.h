/* SPDX-License-Identifier: Apache-2.0 */
/* Protection against standard streams that the caller closed. */
#ifndef SPMM_TOOLS_STREAMS_H
#define SPMM_TOOLS_STREAMS_H

/* Call it at the start of a program. Opens /dev/null in place of each closed standard stream, so that a file
 * opened later does not get its number and receive what is printed. Reading and writing still fail, as on a
 * closed stream. */
void streams_start(void);

#endif
