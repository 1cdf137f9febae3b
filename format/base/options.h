/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers hand over and that may grow: the first member is size_t struct_size, which says how much of it
 * the caller knows. A caller built against an older header knows a shorter one, one built against a newer header a
 * longer one. */
#ifndef SPMMI_OPTIONS_H
#define SPMMI_OPTIONS_H

#include <spmm/common.h>

/* Inputs. Copy the members that the caller knows from given over the defaults in options, which has size bytes and
 * keeps its own struct_size. given may be NULL. name is that of the struct in sentences: "tiled options". Errors:
 * ARGUMENT where struct_size cannot be (less than itself, more than 64 KiB), or where a byte beyond size is not 0: it
 * is an option that this library does not know. */
spmm_status_t spmmi_options_read(void *options, size_t size, const void *given, const char *name,
                                 spmm_diag_t *diag);

/* Outputs. Copy to info, whose struct_size the caller has set, the members of full (size bytes) that both know, and set
 * those that only the caller knows to 0. struct_size stays the caller's. Clear full by memset before its members are
 * set: its padding is given out too. Errors: ARGUMENT where info is NULL or struct_size cannot be; info then stays. */
spmm_status_t spmmi_info_write(void *info, const void *full, size_t size);

#endif
