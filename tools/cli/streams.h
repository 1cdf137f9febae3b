/* SPDX-License-Identifier: Apache-2.0 */
/* Standard input, output and error that the caller closed. */
#ifndef SPMM_TOOLS_STREAMS_H
#define SPMM_TOOLS_STREAMS_H

/* At the start of a program: none of their numbers stays free, so that no file that is opened later gets one, and with
 * it what is printed. Reading and writing fail as on a closed one. */
void streams_start(void);

#endif
