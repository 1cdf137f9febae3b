/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the name of a matrix into a form that a plan may store. */
#ifndef SPMMI_SOURCE_NAME_H
#define SPMMI_SOURCE_NAME_H

#include <stddef.h>

/* Copies a file name, truncated between characters to fit into `size` bytes with the terminating zero.
 * Control characters and bytes that are not UTF-8 become '?', because file names can contain any bytes but
 * text in a plan cannot. */
void spmmi_source_name(const char *name, char *text, size_t size);

#endif
