/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a plan: pairs of keys and values with which people describe its matrix. In memory and in a
 * file, each pair is stored as key, zero byte, value, zero byte, and the pairs are sorted by key (byte
 * order). The executor never reads metadata. */
#ifndef SPMMI_METADATA_H
#define SPMMI_METADATA_H

#include <spmm/metadata.h>

#include <stdbool.h>

#define SPMMI_METADATA_BYTES UINT64_C(65536) /* maximum size of all pairs, including zero bytes */
#define SPMMI_METADATA_PAIRS 256u
#define SPMMI_METADATA_KEY_BYTES 64u /* maximum length of a key, without its zero byte */

/* Returns true if key is valid:
 * a letter a to z, then characters a to z, 0 to 9, '.', '_' and '-', `bytes` in total. */
bool spmmi_metadata_is_key(const char *key, size_t bytes);

/* Returns the pair at offset *at of checked text and sets *at to the offset of the next pair. */
spmm_metadata_t spmmi_metadata_next(const char *text, uint64_t *at);

/* Checks the pairs of a caller, sorts them and stores them in *text, which has
 * *bytes bytes. The caller frees *text with spmmi_free. For count = 0, *text
 * is NULL. Errors: ARGUMENT with a message that names the key, MEMORY. */
spmm_status_t spmmi_metadata_pack(const spmm_metadata_t *pairs, int64_t count, char **text, uint64_t *bytes,
                                  spmm_diag_t *diag);

#endif
