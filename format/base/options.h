/* SPDX-License-Identifier: Apache-2.0 */
/* Public structs that may grow in later releases. Their first member is size_t struct_size, the size of the
 * struct in the header that the caller was built with: smaller in an older header, larger in a newer one. */
#ifndef SPMMI_OPTIONS_H
#define SPMMI_OPTIONS_H

#include <spmm/common.h>

/* Reads an input struct: copies the members that the caller knows from given over the defaults in options.
 * options has size bytes and keeps its own struct_size. given may be NULL. name is the name of the struct in
 * messages, such as "tiled options". Returns ARGUMENT if struct_size is impossible (less than sizeof(size_t),
 * more than 64 KiB), or if a byte of given after the first size bytes is not 0: it belongs to an option that
 * this library does not know. */
spmm_status_t spmmi_options_read(void *options, size_t size, const void *given, const char *name,
                                 spmm_diag_t *diag);

/* Writes an output struct: copies the members of full (size bytes) that the caller knows to info and sets
 * members that only the caller knows to 0. The caller has set info->struct_size, which does not change. Clear
 * full with memset before setting its members, because its padding is copied too. Returns ARGUMENT if info is
 * NULL or struct_size is impossible; then info does not change. */
spmm_status_t spmmi_info_write(void *info, const void *full, size_t size);

#endif
