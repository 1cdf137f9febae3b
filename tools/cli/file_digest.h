/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of a file, by libcrypto: decision 0052. */
#ifndef SPMM_TOOLS_FILE_DIGEST_H
#define SPMM_TOOLS_FILE_DIGEST_H

#include <spmm/common.h>

#define FILE_DIGEST_TEXT 65 /* 64 hexadecimal digits and a zero */

/* Writes the digest of the file's bytes on disk, in hexadecimal. IO, MEMORY, UNSUPPORTED. */
spmm_status_t file_digest(const char *path, char text[FILE_DIGEST_TEXT], spmm_diag_t *diag);

#endif
