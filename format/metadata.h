/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a plan: what people say of its matrix, keys and values. In memory as in a file: key, zero, value, zero,
 * pair after pair, keys ascending byte by byte. The executor never reads them. */
#ifndef SPMMI_METADATA_H
#define SPMMI_METADATA_H

#include <spmm/metadata.h>

#include <stdbool.h>

#define SPMMI_METADATA_BYTES UINT64_C(65536) /* of all pairs, zeros included */
#define SPMMI_METADATA_PAIRS 256u
#define SPMMI_METADATA_KEY_BYTES 64u /* of a key, without its zero */

/* a to z first, then a to z, 0 to 9, '.', '_' and '-'. */
bool spmmi_metadata_is_key(const char *key, size_t bytes);

/* The pair at *at of text that was checked; *at becomes that of the next. */
spmm_metadata_t spmmi_metadata_next(const char *text, uint64_t *at);

/* Pairs of a caller as such a text, sorted, of *bytes bytes, to be freed with spmmi_free; NULL for none. ARGUMENT with
 * a sentence that names the key, MEMORY. */
spmm_status_t spmmi_metadata_pack(const spmm_metadata_t *pairs, int64_t count, char **text, uint64_t *bytes,
                                  spmm_diag_t *diag);

#endif
